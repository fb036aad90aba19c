import type { Handlers } from '#shared/contract/index.ts';
import type { RecordedHandlers } from '#trace/opened/recorded-session.ts';
import type { Sessions } from './sessions.ts';
import { SchemaValidator } from './validator.ts';

type SessionCommand = Extract<
  keyof Handlers,
  `${'sessions' | 'catalog' | 'calls' | 'inbox' | 'tasks' | 'subscriptions'}/${string}`
>;

/** @param recordedOf the handlers of the session in an opened trace; undefined if there is none with this id */
export function sessionHandlers(
  sessions: Sessions,
  recordedOf: (sessionId: string) => RecordedHandlers | undefined,
): Pick<Handlers, SessionCommand> {
  const validator = new SchemaValidator();
  /** The features of the server, to read in any phase. */
  const known = (sessionId: string) => sessions.get(sessionId).features;
  /** The same to send something. @throws FaultError if the session is not ready */
  const ready = (sessionId: string) => sessions.get(sessionId).requireReady();
  const manual = (sessionId: string) => sessions.get(sessionId).manual;
  return {
    'sessions/list': () => sessions.views(),
    'sessions/open': ({ serverId, ...options }) => sessions.open(serverId, options),
    'sessions/diagnose': ({ sessionId }) => sessions.get(sessionId).diagnose(),
    'sessions/command': ({ sessionId }) => sessions.get(sessionId).command,
    'sessions/close': async ({ sessionId }) => {
      await sessions.get(sessionId).close();
      return null;
    },
    'sessions/ping': async ({ sessionId }) => ({ duration: await manual(sessionId).ping() }),
    'sessions/set-log-level': async ({ sessionId, level }) => {
      await known(sessionId).logLevel.set(level);
      return null;
    },
    'sessions/send': ({ sessionId, bytes, headers }) => {
      const unit = bytes.as === 'text' ? Buffer.from(bytes.text) : Buffer.from(bytes.base64, 'base64');
      return { row: manual(sessionId).sendRaw(unit, headers) };
    },
    'sessions/drop-stream': ({ sessionId, exchange }) => {
      manual(sessionId).dropStream(exchange);
      return null;
    },
    'sessions/resume-stream': ({ sessionId, lastEventId }) => ({
      row: manual(sessionId).resumeStream(lastEventId),
    }),
    'sessions/switches': ({ serverId }) => sessions.switchesOf(serverId),
    'sessions/set-switches': ({ serverId, switches }) => sessions.setSwitches(serverId, switches),

    'catalog/tools': (params) =>
      recordedOf(params.sessionId)?.['catalog/tools'](params) ?? known(params.sessionId).tools,
    'catalog/resources': (params) =>
      recordedOf(params.sessionId)?.['catalog/resources'](params) ?? known(params.sessionId).resources,
    'catalog/templates': (params) =>
      recordedOf(params.sessionId)?.['catalog/templates'](params) ?? known(params.sessionId).templates,
    'catalog/prompts': (params) =>
      recordedOf(params.sessionId)?.['catalog/prompts'](params) ?? known(params.sessionId).prompts,
    'catalog/refresh': async ({ sessionId, list }) => {
      await ready(sessionId).catalog.read(list, 'user');
      return null;
    },

    'calls/validate': ({ schema, value }) => validator.validateText(schema, value),
    'calls/list': (params) =>
      recordedOf(params.sessionId)?.['calls/list'](params) ?? known(params.sessionId).calls.list(),
    'calls/start': ({ sessionId, tool, arguments: args, ...options }) =>
      ready(sessionId).calls.startTool(tool, args, options),
    'calls/request': ({ sessionId, method, params, ...options }) =>
      ready(sessionId).calls.startRequest(method, params, options),
    'calls/cancel': ({ sessionId, callId, reason }) => {
      known(sessionId).calls.cancel(callId, reason);
      return null;
    },
    'calls/result': (params) =>
      recordedOf(params.sessionId)?.['calls/result'](params) ??
      known(params.sessionId).calls.result(params.callId, params.from ?? 0),

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

    'subscriptions/list': (params) =>
      recordedOf(params.sessionId)?.['subscriptions/list'](params) ??
      known(params.sessionId).subscriptions.list(),
    'subscriptions/subscribe': ({ sessionId, uri }) => ready(sessionId).subscriptions.subscribe(uri),
    'subscriptions/listen': ({ sessionId, filter }) => ready(sessionId).subscriptions.listen(filter),
    'subscriptions/end': async ({ sessionId, id }) => {
      await ready(sessionId).subscriptions.end(id);
      return null;
    },
  };
}
