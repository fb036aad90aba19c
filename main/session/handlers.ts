import type { Handlers } from '#shared/contract/index.ts';
import type { Sessions } from './sessions.ts';
import { callOptions } from './calls/call-options.ts';

type SessionCommand = Extract<
  keyof Handlers,
  `${'sessions' | 'catalog' | 'calls' | 'inbox' | 'tasks' | 'subscriptions'}/${string}`
>;

export function sessionHandlers(sessions: Sessions): Pick<Handlers, SessionCommand> {
  /** What a session knows of the server's features, in whatever phase. */
  const known = (sessionId: string) => sessions.get(sessionId).features;
  /** The same to send something; refuses when the session is not ready. */
  const ready = (sessionId: string) => sessions.get(sessionId).ready;
  const byHand = (sessionId: string) => sessions.get(sessionId).byHand;
  return {
    'sessions/list': () => sessions.views(),
    'sessions/open': ({ serverId, ...options }) => sessions.open(serverId, options),
    'sessions/close': async ({ sessionId }) => {
      await sessions.get(sessionId).close();
      return null;
    },
    'sessions/ping': async ({ sessionId }) => ({ duration: await byHand(sessionId).ping() }),
    'sessions/set-log-level': async ({ sessionId, level }) => {
      await byHand(sessionId).setLogLevel(level);
      return null;
    },
    'sessions/send': ({ sessionId, bytes, headers }) => {
      const unit = bytes.as === 'text' ? Buffer.from(bytes.text) : Buffer.from(bytes.base64, 'base64');
      return { row: byHand(sessionId).sendRaw(unit, headers) };
    },
    'sessions/drop-stream': ({ sessionId, exchange }) => {
      byHand(sessionId).dropStream(exchange);
      return null;
    },
    'sessions/resume-stream': ({ sessionId, lastEventId }) => ({
      row: byHand(sessionId).resumeStream(lastEventId),
    }),
    'sessions/switches': ({ serverId }) => sessions.switchesOf(serverId),
    'sessions/set-switches': ({ serverId, switches }) => sessions.setSwitches(serverId, switches),

    'catalog/tools': ({ sessionId }) => known(sessionId).tools,
    'catalog/resources': ({ sessionId }) => known(sessionId).resources,
    'catalog/templates': ({ sessionId }) => known(sessionId).templates,
    'catalog/prompts': ({ sessionId }) => known(sessionId).prompts,
    'catalog/refresh': async ({ sessionId, list }) => {
      await ready(sessionId).catalog.read(list, 'user');
      return null;
    },

    'calls/list': ({ sessionId }) => known(sessionId).calls.list(),
    'calls/start': ({ sessionId, tool, arguments: args, ...options }) => {
      const { timeouts } = sessions.get(sessionId);
      return ready(sessionId).calls.startTool(tool, args, callOptions(options, timeouts));
    },
    'calls/request': ({ sessionId, method, params, ...options }) => {
      const { timeouts } = sessions.get(sessionId);
      return ready(sessionId).calls.startRequest(method, params, callOptions(options, timeouts));
    },
    'calls/cancel': ({ sessionId, callId, reason }) => {
      known(sessionId).calls.cancel(callId, reason);
      return null;
    },
    'calls/result': ({ sessionId, callId, from }) => known(sessionId).calls.result(callId, from ?? 0),

    'inbox/list': ({ sessionId }) => known(sessionId).inbox.list(),
    'inbox/answer': ({ sessionId, entryId, answer }) => {
      known(sessionId).inbox.answer(entryId, answer);
      return null;
    },

    'tasks/known': ({ sessionId }) => known(sessionId).tasks.list(),
    'tasks/refresh': async ({ sessionId }) => {
      await ready(sessionId).tasks.refresh();
      return null;
    },
    'tasks/follow': ({ sessionId, taskId }) => ready(sessionId).tasks.follow(taskId),
    'tasks/cancel': async ({ sessionId, taskId }) => {
      await ready(sessionId).tasks.cancel(taskId);
      return null;
    },
    'tasks/result': ({ sessionId, taskId }) => known(sessionId).tasks.result(taskId),

    'subscriptions/list': ({ sessionId }) => known(sessionId).subscriptions.list(),
    'subscriptions/subscribe': ({ sessionId, uri }) => ready(sessionId).subscriptions.subscribe(uri),
    'subscriptions/listen': ({ sessionId, filter }) => ready(sessionId).subscriptions.listen(filter),
    'subscriptions/end': async ({ sessionId, id }) => {
      await ready(sessionId).subscriptions.end(id);
      return null;
    },
  };
}
