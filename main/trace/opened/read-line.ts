import { isUtf8 } from 'node:buffer';
import { messageOf } from '#shared/contract/fault.ts';
import type { TraceRecord } from '#shared/trace/record.ts';
import type { Content } from '#trace/rows/row-index.ts';
import { type CutLine, LONGEST_LINE } from './line-cutter.ts';
import { recordOf } from './record-shapes.ts';
import type { Upgrade } from './upgrade.ts';

const REPLACEMENT = '\ufffd';
const BRACE = 0x7b;
/** Characters of a line that are quoted. */
const QUOTED = 60;

/** What a line turned out to be. */
export type LineReading =
  | { readonly record: TraceRecord; readonly offset: number; readonly length: number }
  | { readonly why: string }
  /** There is nothing on it. */
  | null;

/** Reads a line of the trace. Nothing that may stand there makes it fail. */
export function readLine(line: CutLine, upgrade: Upgrade | null): LineReading {
  const { bytes, to, offset, length } = line;
  if (length > LONGEST_LINE) return { why: `it is longer than any record: ${length} bytes` };
  const from = bytes[line.from] === BRACE ? line.from : skipBlank(bytes, line.from, to);
  if (from === to) return null;
  const text = bytes.toString('utf8', from, to);
  // Only then can it be that a byte was no character.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes.subarray(from, to)))
    return { why: 'it is not valid UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (upgrade !== null) value = upgrade.record(value);
  } catch (error) {
    return { why: `${messageOf(error).split(':')[0] ?? ''}: ${quoted(text)}` };
  }
  const record = recordOf(value);
  if (record === null) return { why: `it is JSON, but no record: ${quoted(text)}` };
  const skipped = from - line.from;
  return { record, offset: offset + skipped, length: length - skipped };
}

/** What a record stands for, as text when that is how it is written. */
export function contentOf(record: TraceRecord): Content {
  if (!('size' in record) || record.kind === 'http-end') return '';
  return record.text ?? Buffer.from(record.base64 ?? '', 'base64');
}

/** The bytes that a record stands for. */
export function bytesOfRecord(record: TraceRecord): Buffer {
  const content = contentOf(record);
  return typeof content === 'string' ? Buffer.from(content) : content;
}

/** Text of a file, in which control characters are escaped. */
const quoted = (text: string): string =>
  `${JSON.stringify(text.slice(0, QUOTED))}${text.length > QUOTED ? ' …' : ''}`;

function skipBlank(bytes: Buffer, from: number, to: number): number {
  let place = from;
  while (place < to && (bytes[place] ?? 0) <= 0x20) place++;
  return place;
}
