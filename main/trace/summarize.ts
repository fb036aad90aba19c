import { isObject, type Message, subjectOf } from '#shared/protocol/jsonrpc.ts';
import type { ProcessChange, TraceRecord } from '#shared/trace/record.ts';
import { readText } from './read-unit.ts';

/** Longer texts are cut: a summary is one line of the table. */
const LONGEST = 300;
/** Longer units are not parsed for their summary. */
const LARGEST_PARSED = 64 * 1024;

/** The short text of a row: what it is about, in one line. Untrusted text. */
export function summarize(record: TraceRecord, position: number, subject: string | null): string {
  return cut(summaryOf(record, position, subject));
}

function summaryOf(record: TraceRecord, position: number, subject: string | null): string {
  switch (record.kind) {
    case 'unit':
      return summarizeUnit(textOf(record), position, subject);
    case 'stderr':
    case 'chunk':
      return textOf(record);
    case 'process':
      return describeChange(record.change);
    case 'phase':
      return record.reason === undefined ? record.phase : `${record.phase}: ${record.reason}`;
    case 'anchor':
      return '';
  }
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
