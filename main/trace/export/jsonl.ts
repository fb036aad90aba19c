import { elementTexts } from '#trace/units/raw-json.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { RowKind } from '#shared/trace/row.ts';
import type { TraceRecord } from '#shared/trace/record.ts';
import { textOf } from '#trace/view/summarize.ts';
import type { Counts, Output } from './output.ts';
import { eachOf, type Source } from './source.ts';

/** What is JSON; noise is not. */
const messages: ReadonlySet<RowKind> = new Set(['request', 'notification', 'result', 'error', 'invalid']);

/** The bare messages, one a line and as they were written, but for line ends within them. */
export async function writeMessages(source: Source, output: Output): Promise<Counts> {
  const { columns } = source.trace.index;
  const chosen = [...eachOf(source.rows)].filter((row) => messages.has(columns.kind(row)));
  for await (const { rows, record } of source.records(chosen)) {
    const [first = 0] = rows;
    if (columns.batch(first) > 1) await writeBatch(source, output, rows, record);
    else {
      await output.write(oneLine(textOf(asPiece(record)).replace(BYTE_ORDER_MARK, '')));
      for await (const piece of source.pieces(first)) await output.write(oneLine(textOf(asPiece(piece))));
      await output.write('\n');
    }
  }
  return { entries: chosen.length, leftOut: source.rows.count - chosen.length };
}

async function writeBatch(
  source: Source,
  output: Output,
  rows: readonly number[],
  record: TraceRecord,
): Promise<void> {
  const { columns } = source.trace.index;
  const [first = 0] = rows;
  const pieces = [textOf(asPiece(record))];
  for await (const piece of source.pieces(firstOfRecord(columns, first))) pieces.push(textOf(asPiece(piece)));
  const elements = elementTexts(pieces.join(''));
  for (const row of rows) await output.write(`${oneLine(elements[columns.position(row)] ?? 'null')}\n`);
}

/** The row that a record begins with, which knows of its further pieces. */
const firstOfRecord = (columns: RowColumns, row: number): number => columns.rowOf(columns.seq(row)) ?? row;

const asPiece = (record: TraceRecord) => ('size' in record && 'text' in record ? record : { text: '' });

/** Some writers begin with it; it means nothing. */
const BYTE_ORDER_MARK = /^\ufeff/;
/** A line end in JSON stands between values only, where a space means the same. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, ' ');
