import { isObject, type Message, subjectOf } from '#shared/protocol/jsonrpc.ts';
import type { ProcessChange, TraceRecord } from '#shared/trace/record.ts';
import type { RowKind } from '#shared/trace/row.ts';
import { formatCount } from '#shared/format.ts';
import { readText } from '#trace/units/read-unit.ts';

/** Longer texts are cut: a summary is one line of the table. */
const LONGEST = 300;
/** Longer units are not parsed for their summary. */
const LARGEST_PARSED = 64 * 1024;

/** What of a row its short text depends on beside the record. */
export interface RowFacts {
  readonly kind: RowKind;
  /** Which message of a batch, of how many. */
  readonly position: number;
  readonly batch: number;
  /** What it is about, as the index has it: a tool, a path, the name of an event. */
  readonly subject: string | null;
}

/** The short text of a row: what it is about, in one line. Untrusted text. */
export function summarize(record: TraceRecord, row: RowFacts): string {
  return cut(summaryOf(record, row));
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
      return row.subject ?? '';
    case 'sse':
      return summarizeLines(textOf(record));
    case 'process':
      return describeChange(record.change);
    case 'phase':
      return record.reason === undefined ? record.phase : `${record.phase}: ${record.reason}`;
    case 'switches':
      return record.on.length === 0 ? 'client switches off' : `client switches: ${record.on.join(', ')}`;
    case 'http-connected':
    case 'http-response':
    case 'http-end':
    case 'mark':
    case 'anchor':
      return '';
  }
}

/** What a batch carries beyond the messages that are listed. */
const describeRest = ({ position, batch }: RowFacts): string =>
  `${formatCount(batch - position)} more values of this batch, which are on record but not listed`;

/** An event that carries no message: one of another name, or one that only sets what to resume after. */
function summarizeEvent(record: TraceRecord & { kind: 'unit' }, name: string | null): string {
  const { id, retry } = record.sse ?? {};
  if (name !== null) return `event ${name}: ${textOf(record)}`;
  return [id !== undefined && `id: ${id}`, retry !== undefined && `retry: ${retry}`]
    .filter(Boolean)
    .join(' · ');
}

/** Lines of a stream that are no event. */
function summarizeLines(text: string): string {
  const lines = text.slice(0, LARGEST_PARSED).split(/\r\n|\r|\n/);
  return lines.filter((line) => line.trim() !== '').join(' · ') || 'blank line';
}

/** The text of a piece; bytes that are not UTF-8 show as replacement characters. */
export const textOf = (piece: { text?: string | undefined; base64?: string | undefined }): string =>
  piece.text ?? Buffer.from(piece.base64 ?? '', 'base64').toString('utf8');

function summarizeUnit(text: string, position: number, subject: string | null): string {
  if (text.length > LARGEST_PARSED) return subject ?? text.slice(0, LONGEST);
  const reading = readText(text);
  if (reading.type === 'noise') return text;
  const envelope = reading.envelopes[position];
  if (envelope === undefined || 'fault' in envelope) return text;
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
      [`cancels ${JSON.stringify(requestId)}`, show(reason)].filter(Boolean).join(': '),
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

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
