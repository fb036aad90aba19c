/** Reading and naming JSON-RPC 2.0 messages. Nothing here throws: a peer that lies is an ordinary case. */

/**
 * A request id as sent: `1` and `"1"` are different ids (JSON-RPC 2.0 section 4). An integer that a number
 * cannot hold exactly is a bigint.
 */
export type Id = string | number | bigint;

/** An id as it stands in JSON. */
export const idText = (id: Id): string => (typeof id === 'bigint' ? String(id) : JSON.stringify(id));

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Message =
  | { readonly type: 'request'; readonly id: Id; readonly method: string; readonly params: unknown }
  | { readonly type: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly type: 'result'; readonly id: Id; readonly result: unknown }
  | { readonly type: 'error'; readonly id: Id | null; readonly error: RpcError };

/** Why a JSON value is not a message. */
export type EnvelopeDefect =
  | 'not-object'
  | 'wrong-version'
  | 'bad-id'
  | 'bad-method'
  | 'bad-params'
  | 'result-and-error'
  | 'bad-error'
  | 'no-method-no-answer'
  | 'empty-batch'
  | 'unreadable';

/** One sentence per defect, for the table and the detail. */
export const envelopeDefects: Readonly<Record<EnvelopeDefect, string>> = {
  'not-object': 'JSON, but neither an object nor a batch',
  'wrong-version': '"jsonrpc" is not exactly "2.0"',
  'bad-id': '"id" is neither a string nor an integer',
  'bad-method': '"method" is not a string',
  'bad-params': '"params" is not an object',
  'result-and-error': 'both "result" and "error"',
  'bad-error': '"error" lacks an integer "code" or a "message"',
  'no-method-no-answer': 'neither "method" nor "result" nor "error"',
  'empty-batch': 'an empty batch',
  unreadable: 'it cannot be read',
};

export type Envelope =
  | {
      readonly message: Message;
      /** Names of members that JSON-RPC does not define for it, the first few; left out when there are none. */
      readonly extra?: readonly string[];
    }
  | {
      readonly defect: EnvelopeDefect;
      readonly salvage: Salvage;
      /** What is wrong, if the defect does not say it, as the end of a sentence. */
      readonly why?: string;
    };

/** What could still be read from an invalid message, so that its row can name it. */
interface Salvage {
  readonly id: Id | null;
  readonly method: string | null;
  /** Whether it has a `method` of any type, so that it is not a response. */
  readonly asks: boolean;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isId = (value: unknown): value is string | number =>
  typeof value === 'string' || Number.isInteger(value);

/**
 * The messages of one parsed unit: one, or several when it is a batch (MCP 2025-03-26 basic, batching).
 *
 * @param most of a batch no more than so many are read
 */
export function readEnvelopes(value: unknown, most = Number.POSITIVE_INFINITY): Envelope[] {
  if (!Array.isArray(value)) return [readEnvelope(value)];
  if (value.length === 0) return [defective('empty-batch', {})];
  return value.slice(0, most).map(readEnvelope);
}

/** Names of extra members that are kept of one message. */
export const MAX_EXTRA = 5;

function readEnvelope(value: unknown): Envelope {
  if (!isObject(value)) return defective('not-object', {});
  const envelope = readMessage(value);
  if ('defect' in envelope) return envelope;
  const extra = extraMembers(value, envelope.message);
  return extra === null ? envelope : { ...envelope, extra };
}

/** A member of a request in a response, or of a response in a request, is extra too. */
function extraMembers(value: Record<string, unknown>, { type }: Message): string[] | null {
  let extra: string[] | null = null;
  for (const key in value) {
    if (key === 'jsonrpc' || membersOf[type].has(key)) continue;
    extra ??= [];
    if (extra.push(key) === MAX_EXTRA) break;
  }
  return extra;
}

const membersOf: Readonly<Record<Message['type'], ReadonlySet<string>>> = {
  request: new Set(['id', 'method', 'params']),
  notification: new Set(['method', 'params']),
  result: new Set(['id', 'result']),
  error: new Set(['id', 'error']),
};

function readMessage(value: Record<string, unknown>): Envelope {
  if (value.jsonrpc !== '2.0') return defective('wrong-version', value);
  const hasId = Object.hasOwn(value, 'id');
  if (Object.hasOwn(value, 'method')) {
    const { id, method, params } = value;
    if (typeof method !== 'string') return defective('bad-method', value);
    if (params !== undefined && !isObject(params)) return defective('bad-params', value);
    if (!hasId) return { message: { type: 'notification', method, params } };
    if (!isId(id)) return defective('bad-id', value);
    return { message: { type: 'request', id, method, params } };
  }
  const hasResult = Object.hasOwn(value, 'result');
  const hasError = Object.hasOwn(value, 'error');
  if (hasResult && hasError) return defective('result-and-error', value);
  if (hasError) {
    const { id, error } = value;
    if (!isRpcError(error)) return defective('bad-error', value);
    if (hasId && id !== null && !isId(id)) return defective('bad-id', value);
    return { message: { type: 'error', id: isId(id) ? id : null, error } };
  }
  if (hasResult) {
    if (!isId(value.id)) return defective('bad-id', value);
    return { message: { type: 'result', id: value.id, result: value.result } };
  }
  return defective('no-method-no-answer', value);
}

/** A copy of the message with this id. */
export function withId(envelope: Envelope, id: Id): Envelope {
  if ('defect' in envelope) return { ...envelope, salvage: { ...envelope.salvage, id } };
  const { message } = envelope;
  return message.type === 'notification' ? envelope : { ...envelope, message: { ...message, id } };
}

/** The id of a message, or what was made out of it. */
export function idOf(envelope: Envelope): Id | null {
  if ('defect' in envelope) return envelope.salvage.id;
  return envelope.message.type === 'notification' ? null : envelope.message.id;
}

function defective(defect: EnvelopeDefect, value: Record<string, unknown>): Envelope {
  return {
    defect,
    salvage: {
      id: isId(value.id) ? value.id : null,
      method: typeof value.method === 'string' ? value.method : null,
      asks: Object.hasOwn(value, 'method'),
    },
  };
}

/** Whether this is the error object of an answer (JSON-RPC 2.0 section 5.1). */
export function isRpcError(value: unknown): value is RpcError & Record<string, unknown> {
  return isObject(value) && Number.isInteger(value.code) && typeof value.message === 'string';
}

/** What a request or notification is about: the tool, prompt or resource it names, or null. */
export function subjectOf(method: string, params: unknown): string | null {
  if (!isObject(params)) return null;
  const field = subjectFields.get(method);
  if (field === undefined) return null;
  const value = params[field];
  return typeof value === 'string' ? value : null;
}

/** The member of the params that names what a message is about; undefined if there is none. */
export const subjectField = (method: string): string | undefined => subjectFields.get(method);

// A map, because a method may be named after a member that every object has.
const subjectFields: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['resources/subscribe', 'uri'],
  ['resources/unsubscribe', 'uri'],
  ['notifications/resources/updated', 'uri'],
  ['logging/setLevel', 'level'],
]);

/** The progress token a request asked to be told about, if any (MCP progress). */
export function progressTokenOf(params: unknown): Id | null {
  if (!isObject(params) || !isObject(params._meta)) return null;
  const token = params._meta.progressToken;
  return isId(token) ? token : null;
}

/** Names of the error codes that JSON-RPC and the revisions of MCP define. */
const names: Readonly<Record<number, string>> = {
  [-32700]: 'Parse error',
  [-32600]: 'Invalid request',
  [-32601]: 'Method not found',
  [-32602]: 'Invalid params',
  [-32603]: 'Internal error',
  [-32002]: 'Resource not found',
  [-32042]: 'URL elicitation required',
  [-32020]: 'Header mismatch',
  [-32021]: 'Missing required client capability',
  [-32022]: 'Unsupported protocol version',
  [-1]: 'Rejected by the user',
};

export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  urlElicitationRequired: -32042,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

/**
 * What a code means, such as `Method not found`. Of the rest JSON-RPC leaves -32000 to -32099 to servers and keeps
 * -32768 to -32100 (JSON-RPC 2.0 section 5.1); any other is the application's own.
 */
export function errorCodeName(code: number): string {
  const name = names[code];
  if (name !== undefined) return name;
  if (code <= -32000 && code >= -32099) return 'Server error';
  return code < -32099 && code >= -32768 ? 'Reserved by JSON-RPC' : 'Defined by the application';
}
