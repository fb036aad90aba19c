import type { Direction } from '../record.ts';
import type { FindingSeverity, RowKind, RowStatus } from '../row.ts';

/**
 * The syntax tree of a filter. `parse.ts` parses it, `print.ts` prints it, `match.ts` defines what it
 * means for one row; the engine finds the same rows from its columns.
 */
export type Filter =
  /** An `and` of nothing matches every row. */
  | { readonly type: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly type: 'not'; readonly part: Filter }
  | { readonly type: 'term'; readonly term: Term };

/** One condition, which matches if any of its values does. */
export type Term =
  /** Text in the method, the name, the kind or the bytes on the wire. */
  | { readonly field: 'word'; readonly text: string }
  | { readonly field: 'text'; readonly values: readonly string[] }
  | { readonly field: PatternField; readonly values: readonly Pattern[] }
  | { readonly field: 'dir'; readonly values: readonly Direction[] }
  | { readonly field: 'kind'; readonly values: readonly RowKind[] }
  | { readonly field: 'status'; readonly values: readonly StatusValue[] }
  | { readonly field: RangeField; readonly values: readonly Range[] }
  | { readonly field: 'since' | 'until'; readonly instant: Instant }
  | { readonly field: 'finding'; readonly values: readonly FindingValue[] }
  | { readonly field: 'mark'; readonly values: readonly MarkValue[] }
  | { readonly field: 'is'; readonly values: readonly RowProperty[] };

export type PatternField = 'method' | 'tool' | 'name' | 'logger' | 'session' | 'id';
export type RangeField = 'dur' | 'size' | 'level' | 'row' | 'exchange';

/** A text with anything between its parts: `tools/*` is `['tools/', '']`. A single part matches exactly that text. */
export type Pattern = readonly [string, ...string[]];

/** Microseconds, bytes, indexes in `logLevels`, or row numbers from 1; infinite if there is no bound. */
export interface Range {
  readonly low: number;
  readonly high: number;
  /** Whether the bound itself is excluded. */
  readonly lowOpen?: true;
  readonly highOpen?: true;
}

export type StatusValue =
  | { readonly status: RowStatus }
  | { readonly code: number }
  /** A class of codes: 4 means `4xx`. */
  | { readonly hundred: number };

export type FindingValue =
  | { readonly any: true }
  | { readonly severity: FindingSeverity }
  | { readonly rule: Pattern };

export type MarkValue = { readonly any: true } | { readonly text: string };

/** When: a local time of day, an instant, or so long before the last row of the trace. */
export type Instant =
  /** Milliseconds since midnight. */
  | { readonly type: 'clock'; readonly ms: number }
  /** Milliseconds since the epoch. */
  | { readonly type: 'wall'; readonly ms: number }
  | { readonly type: 'ago'; readonly microseconds: number };

/** The values of `is:`. */
export const rowProperties = [
  'error',
  'call',
  'ask',
  'automatic',
  'probe',
  'replayed',
  'composed',
  'marked',
  'found',
] as const;
export type RowProperty = (typeof rowProperties)[number];

/** The filter that every row matches. */
export const everything: Filter = { type: 'and', parts: [] };

export const isEverything = (filter: Filter): boolean => filter.type === 'and' && filter.parts.length === 0;

/** Matches all of these; flattens a nested `and`. */
export const allOf = (parts: readonly Filter[]): Filter => joined('and', parts);

/** Any of these; not empty. */
export const anyOf = (parts: readonly [Filter, ...Filter[]]): Filter => joined('or', parts);

function joined(type: 'and' | 'or', parts: readonly Filter[]): Filter {
  const flat = parts.flatMap((part) => (part.type === type ? part.parts : [part]));
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { type, parts: flat };
}

export const term = (of: Term): Filter => ({ type: 'term', term: of });
