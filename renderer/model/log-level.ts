import { call } from '#bridge';
import type { Agreement } from '#shared/contract/sessions.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { SessionStatus } from './sessions.ts';
import { useAction } from './use-query.ts';

/** The minimum severity of log messages requested from a server, and how it is set. */
export interface LogLevelSetting {
  /** Null if none is set. */
  readonly level: string | null;
  /** Whether each request carries the level, as in the modern era, so that it can be unset. */
  readonly isPerRequest: boolean;
  /** Whether the server declared that it logs, or needs not. */
  readonly isOffered: boolean;
  readonly set: (level: string | null) => Promise<void>;
  readonly isSetting: boolean;
  /** Why the last change failed. */
  readonly fault: Fault | null;
}

export function useLogLevel(
  { id: sessionId, logLevel }: SessionStatus,
  agreement: Agreement,
): LogLevelSetting {
  const isModern = agreement.era === 'modern';
  const { run, isRunning, fault } = useAction(async (level: string | null) => {
    await call('sessions/set-log-level', { sessionId, level });
  });
  return {
    level: logLevel,
    isPerRequest: isModern,
    isOffered: isModern || agreement.serverCapabilities?.logging !== undefined,
    set: run,
    isSetting: isRunning,
    fault,
  };
}
