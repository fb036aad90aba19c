import type { Fault } from '#shared/contract/fault.ts';
import type { TraceHeader } from '#shared/trace/record.ts';
import type { DurationSample } from './duration-sample.ts';
import type { LineSource } from './trace-writer.ts';
import type { Findings } from './findings.ts';
import type { RowIndex } from './rows/row-index.ts';

/** The reading side of a trace, of a running session or opened from a file. */
export interface ReadableTrace {
  readonly header: TraceHeader;
  readonly index: RowIndex;
  readonly findings: Findings;
  readonly durations: DurationSample;
  readonly file: LineSource;
  /** Replaces secrets in a value from the index. Only the index of a live session has any; a file never contains them. */
  redacted<T>(value: T): T;
  /** Marks a row, or removes its mark. @throws FaultError if that is not possible */
  mark(row: number, note: string | null): void | Promise<void>;
}

export const noSuchRow = (row: number): Fault => ({
  code: 'no-such-row',
  what: `The trace has no row ${row}.`,
});
