import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TraceRecord } from '#shared/trace/record.ts';
import type { LineSource } from '#trace/trace-file.ts';
import { parseRecord } from '#trace/view/row-reader.ts';

/** A record, and the line it is. */
export interface RecordLine {
  readonly line: string;
  readonly record: TraceRecord;
  /** Where the next line begins. */
  readonly next: number;
}

const SPAN = 512 * 1024;
/** Milliseconds of work after which others get their turn. */
export const STRETCH = 12;
const NEWLINE = 0x0a;

/** Lets other work run in between: a long loop asks it now and then whether to pause. */
export class Turns {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since > STRETCH;
  }

  /** Lets others work if it is time. */
  async pass(): Promise<void> {
    if (!this.isOver) return;
    await nextTurn();
    this.#since = performance.now();
  }
}

/**
 * The records of a trace file from one place on up to another, a few at a time and in their order. What is no record
 * is passed over, as it is when the file is opened.
 *
 * @param from where the header or a record begins
 */
export async function* recordLines(
  file: LineSource,
  from: number,
  end: number,
  turns: Turns,
): AsyncGenerator<RecordLine[]> {
  let rest: Buffer[] = [];
  for (let place = from; place < end; ) {
    const to = Math.min(end, place + SPAN);
    const span = await file.readSpan(place, to);
    // The file has become shorter than it was.
    if (span.length === 0) return;
    place += span.length;
    const last = span.lastIndexOf(NEWLINE);
    if (last === -1) {
      rest.push(span);
      continue;
    }
    const whole = Buffer.concat([...rest, span.subarray(0, last)]);
    rest = [span.subarray(last + 1)];
    yield* parsed(whole, place - span.length + last - whole.length, turns);
  }
  // The last line of a file that its writer did not finish may be whole all the same.
  const whole = Buffer.concat(rest);
  yield* parsed(whole, end - whole.length, turns);
}

/** Records at hand at a time, in number and in bytes. */
const MOST_LINES = 200;
const MOST_BYTES = 128 * 1024;

/** @param offset where these whole lines begin in the file */
async function* parsed(whole: Buffer, offset: number, turns: Turns): AsyncGenerator<RecordLine[]> {
  let lines: RecordLine[] = [];
  let bytes = 0;
  for (let from = 0; from < whole.length; ) {
    const newline = whole.indexOf(NEWLINE, from);
    const end = newline === -1 ? whole.length : newline;
    const line = whole.toString('utf8', from, end);
    const record = readRecordLine(line);
    if (record !== null) lines.push({ line, record, next: offset + end + 1 });
    bytes += end - from;
    from = end + 1;
    if (lines.length < MOST_LINES && bytes < MOST_BYTES && !turns.isOver) continue;
    if (lines.length > 0) yield lines;
    lines = [];
    bytes = 0;
    await turns.pass();
  }
  if (lines.length > 0) yield lines;
}

/** Null for the header, and for what is no record. */
function readRecordLine(line: string): TraceRecord | null {
  try {
    return parseRecord(line);
  } catch {
    // Opening the file has told what is wrong with it.
    return null;
  }
}
