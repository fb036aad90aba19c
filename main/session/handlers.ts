import type { Handlers } from '#shared/contract/index.ts';
import type { Sessions } from './sessions.ts';

type SessionCommand = Extract<keyof Handlers, `${'sessions' | 'catalog' | 'calls'}/${string}`>;

export function sessionHandlers(sessions: Sessions): Pick<Handlers, SessionCommand> {
  return {
    'sessions/list': () => sessions.views(),
    'sessions/open': ({ serverId, approval }) => sessions.open(serverId, approval),
    'sessions/close': async ({ sessionId }) => {
      await sessions.get(sessionId).close();
      return null;
    },
    'sessions/ping': async ({ sessionId }) => ({ duration: await sessions.get(sessionId).ping() }),
    'catalog/tools': ({ sessionId }) => sessions.get(sessionId).tools,
    'catalog/refresh-tools': async ({ sessionId }) => {
      await sessions.get(sessionId).refreshTools();
      return null;
    },
    'calls/list': ({ sessionId }) => sessions.get(sessionId).calls.list(),
    'calls/start': ({ sessionId, tool, arguments: args, timeout }) =>
      sessions.get(sessionId).callTool(tool, args, timeout),
    'calls/cancel': ({ sessionId, callId, reason }) => {
      sessions.get(sessionId).calls.cancel(callId, reason);
      return null;
    },
    'calls/result': ({ sessionId, callId, from }) => sessions.get(sessionId).calls.result(callId, from ?? 0),
  };
}
