import type { Fault } from '#shared/contract/fault.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** What a fault means to a program that runs us. */
export const exitCodeOf = ({ code }: Fault): ExitCode => exitCodesOfFaults[code] ?? exitCodes.findings;

/** Every other fault is the server's. */
const exitCodesOfFaults: Readonly<Record<string, ExitCode>> = {
  'bad-arguments': exitCodes.usage,
  'trace-exists': exitCodes.usage,
  'no-trace': exitCodes.usage,
  'trace-not-found': exitCodes.usage,
  'trace-not-permitted': exitCodes.usage,
  'trace-header-damaged': exitCodes.usage,
  'trace-too-new': exitCodes.usage,
  'bad-filter': exitCodes.usage,
  'bad-pattern': exitCodes.usage,
  'pattern-too-slow': exitCodes.usage,
  'no-exchanges': exitCodes.usage,
  'export-exists': exitCodes.usage,
  'export-not-written': exitCodes.notConnected,
  'trace-not-created': exitCodes.notConnected,
  'launch-refused': exitCodes.notConnected,
  'data-folder-not-made': exitCodes.notConnected,
  'data-folder-not-yours': exitCodes.notConnected,
  // Without a handshake the first request is the first to find that there is no server.
  'http-lookup': exitCodes.notConnected,
  'http-connect': exitCodes.notConnected,
  'http-proxy': exitCodes.notConnected,
  'http-tls': exitCodes.notConnected,
  'bad-params': exitCodes.internal,
  'unknown-command': exitCodes.internal,
  internal: exitCodes.internal,
};
