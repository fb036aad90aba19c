import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Fault } from '#shared/contract/fault.ts';
import { withTimeout } from '#transports/async.ts';
import { explainHttpFailure } from '#transports/http-fault-explanations.ts';
import type { ConnectLog } from './connect-log.ts';
import type { ConnectTarget } from './diagnose.ts';

/** Milliseconds for a TLS handshake. */
const TIME_LIMIT = 2000;

/**
 * Finds out whether a server closed the connection without a response to plain HTTP because it speaks TLS, as many do.
 * Tries a TLS handshake on a second connection, on which nothing else is sent. Returns the better fault, or the given one.
 */
export async function withTlsProbe(fault: Fault, target: ConnectTarget, log: ConnectLog): Promise<Fault> {
  const last = log.exchanges.at(-1);
  if (target.kind !== 'http' || last === undefined || log.speaksTls) return fault;
  const { failure, connected } = last;
  const url = new URL(target.url);
  const wasClosed = failure?.step === 'response' && failure.code === 'ECONNRESET';
  if (!wasClosed || url.protocol !== 'http:' || connected?.proxy !== undefined) return fault;
  if (!(await speaksTls(url))) return fault;
  log.speaksTls = true;
  const message = 'the server closed the connection, and speaks TLS on another one';
  return explainHttpFailure({ ...failure, code: 'TLS_ANSWER', message }, { url, proxy: null });
}

async function speaksTls({ hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({
    host,
    port: Number(port || 80),
    servername: isIP(host) === 0 ? host : '',
    // No request is sent, so it does not matter whether the server is the right one.
    rejectUnauthorized: false,
  });
  const outcome = new Promise<boolean>((resolve) => {
    socket.once('secureConnect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
  const isTls = await withTimeout(TIME_LIMIT, outcome);
  socket.destroy();
  return isTls ?? false;
}
