import { errorCodeName } from '#shared/protocol/error-codes.ts';
import type { NoiseReason, RowKind, RowStatus, TraceRow } from '#shared/trace/row.ts';

/** What colour says about a text; never the only thing that says it. */
export type Tone = 'plain' | 'mute' | 'faint' | 'in' | 'out' | 'warn' | 'err';

export interface Words {
  readonly text: string;
  readonly tone: Tone;
  /** More, for a tooltip. */
  readonly hint?: string;
}

/** What a row is, for those that have no method of their own. */
const kindWords: Readonly<Record<RowKind, Words>> = {
  request: { text: 'request', tone: 'plain' },
  notification: { text: 'notification', tone: 'plain' },
  result: { text: 'response', tone: 'plain' },
  error: { text: 'response', tone: 'err' },
  invalid: { text: 'invalid message', tone: 'warn' },
  noise: { text: 'stdout noise', tone: 'warn' },
  stderr: { text: 'stderr', tone: 'mute' },
  process: { text: 'process', tone: 'mute' },
  phase: { text: 'phase', tone: 'mute' },
};

/** What noise is, in the method column. */
const noiseWords: Readonly<Record<NoiseReason, string>> = {
  'not-json': 'stdout noise',
  'half-json': 'half JSON',
  'several-values': 'several messages',
  'not-utf8': 'invalid UTF-8',
  blank: 'blank line',
  'too-large': 'too large to read',
};

const statusWords: Readonly<Record<RowStatus, Words>> = {
  none: { text: '', tone: 'plain' },
  pending: { text: 'waiting', tone: 'warn', hint: 'No answer yet' },
  ok: { text: 'ok', tone: 'in' },
  error: { text: 'error', tone: 'err' },
  'tool-error': { text: 'tool error', tone: 'warn', hint: 'The tool says it failed: isError is true' },
  cancelled: { text: 'cancelled', tone: 'mute' },
  unanswered: { text: 'no answer', tone: 'warn', hint: 'The session ended before the answer came' },
  late: { text: 'late', tone: 'warn', hint: 'It came after its request was cancelled' },
  orphan: { text: 'unasked', tone: 'warn', hint: 'It answers no open request' },
  invalid: { text: 'invalid', tone: 'warn' },
  receiving: { text: 'receiving', tone: 'mute', hint: 'It is still arriving' },
  failed: { text: 'failed', tone: 'err' },
};

/** What stands in the method column. */
export function methodWords(row: TraceRow): Words {
  const words = kindWords[row.kind];
  if (row.status === 'failed') return { ...words, tone: 'err' };
  if (row.noise !== null) return { ...words, text: noiseWords[row.noise] };
  if (row.method === null) return words;
  if (isAnswer(row)) return { ...words, hint: `answers ${row.method}` };
  return { text: row.method, tone: row.status === 'error' ? 'err' : words.tone };
}

/** What stands in the status column: a word, or the JSON-RPC error code. */
export function statusOf({ status, code }: TraceRow): Words {
  const words = statusWords[status];
  if (status !== 'error' || code === null) return words;
  return { ...words, text: String(code), hint: errorCodeName(code) };
}

/** Whether the row is not what its channel carries. */
export const isInvalid = ({ kind, status }: TraceRow): boolean =>
  kind === 'invalid' || kind === 'noise' || status === 'invalid';

const badStatuses: ReadonlySet<RowStatus> = new Set(['error', 'failed']);

const warningStatuses: ReadonlySet<RowStatus> = new Set(['pending', 'unanswered', 'tool-error']);

/** The colour of the row's bar. */
export function barTone(row: TraceRow): Tone {
  if (badStatuses.has(row.status)) return 'err';
  if (isInvalid(row) || warningStatuses.has(row.status)) return 'warn';
  if (row.direction === null) return 'faint';
  return row.direction;
}

export const isAnswer = ({ kind }: TraceRow): boolean => kind === 'result' || kind === 'error';
