import type { Placeholder } from './wire-recording.ts';

/** What a client sent, and whether the recording has it. */
export interface ByteExchange {
  /** The line, or the method and path of the HTTP request. */
  readonly asked: string;
  /** `exact`: as recorded. `inexact`: another text was recorded there. `miss`: nothing more was recorded. */
  readonly match: 'exact' | 'inexact' | 'miss';
  /** What was recorded there; null if nothing was. */
  readonly recorded: string | null;
}

/** How a recording was served byte by byte. */
export interface ByteSummary {
  readonly exact: number;
  readonly inexact: number;
  readonly misses: number;
  /** What the client of the recording sent, and this one did not. */
  readonly unused: readonly string[];
  /** Values that the recording has only as placeholders, which were sent instead. */
  readonly placeholders: readonly Placeholder[];
}

/** Characters of a line that a report quotes. */
export const MAX_QUOTED = 200;
