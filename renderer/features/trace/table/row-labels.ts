import { errorCodeName } from '#shared/protocol/jsonrpc.ts';
import { formatQuantity } from '#shared/format.ts';
import type { Fold, NoiseReason, ResponseMode, RowKind, RowStatus, TraceRow } from '#shared/trace/row.ts';
import { statusName } from '#shared/protocol/http-status.ts';

/** What the colour of a text means. Never the only sign of it. */
export type Tone = 'plain' | 'mute' | 'faint' | 'in' | 'out' | 'warn' | 'err';

export const toneClasses: Readonly<Record<Tone, string>> = {
  plain: 'text-text',
  mute: 'text-mute',
  faint: 'text-faint',
  in: 'text-in',
  out: 'text-out',
  warn: 'text-warn',
  err: 'text-err',
};

export interface Label {
  readonly text: string;
  readonly tone: Tone;
  /** The text of a tooltip. */
  readonly hint?: string;
}

/** The method column. */
export function methodLabel(row: TraceRow): Label {
  const label = kindLabels[row.kind];
  const tone = isBad(row) ? 'err' : isResponse(row) ? 'mute' : label.tone;
  if (row.noise !== null) return { ...label, text: noiseLabel(row, row.noise) };
  if (row.kind === 'sse') return { ...label, tone, text: streamLabel(row.summary) ?? label.text };
  if (row.method === null) return { ...label, tone };
  if (isResponse(row)) return { ...label, tone, hint: `answers ${row.method}` };
  return { text: row.method, tone: isRefusedProbe(row) ? 'mute' : tone };
}

/** What a server asks for, by the method; requests without a target of their own. */
const askLabels: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'asks for a completion',
  'elicitation/create': 'asks for input',
  'roots/list': 'asks for the roots',
};

/** The name column of a request of the server that has none; empty for all other rows. */
export const askLabel = ({ kind, direction, method, summary }: TraceRow): string =>
  kind === 'request' &&
  direction === 'in' &&
  summary === '' &&
  method !== null &&
  Object.hasOwn(askLabels, method)
    ? (askLabels[method] ?? '')
    : '';

/** The status column: a word, the JSON-RPC error code or the HTTP status. */
export function statusLabel(
  row: Pick<TraceRow, 'kind' | 'status' | 'code'> & Partial<Pick<TraceRow, 'probe' | 'error'>>,
): Label {
  const { status, code } = row;
  if (isRefusedProbe(row)) return { text: 'refused', tone: 'mute', hint: REFUSED_PROBE };
  if (row.kind === 'http') return httpStatusLabel(row);
  const label = statusLabels[status];
  if (status !== 'error' || code === null) return label;
  return { ...label, text: String(code), hint: errorCodeName(code) };
}

/** The colour of an HTTP status. */
export function statusTone(code: number): Tone {
  if (isErrorStatus(code)) return 'err';
  return code >= 200 && code < 300 ? 'in' : 'plain';
}

/** A server of one era need not understand the probe of the other. */
const isRefusedProbe = ({
  probe = false,
  error = false,
  status,
}: Pick<TraceRow, 'status'> & Partial<Pick<TraceRow, 'probe' | 'error'>>): boolean =>
  probe && !error && status === 'error';

const REFUSED_PROBE = 'The server does not speak the era that was tried, as it need not';

const isBad = (row: TraceRow): boolean => badStatuses.has(row.status) && !isRefusedProbe(row);

/** The colour of the row's bar. */
export function barTone(row: TraceRow): Tone {
  if (isRefusedProbe(row)) return 'faint';
  if (isBad(row)) return 'err';
  // The bar of an exchange only frames those of its messages.
  if (row.kind === 'http') return 'faint';
  if (isInvalid(row) || warningStatuses.has(row.status)) return 'warn';
  if (row.direction === null) return 'faint';
  return row.direction;
}

/** Whether the name of a row is a text of the server, which is read as a whole: it can be wrapped. */
export const canWrap = ({ kind }: TraceRow): boolean => kind === 'stderr' || kind === 'noise';

/** Whether the row is not a valid message of its channel. */
export const isInvalid = ({ kind, status }: TraceRow): boolean =>
  kind === 'invalid' || kind === 'noise' || status === 'invalid';

export const isResponse = ({ kind }: TraceRow): boolean => kind === 'result' || kind === 'error';

/** Whether an HTTP exchange carried the row. */
export const isCarried = (row: TraceRow): row is TraceRow & { readonly exchange: number } =>
  row.exchange !== null && row.exchange !== row.row;

/** How the response that carried a message, or the response of an exchange, came; null for all else. */
export function responseModeOf({ kind, direction, channel, responseMode }: TraceRow): ResponseMode | null {
  if (kind === 'http') return responseMode;
  if (direction !== 'in') return null;
  return channel === 'sse' ? 'sse' : channel === 'http' ? 'json' : null;
}

/** What is folded into a row, such as `42 keepalives · 10 min`. */
export function foldLabel({ at }: Pick<TraceRow, 'at'>, fold: Fold): string {
  const { keepalives, streamEvents, phases, until } = fold;
  const minutes = Math.round((until - at) / 60_000_000);
  const lasted = minutes >= 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${minutes} min`;
  return [
    keepalives > 0 && formatQuantity(keepalives, 'keepalive'),
    streamEvents > 0 && formatQuantity(streamEvents, 'stream event'),
    phases > 0 && formatQuantity(phases, 'phase'),
    minutes > 0 && lasted.replace(' 0 min', ''),
  ]
    .filter(Boolean)
    .join(' · ');
}

export const responseModeLabels: Readonly<Record<ResponseMode, Label>> = {
  json: { text: 'JSON', tone: 'mute', hint: 'The response is one JSON body' },
  sse: { text: 'SSE', tone: 'mute', hint: 'The response is an event stream' },
};

/** Labels of rows without a method. */
export const kindLabels: Readonly<Record<RowKind, Label>> = {
  request: { text: 'request', tone: 'plain' },
  notification: { text: 'notification', tone: 'plain' },
  result: { text: 'response', tone: 'plain' },
  error: { text: 'response', tone: 'err' },
  invalid: { text: 'invalid message', tone: 'warn' },
  noise: { text: 'noise', tone: 'warn' },
  http: { text: 'HTTP', tone: 'mute' },
  body: { text: 'body', tone: 'mute', hint: 'A body that is not an MCP message' },
  sse: { text: 'stream', tone: 'mute', hint: 'Event stream data other than messages' },
  stderr: { text: 'stderr', tone: 'mute' },
  process: { text: 'process', tone: 'mute' },
  phase: { text: 'phase', tone: 'mute' },
  switches: { text: 'switches', tone: 'warn' },
  authorization: { text: 'authorization', tone: 'mute' },
  definitions: { text: 'definitions', tone: 'warn' },
  'held-back': { text: 'not listed', tone: 'warn', hint: 'The rest of a batch too large to be listed' },
};

const noiseLabels: Readonly<Record<NoiseReason, string>> = {
  'not-json': 'not JSON',
  'half-json': 'half JSON',
  'several-values': 'several messages',
  'not-utf8': 'invalid UTF-8',
  blank: 'blank',
  'too-large': 'too large to read',
};

/** Common mistakes on the server's standard output, which have names of their own. */
const stdoutNoiseLabels: Partial<Record<NoiseReason, string>> = {
  'not-json': 'stdout noise',
  blank: 'blank line',
};

/** Event stream data other than messages, by how the summary of the row begins. */
const streamLabels: readonly (readonly [start: string, word: string])[] = [
  [':', 'comment'],
  ['id', 'event id'],
  ['retry', 'retry'],
  ['event', 'event'],
  ['blank line', 'blank line'],
];

const statusLabels: Readonly<Record<RowStatus, Label>> = {
  none: { text: '', tone: 'plain' },
  pending: { text: 'waiting', tone: 'warn', hint: 'No response yet' },
  ok: { text: 'ok', tone: 'in' },
  error: { text: 'error', tone: 'err' },
  'tool-error': { text: 'tool error', tone: 'warn', hint: 'The tool says it failed: isError is true' },
  cancelled: { text: 'cancelled', tone: 'mute' },
  unanswered: { text: 'no response', tone: 'warn', hint: 'The session ended before the response arrived' },
  late: { text: 'late', tone: 'warn', hint: 'It arrived after its request was cancelled' },
  orphan: { text: 'unmatched', tone: 'warn', hint: 'It matches no open request' },
  invalid: { text: 'invalid', tone: 'warn' },
  receiving: { text: 'receiving', tone: 'mute', hint: 'It is still arriving' },
  failed: { text: 'failed', tone: 'err' },
  'input-required': {
    text: 'needs input',
    tone: 'warn',
    hint: 'The call continues once its questions are answered',
  },
};

const noiseLabel = ({ exchange }: TraceRow, noise: NoiseReason): string =>
  (exchange === null ? stdoutNoiseLabels[noise] : undefined) ?? noiseLabels[noise];

const streamLabel = (summary: string): string | undefined =>
  streamLabels.find(([start]) => summary.startsWith(start))?.[1];

/** Exchanges that did not simply complete. */
const exchangeLabels: Partial<Record<RowStatus, Label>> = {
  pending: { text: 'waiting', tone: 'mute', hint: 'No response yet' },
  cancelled: { text: 'dropped', tone: 'mute', hint: 'Aborted by Sightglass' },
  unanswered: { text: 'no end', tone: 'warn', hint: 'The session ended before the exchange did' },
  failed: { text: 'failed', tone: 'err', hint: 'The HTTP tab says at which step it failed' },
};

function httpStatusLabel({ status, code }: Pick<TraceRow, 'status' | 'code'>): Label {
  const label = exchangeLabels[status];
  if (code === null) return label ?? statusLabels[status];
  const name = `${code} ${statusName(code)}`;
  if (status === 'failed')
    return { text: `${code} cut`, tone: 'err', hint: `${name}, but its body was cut off` };
  if (label !== undefined) return { ...label, hint: `${name}. ${label.hint}` };
  const tone = statusTone(code);
  if (status !== 'receiving') return { text: String(code), tone, hint: name };
  return { text: `${code} open`, tone, hint: `${name}. Its body is still arriving` };
}

const badStatuses: ReadonlySet<RowStatus> = new Set(['error', 'failed']);

const warningStatuses: ReadonlySet<RowStatus> = new Set([
  'pending',
  'unanswered',
  'tool-error',
  'input-required',
]);

const isErrorStatus = (status: number): boolean => status >= 400;
