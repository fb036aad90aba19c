import { messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { HttpFailure, HttpStep } from '#shared/trace/record.ts';

/** The failure of an exchange in a step before its request was sent. */
export class StepError extends Error {
  readonly failure: HttpFailure;
  /** The bytes received in place of the expected ones. */
  readonly rejected: Buffer;

  constructor(failure: HttpFailure, rejected: Buffer = Buffer.alloc(0)) {
    super(failure.message);
    this.name = 'StepError';
    this.failure = failure;
    this.rejected = rejected;
  }
}

/** A system or library error as the failure of a step. */
export const failureIn = (step: HttpStep, error: unknown): HttpFailure => ({
  step,
  code: systemCodeOf(error) ?? (error instanceof Error ? error.name : 'unknown'),
  message: fullMessage(error),
});

/** Why no response head was received. */
export function noResponseFailure(error: unknown, isSent: boolean, received: Buffer): HttpFailure {
  if (error instanceof StepError) return error.failure;
  const code = systemCodeOf(error) ?? '';
  // A server may refuse our certificate only after the handshake is done for us (RFC 8446 section 4.4.2).
  if (isOfTls.test(code)) return failureIn('tls', error);
  if (looksLikeTls(received)) {
    return { step: 'response', code: 'TLS_ANSWER', message: 'the server answered with TLS, not with HTTP' };
  }
  if (!isSent && received.length === 0) return failureIn('request', error);
  if (!isClosed(error)) return failureIn('response', error);
  const message =
    received.length === 0
      ? 'the server closed the connection before it answered'
      : 'the server closed the connection inside the head of its response';
  return { step: 'response', code, message };
}

/** Why the body of a response is incomplete. */
export function bodyFailure(error: unknown): HttpFailure {
  const failure = failureIn('body', error ?? 'it ended before its end');
  return isClosed(error) || error === undefined
    ? { ...failure, code: 'ECONNRESET', message: 'the server closed the connection inside the body' }
    : failure;
}

/** The bytes that Node's HTTP parser rejected. */
export function rejectedBytes(error: Error): Buffer {
  const packet = 'rawPacket' in error ? error.rawPacket : null;
  const parsed = 'bytesParsed' in error && typeof error.bytesParsed === 'number' ? error.bytesParsed : 0;
  return Buffer.isBuffer(packet) ? packet.subarray(parsed) : Buffer.alloc(0);
}

const isOfTls = /^(ERR_SSL_|EPROTO$)/;

/** An alert or a handshake of TLS (RFC 8446 section 5.1). */
const looksLikeTls = (bytes: Buffer): boolean =>
  (bytes[0] === 0x15 || bytes[0] === 0x16) && bytes[1] === 0x03;

/** Node's messages for a connection that was closed cleanly, but too early. */
const isClosed = (error: unknown): boolean =>
  systemCodeOf(error) === 'ECONNRESET' && /^(socket hang up|aborted)$/.test(messageOf(error));

/** The errors of all addresses if several failed: the aggregate error itself says nothing. */
function fullMessage(error: unknown): string {
  return error instanceof AggregateError && error.errors.length > 0
    ? error.errors.map(messageOf).join('; ')
    : messageOf(error);
}
