import type { DraftErrors } from './draft/part.ts';

/** What every part of the form takes: the part of the draft it edits. */
export interface FieldProps<D> {
  readonly draft: D;
  readonly errors: DraftErrors;
  readonly change: (part: Partial<D>) => void;
  /** Looks at a field when it is left. */
  readonly judge: (place: string) => void;
}
