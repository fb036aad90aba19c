import { type MustConfirmCode, rowOfRecordedCall } from '#shared/contract/calls.ts';
import type { ToolList } from '#shared/contract/catalog.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Handlers, Params } from '#shared/contract/index.ts';
import { confirmationLevel, type Settings } from '#shared/contract/settings.ts';
import type { RecordedHandlers } from '#trace/opened/recorded-session.ts';
import type { Sessions } from './sessions.ts';
import { SchemaValidator } from './validator.ts';

type SessionCommand = Extract<
  keyof Handlers,
  `${'sessions' | 'catalog' | 'calls' | 'inbox' | 'tasks' | 'subscriptions'}/${string}`
>;

/**
 * @param settings the current settings
 * @param recordedOf the handlers of the session in an opened trace; undefined if there is none with this id
 */
export function sessionHandlers(
  sessions: Sessions,
  settings: () => ConfirmationSettings,
  recordedOf: (sessionId: string) => RecordedHandlers | undefined,
): Pick<Handlers, SessionCommand> {
  const validator = new SchemaValidator();
  const confirmations = new ToolConfirmations(settings);
  /** The features of a session in any phase, for what need not wait until it is ready. */
  const featuresOf = (sessionId: string) => sessions.get(sessionId).features;
  /** The features of a session once it is ready. @throws FaultError if it is not opened */
  const untilReady = (sessionId: string) => sessions.get(sessionId).untilReady();
  /** The features of a session that is opening or ready, to start a call, which waits by itself. @throws FaultError if it has ended */
  const startable = (sessionId: string, { headers = [] }: Pick<Params<'calls/start'>, 'headers'>) => {
    if (headers.length > 0) sessions.get(sessionId).requireHttp();
    return sessions.get(sessionId).requireOpeningOrReady();
  };
  const manual = (sessionId: string) => sessions.get(sessionId).manual;
  return {
    'sessions/list': () => sessions.views(),
    'sessions/open': ({ serverId, ...options }) => sessions.open(serverId, options),
    'sessions/diagnose': ({ sessionId }) => sessions.get(sessionId).diagnose(),
    'sessions/command': ({ sessionId }) => sessions.get(sessionId).command,
    'sessions/changes': (params) =>
      recordedOf(params.sessionId)?.['sessions/changes'](params) ?? sessions.changesOf(params.sessionId),
    'sessions/close': async ({ sessionId }) => {
      await sessions.get(sessionId).close();
      return null;
    },
    'sessions/ping': async ({ sessionId }) => ({ duration: await manual(sessionId).ping() }),
    'sessions/set-log-level': async ({ sessionId, level }) => {
      await (await untilReady(sessionId)).logLevel.set(level);
      return null;
    },
    'sessions/send': ({ sessionId, bytes, ...options }) => {
      const unit = bytes.as === 'text' ? Buffer.from(bytes.text) : Buffer.from(bytes.base64, 'base64');
      return { row: manual(sessionId).sendRaw(unit, options) };
    },
    'sessions/notify-roots': ({ sessionId }) => ({
      row: sessions.get(sessionId).requireReady().notifyRoots(),
    }),
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
      recordedOf(params.sessionId)?.['catalog/tools'](params) ?? featuresOf(params.sessionId).tools,
    'catalog/resources': (params) =>
      recordedOf(params.sessionId)?.['catalog/resources'](params) ?? featuresOf(params.sessionId).resources,
    'catalog/templates': (params) =>
      recordedOf(params.sessionId)?.['catalog/templates'](params) ?? featuresOf(params.sessionId).templates,
    'catalog/prompts': (params) =>
      recordedOf(params.sessionId)?.['catalog/prompts'](params) ?? featuresOf(params.sessionId).prompts,
    'catalog/refresh': async ({ sessionId, list }) => {
      await sessions.get(sessionId).requireOpeningOrReady().catalog.read(list, 'user');
      return null;
    },
    'catalog/read-more': async ({ sessionId, list, pages }) => {
      await (await untilReady(sessionId)).catalog.readMore(list, pages);
      return null;
    },
    'catalog/stop': ({ sessionId, list }) => {
      featuresOf(sessionId).catalog.stop(list);
      return null;
    },
    'catalog/set-page-by-page': ({ sessionId, pageByPage }) => {
      sessions.setPageByPage(sessionId, pageByPage);
      return null;
    },

    'calls/validate': ({ schema, value }) => validator.validateText(schema, value),
    'calls/list': (params) =>
      recordedOf(params.sessionId)?.['calls/list'](params) ?? featuresOf(params.sessionId).calls.list(),
    'calls/history': (params) =>
      recordedOf(params.sessionId)?.['calls/history'](params) ??
      featuresOf(params.sessionId).recordedCalls.history(params),
    'calls/of-row': (params) =>
      recordedOf(params.sessionId)?.['calls/of-row'](params) ??
      featuresOf(params.sessionId).recordedCalls.ofRow(params.row),
    'calls/start': ({ sessionId, tool, arguments: args, isConfirmed, ...options }) => {
      const { catalog, calls } = startable(sessionId, options);
      const { serverId } = sessions.get(sessionId);
      if (isConfirmed !== true) confirmations.require(serverId, tool, catalog.tools);
      const started = calls.startTool(tool, args, options);
      confirmations.noteRun(serverId, tool);
      return started;
    },
    'calls/request': ({ sessionId, method, params, ...options }) =>
      startable(sessionId, options).calls.startRequest(method, params, options),
    'calls/cancel-request': ({ sessionId, row, reason }) => {
      manual(sessionId).cancelRequest(row, reason);
      return null;
    },
    'calls/cancel': ({ sessionId, callId, reason }) => {
      const row = rowOfRecordedCall(callId);
      if (row === null) featuresOf(sessionId).calls.cancel(callId, reason);
      else manual(sessionId).cancelRequest(row, reason);
      return null;
    },
    'calls/result': (params) =>
      recordedOf(params.sessionId)?.['calls/result'](params) ??
      featuresOf(params.sessionId).callResult(params.callId, params.from ?? 0),
    'calls/time-left': ({ sessionId, row }) => featuresOf(sessionId).timeLeft(row),

    'inbox/list': (params) =>
      recordedOf(params.sessionId)?.['inbox/list'](params) ?? featuresOf(params.sessionId).inbox.list(),
    'inbox/answer': ({ sessionId, entryId, answer }) => {
      featuresOf(sessionId).inbox.answer(entryId, answer);
      return null;
    },
    'inbox/decline-all': ({ sessionId, isOn }) => {
      featuresOf(sessionId).inbox.declineAll(isOn);
      return null;
    },

    'tasks/list': (params) =>
      recordedOf(params.sessionId)?.['tasks/list'](params) ?? featuresOf(params.sessionId).tasks.list(),
    'tasks/resumable': (params) =>
      recordedOf(params.sessionId)?.['tasks/resumable'](params) ??
      featuresOf(params.sessionId).tasks.resumable,
    'tasks/forget': ({ sessionId, taskId }) => {
      featuresOf(sessionId).tasks.forget(taskId);
      return null;
    },
    'tasks/refresh': async ({ sessionId }) => {
      await (await untilReady(sessionId)).tasks.refresh();
      return null;
    },
    'tasks/follow': async ({ sessionId, taskId }) => (await untilReady(sessionId)).tasks.follow(taskId),
    'tasks/cancel': async ({ sessionId, taskId }) => {
      await (await untilReady(sessionId)).tasks.cancel(taskId);
      return null;
    },
    'tasks/result': (params) =>
      recordedOf(params.sessionId)?.['tasks/result'](params) ??
      featuresOf(params.sessionId).tasks.result(params.taskId),

    'subscriptions/list': (params) =>
      recordedOf(params.sessionId)?.['subscriptions/list'](params) ??
      featuresOf(params.sessionId).subscriptions.list(),
    'subscriptions/subscribe': async ({ sessionId, uri }) =>
      (await untilReady(sessionId)).subscriptions.subscribe(uri),
    'subscriptions/listen': async ({ sessionId, filter }) =>
      (await untilReady(sessionId)).subscriptions.listen(filter),
    'subscriptions/end': async ({ sessionId, id }) => {
      await (await untilReady(sessionId)).subscriptions.end(id);
      return null;
    },
  };
}

type ConfirmationSettings = Pick<Settings, 'allowedTools' | 'toolConfirmations'>;

/** Decides which tools the user has to confirm before they run (MCP 2025-06-18 tools, security considerations). */
class ToolConfirmations {
  readonly #settings: () => ConfirmationSettings;
  /** Tools that have run since the app started, as JSON of server and tool. */
  readonly #run = new Set<string>();

  constructor(settings: () => ConfirmationSettings) {
    this.#settings = settings;
  }

  noteRun(serverId: string, tool: string): void {
    this.#run.add(JSON.stringify([serverId, tool]));
  }

  /** @throws FaultError with one of `mustConfirmCodes` if the user has to confirm this run */
  require(serverId: string, tool: string, { entries }: ToolList): void {
    const settings = this.#settings();
    const level = confirmationLevel(settings, serverId);
    if (level === 'never') return;
    if (settings.allowedTools.some((one) => one.serverId === serverId && one.tool === tool)) return;
    const isDestructive = entries.some((entry) => {
      if (!entry.usable || entry.tool.name !== tool) return false;
      const { destructiveHint, readOnlyHint } = entry.tool.annotations ?? {};
      return destructiveHint === true && readOnlyHint !== true;
    });
    if (isDestructive) throw new FaultError(mustConfirm(tool, 'confirm-destructive'));
    const isFirst = !this.#run.has(JSON.stringify([serverId, tool]));
    if (level === 'first-run' && isFirst) throw new FaultError(mustConfirm(tool, 'confirm-first-run'));
  }
}

const mustConfirm = (tool: string, code: MustConfirmCode): Fault => ({
  code,
  what: `The tool ${tool} was not called, because you have to confirm this run.`,
  why:
    code === 'confirm-destructive'
      ? 'The server says that it may delete or overwrite something (destructiveHint).'
      : 'It is its first run since Sightglass started.',
  next: 'Confirm it, or choose in the settings of the server what is confirmed.',
});
