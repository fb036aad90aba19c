import { errorCodeName } from '#shared/protocol/jsonrpc.ts';
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
  noise: { text: 'noise', tone: 'warn' },
  http: { text: 'HTTP', tone: 'mute' },
  body: { text: 'body', tone: 'mute', hint: 'A body that is no MCP message' },
  sse: { text: 'stream', tone: 'mute', hint: 'What the event stream carried beside messages' },
  stderr: { text: 'stderr', tone: 'mute' },
  process: { text: 'process', tone: 'mute' },
  phase: { text: 'phase', tone: 'mute' },
  switches: { text: 'switches', tone: 'warn' },
  'held-back': { text: 'not listed', tone: 'warn', hint: 'The rest of a batch too large to be listed' },
};

/** What noise is, in the method column. */
const noiseWords: Readonly<Record<NoiseReason, string>> = {
  'not-json': 'not JSON',
  'half-json': 'half JSON',
  'several-values': 'several messages',
  'not-utf8': 'invalid UTF-8',
  blank: 'blank',
  'too-large': 'too large to read',
};

/** The same where the channel is the server's standard output, which makes it a common mistake with a name. */
const stdoutNoiseWords: Partial<Record<NoiseReason, string>> = {
  'not-json': 'stdout noise',
  blank: 'blank line',
};

/** What a stream carried beside messages, by how the short text of the row begins. */
const streamWords: readonly (readonly [start: string, word: string])[] = [
  [':', 'comment'],
  ['id', 'event id'],
  ['retry', 'retry'],
  ['event', 'event'],
  ['blank line', 'blank line'],
];

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
  'input-required': {
    text: 'needs input',
    tone: 'warn',
    hint: 'The call goes on when its questions are answered',
  },
};

/** What stands in the method column. */
export function methodWords(row: TraceRow): Words {
  const words = kindWords[row.kind];
  const tone = badStatuses.has(row.status) ? 'err' : words.tone;
  if (row.noise !== null) return { ...words, text: noiseText(row, row.noise) };
  if (row.kind === 'sse') return { ...words, tone, text: streamWord(row.summary) ?? words.text };
  if (row.method === null) return { ...words, tone };
  if (isAnswer(row)) return { ...words, tone, hint: `answers ${row.method}` };
  return { text: row.method, tone };
}

const noiseText = ({ exchange }: TraceRow, noise: NoiseReason): string =>
  (exchange === null ? stdoutNoiseWords[noise] : undefined) ?? noiseWords[noise];

const streamWord = (summary: string): string | undefined =>
  streamWords.find(([start]) => summary.startsWith(start))?.[1];

/** What stands in the status column: a word, the JSON-RPC error code or the HTTP status. */
export function statusOf(row: TraceRow): Words {
  const { status, code } = row;
  if (row.kind === 'http') return httpStatusOf(row);
  const words = statusWords[status];
  if (status !== 'error' || code === null) return words;
  return { ...words, text: String(code), hint: errorCodeName(code) };
}

/** How exchanges stand that did not simply end. */
const openExchangeWords: Partial<Record<RowStatus, Words>> = {
  pending: { text: 'waiting', tone: 'mute', hint: 'No response yet' },
  cancelled: { text: 'dropped', tone: 'mute', hint: 'Sightglass broke it off' },
  unanswered: { text: 'no end', tone: 'warn', hint: 'The session ended before the exchange did' },
  failed: { text: 'failed', tone: 'err', hint: 'The HTTP tab says at which step it failed' },
};

function httpStatusOf({ status, code }: TraceRow): Words {
  const words = openExchangeWords[status];
  if (code === null) return words ?? statusWords[status];
  const name = `${code} ${statusName(code)}`;
  if (status === 'failed')
    return { text: `${code} cut`, tone: 'err', hint: `${name}, but its body broke off` };
  if (words !== undefined) return { ...words, hint: `${name}. ${words.hint}` };
  const tone = statusTone(code);
  if (status !== 'receiving') return { text: String(code), tone, hint: name };
  return { text: `${code} open`, tone, hint: `${name}. Its body is still arriving` };
}

/** The colour of an HTTP status. */
export function statusTone(code: number): Tone {
  if (isErrorStatus(code)) return 'err';
  return code >= 200 && code < 300 ? 'in' : 'plain';
}

/** Whether the row is not what its channel carries. */
export const isInvalid = ({ kind, status }: TraceRow): boolean =>
  kind === 'invalid' || kind === 'noise' || status === 'invalid';

const badStatuses: ReadonlySet<RowStatus> = new Set(['error', 'failed']);

const warningStatuses: ReadonlySet<RowStatus> = new Set([
  'pending',
  'unanswered',
  'tool-error',
  'input-required',
]);

/** The colour of the row's bar. */
export function barTone(row: TraceRow): Tone {
  if (badStatuses.has(row.status)) return 'err';
  // Beside the bars of the messages it carried, that of an exchange is but the frame around them.
  if (row.kind === 'http') return 'faint';
  if (isInvalid(row) || warningStatuses.has(row.status)) return 'warn';
  if (row.direction === null) return 'faint';
  return row.direction;
}

export const isAnswer = ({ kind }: TraceRow): boolean => kind === 'result' || kind === 'error';

/** Whether an HTTP exchange carried it. */
export const isCarried = (row: TraceRow): row is TraceRow & { readonly exchange: number } =>
  row.exchange !== null && row.exchange !== row.row;

/** What HTTP status codes are called (RFC 9110 section 15, RFC 6585, RFC 8297); the ones an MCP server may meet. */
const names: Readonly<Record<number, string>> = {
  100: 'Continue',
  101: 'Switching Protocols',
  102: 'Processing',
  103: 'Early Hints',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  206: 'Partial Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  511: 'Network Authentication Required',
};

/** What the first digit says (RFC 9110 section 15), for codes of no known name. */
const classNames = ['', 'Informational', 'Successful', 'Redirection', 'Client Error', 'Server Error'];

/** What a status code means, such as `Not Found`, whatever words the server sent with it. */
export const statusName = (status: number): string =>
  names[status] ?? (classNames[Math.floor(status / 100)] || 'Unknown status');

const isErrorStatus = (status: number): boolean => status >= 400;

/** The class of a text of each tone. */
export const toneClasses: Readonly<Record<Tone, string>> = {
  plain: 'text-text',
  mute: 'text-mute',
  faint: 'text-faint',
  in: 'text-in',
  out: 'text-out',
  warn: 'text-warn',
  err: 'text-err',
};
