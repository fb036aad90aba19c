import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type TraceRecord, traceRecordSchema } from '#shared/trace/record.ts';

type Parsed = Readonly<Record<string, unknown>>;

/**
 * The record of a parsed line; null if it is not a record. Frequent records are tested with
 * manual code, five times faster than the schema; the schema decides about everything else.
 */
export function recordOf(line: unknown): TraceRecord | null {
  if (!isObject(line)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its shape was tested just now
  if (hasUsualShape(line)) return line as TraceRecord;
  return traceRecordSchema.safeParse(line).data ?? null;
}

/** Whether it is a record for sure: everything with this shape passes the schema, but not vice versa. */
export function hasUsualShape(line: Parsed): boolean {
  if (!isCount(line.seq) || !isCount(line.at) || typeof line.kind !== 'string') return false;
  return shapes.get(line.kind)?.(line) ?? false;
}

// A map, because a file of another program may name a kind after a member that every object has.
const shapes: ReadonlyMap<string, (line: Parsed) => boolean> = new Map([
  [
    'unit',
    (line: Parsed) =>
      isDirection(line.direction) &&
      (line.channel === 'stdout' ||
        line.channel === 'stdin' ||
        line.channel === 'http' ||
        line.channel === 'sse') &&
      (line.origin === undefined || isOrigin(line.origin)) &&
      (line.composed === undefined || line.composed === 'sent' || line.composed === 'anyway') &&
      (line.retryOf === undefined || isCount(line.retryOf)) &&
      (line.exchange === undefined || isExchange(line.exchange)) &&
      (line.sse === undefined || isSseEvent(line.sse)) &&
      hasBytes(line),
  ],
  ['chunk', (line) => isCount(line.of) && (line.sse === undefined || isSseEvent(line.sse)) && hasBytes(line)],
  ['stderr', (line) => hasBytes(line)],
  ['http-body', (line) => isExchange(line.exchange) && isDirection(line.direction) && hasBytes(line)],
  [
    'sse',
    (line) =>
      isExchange(line.exchange) && isText(line.id, true) && isNumber(line.retry, true) && hasBytes(line),
  ],
  [
    'http-request',
    (line) =>
      isExchange(line.exchange) &&
      isText(line.method) &&
      isText(line.url) &&
      areHeaders(line.headers) &&
      isCount(line.bodySize) &&
      isOrigin(line.origin) &&
      (line.redirectOf === undefined || isExchange(line.redirectOf)) &&
      line.received === undefined,
  ],
  [
    'http-connected',
    (line) =>
      isExchange(line.exchange) &&
      typeof line.reused === 'boolean' &&
      isText(line.remote) &&
      isText(line.proxy, true) &&
      isObject(line.took) &&
      [line.took.lookup, line.took.connect, line.took.proxy, line.took.tls].every((took) =>
        isNumber(took, true),
      ) &&
      line.tls === undefined,
  ],
  [
    'http-response',
    (line) =>
      isExchange(line.exchange) &&
      Number.isSafeInteger(line.status) &&
      isText(line.reason) &&
      isText(line.httpVersion) &&
      areHeaders(line.headers) &&
      isFlag(line.interim) &&
      line.tornJson === undefined,
  ],
  [
    'http-end',
    (line) =>
      isExchange(line.exchange) &&
      (line.how === 'complete' || line.how === 'cut' || line.how === 'dropped') &&
      isCount(line.size) &&
      line.failure === undefined &&
      (line.trailers === undefined || areHeaders(line.trailers)) &&
      line.alsoInMessages === undefined,
  ],
]);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isExchange = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;
const isFlag = (value: unknown): boolean => value === undefined || value === true;
const isText = (value: unknown, isOptional = false): boolean =>
  typeof value === 'string' || (isOptional && value === undefined);
const isNumber = (value: unknown, isOptional = false): boolean =>
  Number.isFinite(value) || (isOptional && value === undefined);
const isDirection = (value: unknown): boolean => value === 'in' || value === 'out';
const isOrigin = (value: unknown): boolean => value === 'user' || value === 'automatic' || value === 'probe';

const hasBytes = (line: Parsed): boolean =>
  isText(line.text, true) &&
  isText(line.base64, true) &&
  isCount(line.size) &&
  isFlag(line.more) &&
  isFlag(line.cut);

const isSseEvent = (value: unknown): boolean =>
  isObject(value) &&
  isText(value.name, true) &&
  isText(value.id, true) &&
  isNumber(value.retry, true) &&
  (value.unframed === undefined || isExchange(value.unframed)) &&
  Array.isArray(value.frame) &&
  value.frame.every((part) => typeof part === 'string');

const areHeaders = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(
    (line: unknown) =>
      Array.isArray(line) && line.length === 2 && typeof line[0] === 'string' && typeof line[1] === 'string',
  );
