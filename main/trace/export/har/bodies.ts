import type { SseEvent, TraceRecord } from '#shared/trace/record.ts';
import { hasBytes, type RecordWithBytes, textOf } from '#trace/view/row-reader.ts';
import type { Source } from '#trace/export/source.ts';

/** An event of a stream, as a member of our own tells it. */
export interface SseEntry {
  /** Milliseconds since the exchange began. */
  readonly time: number;
  readonly event?: string;
  readonly id?: string;
  readonly retry?: number;
  /** Bytes of its data on the wire. */
  readonly size: number;
}

/** The text of what rows of an exchange carried, one after the other, as it was on the wire. */
export async function* bodyTexts(source: Source, rows: readonly number[]): AsyncGenerator<string> {
  for await (const { rows: own, record } of source.records(rows)) {
    const [row = 0] = own;
    if (!hasBytes(record)) continue;
    if (record.kind !== 'unit' || record.channel !== 'sse') {
      yield textOf(record);
      for await (const piece of source.pieces(row)) yield textOf(asPiece(piece));
    } else {
      yield* eventTexts(source, row, record);
    }
  }
}

/** An event with its framing, which stands on its last piece. */
async function* eventTexts(
  source: Source,
  row: number,
  first: RecordWithBytes & { kind: 'unit' },
): AsyncGenerator<string> {
  if (first.sse !== undefined || first.more === undefined) {
    yield framed(textOf(first), first.sse);
    return;
  }
  // It is over 1 MiB; the framing of most events is a single `data: ` then.
  yield 'data: ';
  yield dataLines(textOf(first));
  for await (const piece of source.pieces(row)) yield dataLines(textOf(asPiece(piece)));
  yield '\n\n';
}

const dataLines = (text: string): string => text.replaceAll('\n', '\ndata: ');

/** The values of the `data` lines within what stood around them; a placeholder may have taken the place of several. */
function framed(text: string, sse: SseEvent | undefined): string {
  if (sse === undefined) return text;
  const { frame } = sse;
  const values = frame.length < 2 ? [] : text.split('\n');
  if (values.length <= frame.length - 1) {
    return frame.map((part, place) => fromLatin1(part) + (values[place] ?? '')).join('');
  }
  return `${fromLatin1(frame[0] ?? '')}${dataLines(text)}${fromLatin1(frame.at(-1) ?? '')}`;
}

const fromLatin1 = (text: string): string =>
  /[^\0-\xff]/.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8');

/** What the events of a stream were beside their data. */
export async function* sseEntries(
  source: Source,
  rows: readonly number[],
  began: number,
): AsyncGenerator<SseEntry> {
  const { columns } = source.trace.index;
  for await (const { rows: own, record } of source.records(rows)) {
    const [row = 0] = own;
    let sse = record.kind === 'unit' ? record.sse : undefined;
    if (record.kind === 'unit' && record.more === true) {
      for await (const piece of source.pieces(row)) if (piece.kind === 'chunk') sse ??= piece.sse;
    }
    if (record.kind !== 'unit') continue;
    yield {
      time: (record.at - began) / 1000,
      ...(sse?.name !== undefined && { event: sse.name }),
      ...(sse?.id !== undefined && { id: sse.id }),
      ...(sse?.retry !== undefined && { retry: sse.retry }),
      size: columns.size(row),
    };
  }
}

const asPiece = (record: TraceRecord) => (hasBytes(record) ? record : { text: '' });
