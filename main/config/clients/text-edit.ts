import { FaultError } from '#shared/contract/fault.ts';

export type Path = readonly (string | number)[];

/** Changes a configuration in place: everything that is not changed stays as it is written, comments too. */
export interface TextEdit {
  /** The changed text. */
  readonly text: string;
  /** Sets a value; creates the objects that lead to it. An index must exist. */
  set(path: Path, value: unknown): void;
  /** Adds an element at the end of a list that exists. */
  append(path: Path, value: unknown): void;
  /** Removes a member or element, if it exists. */
  remove(path: Path): void;
}

/** A value inside objects with these keys. */
export const nested = (path: Path, value: unknown): unknown =>
  path.reduceRight((inner: unknown, key) => ({ [String(key)]: inner }), value);

/** The fault for a text that cannot be changed in place. */
export const notEditable = (path: Path): FaultError =>
  new FaultError({
    code: 'configuration-not-editable',
    what: `"${path.join('.')}" of the configuration cannot be changed in place.`,
    why: 'It is written in a way that Sightglass does not change.',
    next: 'Export into a new text, and copy from it what you need. Nothing was written.',
  });
