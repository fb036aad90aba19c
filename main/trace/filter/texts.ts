import { z } from 'zod';
import { MAX_IN_BATCH, type RowKind } from '#shared/trace/row.ts';
import type { LineSpan } from '#trace/trace-writer.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { elementTexts } from '#shared/json/members.ts';
import { parseRecord, rowFacts, summarize } from '#trace/view/row-reader.ts';

/**
 * The searched texts of rows: the text of a message or other unit; the URL, the
 * header lines and the status lines of an HTTP exchange; the summary of process and session rows. Bytes that are not
 * UTF-8, recorded as base64, are not searched.
 */
export class RowTexts {
  readonly #trace: ReadableTrace;
  /** The last batch: reading and splitting it for each of its messages would take quadratic time. */
  #batch: { readonly offset: number; readonly texts: readonly string[] } | null = null;

  constructor(trace: ReadableTrace) {
    this.#trace = trace;
  }

  /** @throws FaultError when the file cannot be read */
  async of(row: number): Promise<readonly string[]> {
    const trace = this.#trace;
    const { columns } = trace.index;
    const kind = columns.kind(row);
    if (kind === 'http') {
      const [texts] = await exchangeTexts(trace, [row]);
      return texts ?? [];
    }
    if (!isWritten(kind)) {
      const [line] = await trace.file.read([lineSpanOf(columns, row)]);
      return [summarize(parseRecord(line ?? ''), rowFacts(columns, row))];
    }
    return columns.batch(row) === 1 ? unitTexts(trace, row) : this.#ofBatch(row);
  }

  async #ofBatch(row: number): Promise<readonly string[]> {
    const { columns } = this.#trace.index;
    const offset = columns.offset(row);
    if (this.#batch?.offset !== offset) {
      const texts = await unitTexts(this.#trace, row);
      const [whole = '', ...others] = texts;
      this.#batch = { offset, texts: others.length > 0 ? [] : elementTexts(whole, MAX_IN_BATCH) };
      if (this.#batch.texts.length === 0) return texts;
    }
    const text = this.#batch.texts[columns.position(row)];
    return text === undefined ? unitTexts(this.#trace, row) : [text];
  }
}

/** The text of a unit, joined from its pieces; a piece in base64 separates the texts around it. */
async function unitTexts(trace: ReadableTrace, row: number): Promise<string[]> {
  const texts: string[] = [];
  let isOpen = false;
  for (const span of piecesOf(trace, row)) {
    const [line] = await trace.file.read([span]);
    const text = writtenText(line ?? '');
    if (text !== null) texts.push(isOpen ? (texts.pop() ?? '') + text : text);
    isOpen = text !== null;
  }
  return texts;
}

/** The file positions of the pieces of a row's unit. */
export function piecesOf({ index }: ReadableTrace, row: number): LineSpan[] {
  // Only the first row of a batch knows the pieces.
  const first = index.columns.batch(row) > 1 ? (index.columns.rowOf(index.columns.seq(row)) ?? row) : row;
  return [lineSpanOf(index.columns, first), ...index.chunksOf(first)];
}

const lineSpanOf = (columns: RowColumns, row: number): LineSpan => ({
  offset: columns.offset(row),
  length: columns.length(row),
});

const written = z.object({ text: z.string().optional() });

/** The text on a line of the file; null if it has none, or only base64. */
export const writtenText = (line: string): string | null => written.parse(JSON.parse(line)).text ?? null;

const summaryKinds: readonly RowKind[] = [
  'process',
  'phase',
  'switches',
  'authorization',
  'definitions',
  'http',
];

/** Whether rows of this kind have a text that was sent or received. */
export const isWritten = (kind: RowKind): boolean => !summaryKinds.includes(kind);

const named = z.object({ exchange: z.number() });

/** The searched texts of each of these HTTP exchanges. */
export async function exchangeTexts(trace: ReadableTrace, rows: readonly number[]): Promise<string[][]> {
  const { columns, exchanges } = trace.index;
  const requests = await trace.file.read(rows.map((row) => lineSpanOf(columns, row)));
  const spans = requests.map((line) => exchanges.responses(named.parse(JSON.parse(line)).exchange));
  const inOrder = spans.flat().sort((a, b) => a.offset - b.offset);
  const read = await trace.file.read(inOrder);
  const lineAt = new Map(inOrder.map(({ offset }, order) => [offset, read[order] ?? '']));
  return requests.map((request, order) => {
    const responses = (spans[order] ?? []).map(({ offset }) => lineAt.get(offset) ?? '');
    return [request, ...responses].flatMap(headTexts);
  });
}

/** The parsed part of a request's or response's record: parsing all of it would take much longer. */
const head = z.object({
  url: z.string().optional(),
  status: z.number().optional(),
  reason: z.string().optional(),
  headers: z.array(z.tuple([z.string(), z.string()])),
});

function headTexts(line: string): string[] {
  const { url, status, reason = '', headers } = head.parse(JSON.parse(line));
  return [url ?? `${status ?? ''} ${reason}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
}
