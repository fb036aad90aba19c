import type { Handlers } from '#shared/contract/index.ts';
import type { Sessions } from './sessions.ts';

type SessionCommand = Extract<keyof Handlers, `${'sessions' | 'catalog' | 'calls'}/${string}`>;

export function sessionHandlers(sessions: Sessions): Pick<Handlers, SessionCommand> {
  return {
    'sessions/list': () => sessions.views(),
    'sessions/open': ({ serverId, ...wishes }) => sessions.open(serverId, wishes),
    'sessions/close': async ({ sessionId }) => {
      await sessions.get(sessionId).close();
      return null;
    },
    'sessions/ping': async ({ sessionId }) => ({ duration: await sessions.get(sessionId).ping() }),
    'sessions/send': ({ sessionId, bytes, headers }) => {
      const unit = bytes.as === 'text' ? Buffer.from(bytes.text) : Buffer.from(bytes.base64, 'base64');
      return { row: sessions.get(sessionId).sendRaw(unit, headers) };
    },
    'sessions/drop-stream': ({ sessionId, exchange }) => {
      sessions.get(sessionId).dropStream(exchange);
      return null;
    },
    'sessions/resume-stream': ({ sessionId, lastEventId }) => ({
      row: sessions.get(sessionId).resumeStream(lastEventId),
    }),
    'sessions/switches': ({ serverId }) => sessions.switchesOf(serverId),
    'sessions/set-switches': ({ serverId, switches }) => sessions.setSwitches(serverId, switches),
    'catalog/tools': ({ sessionId }) => sessions.get(sessionId).tools,
    'catalog/refresh-tools': async ({ sessionId }) => {
      await sessions.get(sessionId).refreshTools();
      return null;
    },
    'calls/list': ({ sessionId }) => sessions.get(sessionId).calls.list(),
    'calls/start': ({ sessionId, tool, arguments: args, timeout, maxTimeout, resetOnProgress }) =>
      sessions.get(sessionId).callTool(tool, args, {
        timeout,
        maxTimeout: maxTimeout ?? null,
        resetOnProgress: resetOnProgress ?? true,
      }),
    'calls/cancel': ({ sessionId, callId, reason }) => {
      sessions.get(sessionId).calls.cancel(callId, reason);
      return null;
    },
    'calls/result': ({ sessionId, callId, from }) => sessions.get(sessionId).calls.result(callId, from ?? 0),
  };
}
