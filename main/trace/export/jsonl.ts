import { onOneLine } from '#shared/json/tokens.ts';
import { eachElement } from '#shared/json/members.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { messageKinds, type RowKind } from '#shared/trace/row.ts';
import type { TraceRecord } from '#shared/trace/record.ts';
import { textOf } from '#trace/view/row-reader.ts';
import { type Counts, noAdditions, type Output } from './output.ts';
import { eachOf, type Source } from './source.ts';

/** The kinds of rows that are JSON, unlike noise. */
const messages: ReadonlySet<RowKind> = new Set([...messageKinds, 'held-back'] as const);

/** Writes the bare messages, one per line and exactly as sent, except for line ends within them. */
export async function writeMessages(source: Source, output: Output): Promise<Counts> {
  const { columns } = source.trace.index;
  const chosen = [...eachOf(source.rows)].filter((row) => messages.has(columns.kind(row)));
  let entries = 0;
  for await (const { rows, record } of source.records(chosen)) {
    const [first = 0] = rows;
    if (isBatch(columns, first, record)) entries += await writeBatch(source, output, rows, record);
    else {
      entries++;
      await output.write(onOneLine(textOf(asPiece(record)).replace(BYTE_ORDER_MARK, '')));
      for await (const piece of source.pieces(first)) await output.write(onOneLine(textOf(asPiece(piece))));
      await output.write('\n');
    }
  }
  return { entries, leftOut: source.rows.count - chosen.length, additions: noAdditions };
}

/** A batch of one is recognized by its bracket; an empty one has nothing to split. */
const isBatch = (columns: RowColumns, row: number, record: TraceRecord): boolean =>
  columns.batch(row) > 1 || BATCH_OF_ONE.test(textOf(asPiece(record)));

/**
 * Writes the selected messages of a batch, and those without rows if their common row is selected; returns how many.
 */
async function writeBatch(
  source: Source,
  output: Output,
  rows: readonly number[],
  record: TraceRecord,
): Promise<number> {
  const { columns } = source.trace.index;
  const [first = 0] = rows;
  const pieces = [textOf(asPiece(record))];
  for await (const piece of source.pieces(firstOfRecord(columns, first))) pieces.push(textOf(asPiece(piece)));
  const positions = new Set(rows.map(columns.position));
  const rest = rows.find((row) => columns.kind(row) === 'held-back');
  const from = rest === undefined ? Number.POSITIVE_INFINITY : columns.position(rest);
  let index = 0;
  let written = 0;
  for (const element of eachElement(pieces.join(''))) {
    if (index >= from || positions.has(index)) {
      await output.write(`${onOneLine(element)}\n`);
      written++;
    }
    if (++index % TOGETHER === 0) await source.turns.pass();
  }
  return written;
}

/** The row that begins with a record, which knows its further pieces. */
const firstOfRecord = (columns: RowColumns, row: number): number => columns.rowOf(columns.seq(row)) ?? row;

const asPiece = (record: TraceRecord) => ('size' in record && 'text' in record ? record : { text: '' });

/** Batch elements to write per turn of the event loop. */
const TOGETHER = 1000;
const BATCH_OF_ONE = /^\ufeff?\s*\[\s*(?:[^\s\]]|$)/;

/** Some servers send a byte order mark; it has no meaning. */
const BYTE_ORDER_MARK = /^\ufeff/;
