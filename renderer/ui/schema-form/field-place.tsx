import type { FieldPathList } from '@rjsf/utils';
import { createContext, useContext } from 'react';

/** Where in the arguments the field being drawn stands. The library does not tell its widgets. */
const Place = createContext<FieldPathList>([]);

export const FieldPlace = Place.Provider;

export interface FieldName {
  /** What a reader sees or hears, such as `steps` or `tags entry 2`. */
  readonly text: string;
  /** An entry of a list, which has no label of its own on screen. */
  readonly isEntry: boolean;
}

export function useFieldName(): FieldName {
  const path = useContext(Place);
  const last = path.at(-1);
  if (typeof last !== 'number') return { text: last ?? 'value', isEntry: false };
  return { text: `${path.at(-2) ?? 'list'} entry ${last + 1}`, isEntry: true };
}
