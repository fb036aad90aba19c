import { formatCount, truncate } from '#shared/format.ts';
import { previewOfParams } from '#shared/json/in-line.ts';
import { memberStarts } from '#shared/json/members.ts';
import { skipSpace } from '#shared/json/tokens.ts';
import { idText, isObject, type Message, subjectField, subjectOf } from '#shared/protocol/jsonrpc.ts';
import { type TraceRecord, traceRecordSchema, type ProcessChange } from '#shared/trace/record.ts';
import type { TraceRow, RowKind } from '#shared/trace/row.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { LineSpan } from '#trace/trace-writer.ts';
import { messageTextIn, readText } from '#trace/units/read-unit.ts';

/** Rows for the screen, in the given order: columns from memory, summaries from the file. */
export async function readRows(trace: ReadableTrace, rows: readonly number[]): Promise<TraceRow[]> {
  const { columns } = trace.index;
  const read: TraceRow[] = [];
  const isSameRecord = (row: number, other: number | undefined): boolean =>
    other !== undefined && columns.offset(row) === columns.offset(other);
  // The messages of a batch are one record, which may be large: it is read once.
  const firsts = rows.filter((row, order) => !isSameRecord(row, rows[order - 1]));
  let next = 0;
  for (const slice of slices(columns, firsts)) {
    const lines = await trace.file.read(slice.map((row) => lineSpanOf(columns, row)));
    for (const [order, first] of slice.entries()) {
      const record = parseRecord(lines[order] ?? '');
      for (let row = rows[next]; row !== undefined && isSameRecord(row, first); row = rows[++next]) {
        const facts = rowFacts(columns, row);
        // The index has names as they were received, including secrets.
        const summary = trace.redacted(summarize(record, facts));
        const preview = paramsPreview(trace, record, row);
        read.push({ ...toRow(trace, row, summary), ...(preview !== '' && { paramsPreview: preview }) });
      }
    }
  }
  return read;
}

/** The text of a row's message from its first to its last character, secrets replaced. */
export async function readMessageText(trace: ReadableTrace, row: number): Promise<string> {
  const pieces = [pieceBytes(await readRecord(trace, row))];
  for (const chunk of chunksOf(trace, row)) {
    const [line] = await trace.file.read([chunk]);
    pieces.push(pieceBytes(parseRecord(line ?? '')));
  }
  const unit = Buffer.concat(pieces).toString('utf8');
  const { columns } = trace.index;
  return columns.kind(row) === 'held-back' ? unit : messageTextIn(unit, columns.position(row));
}

/** The same for many rows, by row; fewer reads of the file. */
export async function readMessageTexts(
  trace: ReadableTrace,
  rows: readonly number[],
): Promise<Map<number, string>> {
  const { columns } = trace.index;
  const texts = new Map<number, string>();
  const whole = rows.filter((row) => chunksOf(trace, row).length === 0);
  for (const slice of slices(columns, whole)) {
    const lines = await trace.file.read(slice.map((row) => lineSpanOf(columns, row)));
    for (const [order, row] of slice.entries()) {
      const unit = pieceBytes(parseRecord(lines[order] ?? '')).toString('utf8');
      texts.set(row, columns.kind(row) === 'held-back' ? unit : messageTextIn(unit, columns.position(row)));
    }
  }
  for (const row of rows) if (!texts.has(row)) texts.set(row, await readMessageText(trace, row));
  return texts;
}

/** The file positions of further pieces of a row's unit; only the first row of a batch knows them. */
export function chunksOf(trace: ReadableTrace, row: number): readonly LineSpan[] {
  const { columns } = trace.index;
  let first = row;
  // Rows of other records may have come in between, while the unit was still arriving.
  if (columns.position(row) > 0) {
    while (first > 0 && (columns.seq(first) !== columns.seq(row) || columns.position(first) > 0)) first--;
  }
  return trace.index.chunksOf(first);
}

/** The input for the short text of a row. */
export const rowFacts = (columns: RowColumns, row: number): RowFacts => ({
  kind: columns.kind(row),
  position: columns.position(row),
  batch: columns.batch(row),
  subject: columns.subject(row),
});

export const parseRecord = (line: string): TraceRecord => traceRecordSchema.parse(JSON.parse(line));

export async function readRecord(trace: ReadableTrace, row: number): Promise<TraceRecord> {
  const [line] = await trace.file.read([lineSpanOf(trace.index.columns, row)]);
  return parseRecord(line ?? '');
}

const lineSpanOf = (columns: RowColumns, row: number) => ({
  offset: columns.offset(row),
  length: columns.length(row),
});

function toRow(trace: ReadableTrace, row: number, summary: string): TraceRow {
  const { columns } = trace.index;
  const id = columns.id(row);
  return {
    row,
    seq: columns.seq(row),
    position: columns.position(row),
    batch: columns.batch(row),
    at: columns.at(row),
    kind: columns.kind(row),
    direction: columns.direction(row),
    channel: columns.channel(row),
    // The index keeps method and id as received, because they relate rows.
    method: trace.redacted(columns.method(row)),
    summary,
    level: columns.level(row),
    logger: trace.redacted(columns.logger(row)),
    id: id === null ? null : trace.redacted(idText(id)),
    status: columns.status(row),
    noise: columns.noise(row),
    code: columns.code(row),
    duration: columns.duration(row),
    size: columns.size(row),
    pair: columns.pair(row),
    parent: columns.parent(row),
    exchange: columns.exchangeRow(row),
    automatic: columns.isAutomatic(row),
    probe: columns.isPartOfProbe(row),
    replayed: columns.isReplayed(row),
    responseMode: columns.responseMode(row),
    composed: columns.composed(row),
    error: columns.isError(row),
    finding: columns.finding(row),
    mark: columns.mark(row),
  };
}

/** The bytes of a record, secrets replaced; empty for most kinds. */
export function pieceBytes(record: TraceRecord): Buffer {
  if (!hasBytes(record)) return Buffer.alloc(0);
  return record.base64 === undefined ? Buffer.from(textOf(record)) : Buffer.from(record.base64, 'base64');
}

const kindsWithBytes = ['unit', 'chunk', 'stderr', 'http-body', 'sse'] as const;
export type RecordWithBytes = Extract<TraceRecord, { kind: (typeof kindsWithBytes)[number] }>;

/** Whether a record has bytes that were sent or received. */
export const hasBytes = (record: TraceRecord): record is RecordWithBytes =>
  kindsWithBytes.some((kind) => kind === record.kind);

/** Limits of one run: items, and bytes of their records. */
const MAX_ITEMS = 500;
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Cuts rows into runs that are small enough, in number and in bytes of their records, to be read at once without blocking
 * other work. A row that is larger is a run of its own.
 */
export const slices = (columns: RowColumns, rows: readonly number[]): Generator<number[]> =>
  slicesBy(rows, columns.length);

/** Cuts a list into runs that are limited in number and in bytes. @param lengthOf bytes of an item in the file */
export function* slicesBy<T>(all: readonly T[], lengthOf: (one: T) => number): Generator<T[]> {
  let slice: T[] = [];
  let bytes = 0;
  for (const one of all) {
    const length = lengthOf(one);
    if (slice.length === MAX_ITEMS || (slice.length > 0 && bytes + length > MAX_BYTES)) {
      yield slice;
      slice = [];
      bytes = 0;
    }
    slice.push(one);
    bytes += length;
  }
  if (slice.length > 0) yield slice;
}

/** Longer texts are cut: a summary is one line of the table. */
const LONGEST = 300;
/** Longer units are not parsed for their summary. */
const MAX_SUMMARIZED = 64 * 1024;

/** Characters of a message that are scanned for its params. */
const MAX_SCANNED = 4 * 1024;

/** The params of a request or a notification in one line; empty if it has none, or a summary made of them. */
function paramsPreview(trace: ReadableTrace, record: TraceRecord, row: number): string {
  const { columns } = trace.index;
  const [kind, method] = [columns.kind(row), columns.method(row)];
  if (record.kind !== 'unit' || method === null || (kind !== 'request' && kind !== 'notification')) return '';
  if (kind === 'notification' && notificationSummaries.has(method)) return '';
  const text = messageStart(textOf(record), columns.position(row), columns.batch(row));
  const params = memberStarts(text).get('params') ?? '';
  const subject = columns.subject(row) === null ? undefined : subjectField(method);
  return previewOfParams(params, subject, (line) => trace.redacted(line));
}

/** The start of a message; empty for one of a large batch, which would have to be searched. */
function messageStart(unit: string, position: number, batch: number): string {
  if (batch === 1 && unit.charAt(skipSpace(unit, 0)) !== '[') return unit.slice(0, MAX_SCANNED);
  return unit.length > MAX_SUMMARIZED ? '' : messageTextIn(unit, position).slice(0, MAX_SCANNED);
}

/** The columns of a row that its short text depends on, apart from the record. */
interface RowFacts {
  readonly kind: RowKind;
  /** Which message of a batch, of how many. */
  readonly position: number;
  readonly batch: number;
  /** What the row is about, as the index has it: a tool, a path, the name of an event. */
  readonly subject: string | null;
}

/** The summary of a row in one line. Untrusted text. */
export function summarize(record: TraceRecord, row: RowFacts): string {
  return truncate(summaryOf(record, row), LONGEST);
}

function summaryOf(record: TraceRecord, row: RowFacts): string {
  switch (record.kind) {
    case 'unit':
      if (row.kind === 'held-back') return describeRest(row);
      if (row.kind === 'sse') return summarizeEvent(record, row.subject);
      return summarizeUnit(textOf(record), row.position, row.subject);
    case 'stderr':
    case 'chunk':
    case 'http-body':
      return textOf(record);
    case 'http-request':
      return record.received?.untrusted === undefined
        ? (row.subject ?? '')
        : `not trusted: ${row.subject ?? ''}`;
    case 'sse':
      return summarizeLines(textOf(record));
    case 'process':
      return describeChange(record.change);
    case 'phase':
      return record.reason === undefined ? record.phase : `${record.phase}: ${record.reason}`;
    case 'switches':
      return record.on.length === 0 ? 'client switches off' : `client switches: ${record.on.join(', ')}`;
    case 'authorization':
      return record.what;
    case 'definitions':
      return `changed since the last connection: ${Object.keys(record.changes).join(', ')}`;
    case 'http-connected':
    case 'http-response':
    case 'http-end':
    case 'mark':
    case 'anchor':
      return '';
  }
}

/** The text for the messages of a batch that are not listed. */
const describeRest = ({ position, batch }: RowFacts): string =>
  `${formatCount(batch - position)} more values of this batch, which are on record but not listed`;

/** An event without a message: one with another name, or one that only sets the last event id. */
function summarizeEvent(record: TraceRecord & { kind: 'unit' }, name: string | null): string {
  const { id, retry } = record.sse ?? {};
  if (name !== null) return `event ${name}: ${textOf(record)}`;
  return [id !== undefined && `id: ${id}`, retry !== undefined && `retry: ${retry}`]
    .filter(Boolean)
    .join(' · ');
}

/** Lines of a stream that are not part of an event. */
function summarizeLines(text: string): string {
  const lines = text.slice(0, MAX_SUMMARIZED).split(/\r\n|\r|\n/);
  return lines.filter((line) => line.trim() !== '').join(' · ') || 'blank line';
}

/** The text of a piece; bytes that are not UTF-8 show as replacement characters. */
export const textOf = (piece: { text?: string | undefined; base64?: string | undefined }): string =>
  piece.text ?? Buffer.from(piece.base64 ?? '', 'base64').toString('utf8');

function summarizeUnit(text: string, position: number, subject: string | null): string {
  if (text.length > MAX_SUMMARIZED) return subject ?? text.slice(0, LONGEST);
  const reading = readText(text);
  if (reading.type === 'noise') return text;
  const envelope = reading.envelopes[position];
  if (envelope === undefined || 'defect' in envelope) return text;
  return summarizeMessage(envelope.message, subject);
}

function summarizeMessage(message: Message, subject: string | null): string {
  switch (message.type) {
    case 'request':
      return subject ?? '';
    case 'result':
      return subject ?? '';
    case 'error':
      return message.error.message;
    case 'notification':
      return notificationSummaries.get(message.method)?.(asObject(message.params)) ?? subjectText(message);
  }
}

const subjectText = ({ method, params }: Message & { type: 'notification' }): string =>
  subjectOf(method, params) ?? '';

// A map, because a server may name its method after a member that every object has.
const notificationSummaries: ReadonlyMap<string, (params: Record<string, unknown>) => string> = new Map([
  [
    'notifications/progress',
    ({ progress, total, message }) =>
      [total === undefined ? show(progress) : `${show(progress)} / ${show(total)}`, show(message)]
        .filter(Boolean)
        .join('  '),
  ],
  [
    'notifications/message',
    ({ level, logger, data }) => [show(level), show(logger), show(data)].filter(Boolean).join(' · '),
  ],
  [
    'notifications/cancelled',
    ({ requestId, reason }) =>
      [`cancels id ${JSON.stringify(requestId)}`, show(reason)].filter(Boolean).join(': '),
  ],
]);

const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

function show(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function describeChange(change: ProcessChange): string {
  switch (change.what) {
    case 'spawn':
      return `started ${[change.command, ...change.args].join(' ')} (pid ${change.pid})`;
    case 'spawn-failed':
      return `could not start ${change.command}: ${change.message}`;
    case 'stdin-failed':
      return `standard input: ${change.message}`;
    case 'stdout-closed':
      return 'closed its standard output but still runs';
    case 'shutdown':
      return shutdownSteps[change.step];
    case 'exit':
      return change.signal === null ? `exited with code ${change.code}` : `ended by ${change.signal}`;
  }
}

const shutdownSteps = {
  'close-stdin': 'we closed its standard input',
  sigterm: 'we sent SIGTERM: it did not end when its standard input was closed',
  sigkill: 'we sent SIGKILL: it did not end on SIGTERM',
} as const;
