import { FaultError } from '#shared/contract/fault.ts';
import type { HttpResponseRecord, TraceRecord, SseEvent } from '#shared/trace/record.ts';
import type { Counts, Output, TraceFileOptions } from '#trace/export/output.ts';
import { eachOf, type Source } from '#trace/export/source.ts';
import type { Turns } from '#transports/async.ts';
import { codingsOf } from '#transports/content-coding.ts';
import type { RowIndex } from '#trace/rows/row-index.ts';
import type { LineSpan } from '#trace/trace-writer.ts';
import { hasBytes, type RecordWithBytes, textOf } from '#trace/view/row-reader.ts';
import {
  connectionOf,
  errorOf,
  type Exchange,
  mimeTypeOf,
  requestOf,
  responseOf,
  timeOf,
  timingsOf,
} from './parts.ts';

/**
 * The HTTP exchanges of the selected rows as an HTTP archive, version 1.2. Data without a place in HAR is in members
 * of our own, which begin with an underscore: `_error`, `_sse`, `_row`, `_received`.
 *
 * @param more further members of the entry of an exchange, whose names begin with an underscore
 * @throws FaultError if no chosen row has an exchange
 */
export async function writeHar(
  source: Source,
  output: Output,
  _file?: TraceFileOptions,
  more: MoreMembers = () => ({}),
): Promise<Counts> {
  const { header, index } = source.trace;
  const exchanges = exchangesOf(index, source);
  if (exchanges.rows.length === 0) throw new FaultError(noExchange(header.server.transport));
  const inFile = new Set(exchanges.rows);
  const carried = await carriedBy(index, inFile, source.turns);
  const log = { version: '1.2', creator: { name: 'Sightglass', version: header.app.version } };
  await output.write(`{"log":${open(log)},"entries":[`);
  let entries = 0;
  for await (const { rows, record } of source.records(exchanges.rows)) {
    if (record.kind !== 'http-request') continue;
    const [row = 0] = rows;
    const spans = spansOf(index, record.exchange);
    const exchange = exchangeOf(record, await source.at(spans));
    await output.write(entries === 0 ? '\n' : ',\n');
    await writeEntry(source, output, {
      exchange,
      row,
      carried: carried.get(row) ?? NOTHING,
      more: more(row),
    });
    entries++;
  }
  await output.write('\n]}}\n');
  const additions = await source.additions((row) => inFile.has(index.columns.exchangeRow(row) ?? -1));
  return { entries, leftOut: exchanges.leftOut, additions };
}

/** Rows that an exchange carried, by direction. */
interface Carried {
  readonly out: number[];
  readonly in: number[];
}

const NOTHING: Carried = { out: [], in: [] };

/** Custom members of an entry (HAR 1.2), by the row of its exchange; their texts hold no secrets. */
export type MoreMembers = (row: number) => Readonly<Record<`_${string}`, unknown>>;

interface Entry {
  readonly exchange: Exchange;
  readonly row: number;
  readonly carried: Carried;
  readonly more: ReturnType<MoreMembers>;
}

async function writeEntry(
  source: Source,
  output: Output,
  { exchange, row, carried, more }: Entry,
): Promise<void> {
  const { clock } = source.trace.header;
  const { request, response } = exchange;
  const timings = timingsOf(exchange);
  const started = new Date(clock.wall + (request.at - clock.at) / 1000).toISOString();
  const times = { startedDateTime: started, time: timeOf(timings) };
  await output.write(`${open(times)},"request":${open(requestOf(exchange))}`);
  if (carried.out.length > 0) {
    await output.write(`,"postData":${open({ mimeType: mimeTypeOf(request.headers) })},"text":`);
    await writeText(output, bodyTexts(source, carried.out));
    await output.write('}');
  }
  await output.write(`},"response":${open(responseOf(exchange))}`);
  const size = carried.in.reduce((sum, one) => sum + source.trace.index.columns.size(one), 0);
  const received = exchange.end?.size ?? size;
  // The record has what an encoded body holds, and its size on the wire.
  const isEncoded = codingsOf(response?.headers ?? []).length > 0;
  const content = {
    size: isEncoded ? size : received,
    ...(isEncoded && { compression: size - received }),
    mimeType: mimeTypeOf(response?.headers ?? []),
  };
  await output.write(`,"content":${open(content)}`);
  if (carried.in.length > 0) {
    await output.write(',"text":');
    await writeText(output, bodyTexts(source, carried.in));
  }
  await output.write('}}');
  await writeEvents(source, output, carried.in, request.at);
  const rest = {
    cache: {},
    timings,
    ...connectionOf(exchange),
    _row: row + 1,
    ...(request.received !== undefined && { _received: request.received }),
    ...errorOf(exchange),
    ...more,
  };
  await output.write(`,${JSON.stringify(rest).slice(1)}`);
}

async function writeEvents(
  source: Source,
  output: Output,
  rows: readonly number[],
  began: number,
): Promise<void> {
  const { columns } = source.trace.index;
  const events = rows.filter((row) => columns.channel(row) === 'sse');
  if (events.length === 0) return;
  let separator = ',"_sse":[';
  for await (const event of sseEntries(source.again(), events, began)) {
    await output.write(`${separator}${JSON.stringify(event)}`);
    separator = ',';
  }
  await output.write(']');
}

/** An object as JSON, to which members are added. */
const open = (value: object): string => JSON.stringify(value).slice(0, -1);

/** A JSON string that is written in parts. */
async function writeText(output: Output, texts: AsyncIterable<string>): Promise<void> {
  await output.write('"');
  for await (const text of texts) await output.write(JSON.stringify(text).slice(1, -1));
  await output.write('"');
}

function exchangesOf({ columns }: RowIndex, { rows }: Source): { rows: number[]; leftOut: number } {
  const found = new Set<number>();
  let leftOut = 0;
  for (const row of eachOf(rows)) {
    const exchange = columns.exchangeRow(row);
    if (exchange === null) leftOut++;
    else found.add(exchange);
  }
  return { rows: [...found].sort((a, b) => a - b), leftOut };
}

async function carriedBy(
  { columns }: RowIndex,
  exchanges: ReadonlySet<number>,
  turns: Turns,
): Promise<Map<number, Carried>> {
  const carried = new Map<number, Carried>();
  for (let row = 0; row < columns.count; row++) {
    if (row % 1024 === 0) await turns.pass();
    const exchange = columns.exchangeRow(row);
    // The further messages of a batch are in the record of the first.
    if (exchange === null || exchange === row || !exchanges.has(exchange) || columns.position(row) > 0)
      continue;
    const own = carried.get(exchange) ?? { out: [], in: [] };
    carried.set(exchange, own);
    own[columns.direction(row) === 'out' ? 'out' : 'in'].push(row);
  }
  return carried;
}

function spansOf({ exchanges }: RowIndex, exchange: number): LineSpan[] {
  const final = exchanges.record(exchange, 'response');
  const spans = [exchanges.record(exchange, 'connected'), final, exchanges.record(exchange, 'end')];
  return spans.filter((span) => span !== null);
}

function exchangeOf(request: Exchange['request'], records: readonly TraceRecord[]): Exchange {
  const responses = records.filter((record): record is HttpResponseRecord => record.kind === 'http-response');
  return {
    request,
    connected: records.find((record) => record.kind === 'http-connected') ?? null,
    response: responses.at(-1) ?? null,
    end: records.find((record) => record.kind === 'http-end') ?? null,
  };
}

const noExchange = (transport: 'stdio' | 'http') =>
  transport === 'stdio'
    ? {
        code: 'no-exchanges',
        what: 'This session ran over standard input and output, so there is no HTTP to make a HAR of.',
        next: 'Export it as JSONL (one message a line) or as a trace file.',
      }
    : {
        code: 'no-exchanges',
        what: 'None of the chosen rows belongs to an HTTP exchange, so there is nothing to make a HAR of.',
        next: 'Choose rows of messages or exchanges, or another format.',
      };

/** An event of a stream, in our member `_sse`. */
interface SseEntry {
  /** Milliseconds since the exchange began. */
  readonly time: number;
  readonly event?: string;
  readonly id?: string;
  readonly retry?: number;
  /** Bytes of its data on the wire. */
  readonly size: number;
}

/** The body of an exchange from its rows, in order. */
async function* bodyTexts(source: Source, rows: readonly number[]): AsyncGenerator<string> {
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

/** An event with its framing, which is recorded with its last piece. */
async function* eventTexts(
  source: Source,
  row: number,
  first: RecordWithBytes & { kind: 'unit' },
): AsyncGenerator<string> {
  if (first.sse !== undefined || first.more === undefined) {
    yield framed(textOf(first), first.sse);
    return;
  }
  // It is over 1 MiB; such events usually have a single `data: `.
  yield 'data: ';
  yield dataLines(textOf(first));
  for await (const piece of source.pieces(row)) yield dataLines(textOf(asPiece(piece)));
  yield '\n\n';
}

const dataLines = (text: string): string => text.replaceAll('\n', '\ndata: ');

/** The values of the `data` lines within their framing; a placeholder may have replaced several. */
function framed(text: string, sse: SseEvent | undefined): string {
  if (sse === undefined) return text;
  const { frame } = sse;
  const values = frame.length < 2 ? [] : text.split('\n');
  if (values.length <= frame.length - 1) {
    return frame.map((part, index) => fromLatin1(part) + (values[index] ?? '')).join('');
  }
  return `${fromLatin1(frame[0] ?? '')}${dataLines(text)}${fromLatin1(frame.at(-1) ?? '')}`;
}

const fromLatin1 = (text: string): string =>
  /[^\0-\xff]/.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8');

/** The fields of a stream's events besides their data. */
async function* sseEntries(source: Source, rows: readonly number[], began: number): AsyncGenerator<SseEntry> {
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
