import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Checks } from '#checks/checks.ts';
import { composerHandlers } from '#checks/composer-handlers.ts';
import { JsonFile, writeFileAtomically } from './config/json-file.ts';
import { Approvals } from '#config/approvals.ts';
import { ClientConfigurations } from '#config/clients/client-configurations.ts';
import { ClientLogs } from '#config/clients/client-logs.ts';
import type { AppInfo } from '#shared/contract/app.ts';
import { diagnosticsOf } from './diagnostics.ts';
import { ensureDataFolder, ownSurroundings } from '#config/data-folder.ts';
import { serversHandlers, settingsHandlers } from '#config/handlers.ts';
import { FileWatch } from '#config/file-watch.ts';
import { RootWatch, rootsHandlers } from '#config/roots.ts';
import { Removals } from '#config/removals.ts';
import { PlaceStore } from '#config/place.ts';
import { watchedPaths } from '#config/watched-paths.ts';
import { ServerList } from '#config/server-list.ts';
import { SettingsStore } from './config/settings.ts';
import { Definitions } from '#session/definitions.ts';
import { LanguageModel } from '#session/inbox/language-model.ts';
import { sessionHandlers } from '#session/handlers.ts';
import { Sessions } from '#session/sessions.ts';
import { UnfinishedTasks } from '#session/tasks/unfinished-tasks.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { type InboxAnswer, type InboxEntry, inboxEntrySchema } from '#shared/contract/inbox.ts';
import { SchemaValidator } from '#session/validator.ts';
import { events as eventSchemas, type Handlers } from '#shared/contract/index.ts';
import type { SentVariables, SessionView } from '#shared/contract/sessions.ts';
import type { Server } from '#shared/contract/servers.ts';
import { defaultSettings } from '#shared/contract/settings.ts';
import { negativeInputsHandlers } from '#testing/negative-inputs/handlers.ts';
import { restoreCall, savedCallsHandlers, type SavedCallsOptions } from '#testing/saved-calls/handlers.ts';
import { answerAsRecorded, replayHandlers, type ReplayOptions } from '#replay/handlers.ts';
import { loadHandlers } from '#replay/load/handlers.ts';
import { lockHandlers } from '#replay/lock/handlers.ts';
import { readAllCalls, readSide } from '#replay/read-sides.ts';
import { Rebuilds } from '#replay/rebuild/handlers.ts';
import { SavedComparison } from '#replay/saved-comparison.ts';
import { ServedMocks } from '#replay/mock/served-mocks.ts';
import { suiteHandlers } from '#replay/suite/handlers.ts';
import { matchesPattern } from '#trace/export/redact/patterns.ts';
import { redactJsonTexts, redactText } from '#trace/export/redact/redact-text.ts';
import { redactorOf, withoutSecretValues } from '#trace/export/redact/typed-text.ts';
import { traceHandlers } from '#trace/handlers.ts';
import { beginLibrary } from './trace/library/handlers.ts';
import { openedHandlers } from '#trace/opened/handlers.ts';
import { Traces } from '#trace/traces.ts';
import { dispatcher, EventQueue } from './dispatch.ts';
import { Authorizations } from '#authorization/authorizations.ts';
import { settingsOfThisRun } from '#authorization/flow-environment.ts';
import { IssuerBindings, issuerBindingsSchema, noBindings } from '#authorization/issuer-bindings.ts';
import { CredentialStore, secretsOfCredentials } from '#authorization/credentials.ts';
import { authorizationHandlers } from '#authorization/handlers.ts';
import { serverTestHandlers } from '#authorization/resource-server/handlers.ts';
import { compareResults } from './long-tasks.ts';
import { LongWork } from './long-work.ts';
import { TraceMock } from './mock.ts';
import { Throttle } from '#transports/async.ts';
import { ignoreFault, NamedTargets } from './named-targets.ts';
import type { Engine, Platform } from './platform.ts';
import { removedServerSchema } from '#config/removed-kinds.ts';
import { declareRemovals } from './removed-things.ts';

/** Builds the parts of the engine and joins their contract handlers. */
export async function createEngine(platform: Platform): Promise<Engine> {
  const { dataFolder, appVersion, namedServer } = platform;
  ensureDataFolder(dataFolder);

  const events = new EventQueue((error, event) =>
    platform.reportError(`while listeners got ${event}`, error),
  );
  const { emit } = events;

  // A terminal command ends with its own work.
  const restarts = platform.host !== 'cli';
  const roots = new RootWatch((states) => emit('roots/changed', states));
  const serversChanged = (list: Server[]) => {
    emit('servers/changed', list);
    roots.follow(list);
  };
  const removals = new Removals({
    folder: dataFolder,
    onChange: (list) => emit('removals/changed', list),
    reportError: (what, error) => platform.reportError(what, error),
  });
  const removedServers = () =>
    removals.of('server').map((removed) => removedServerSchema.parse(removed).server.id);
  const canComeBack = (serverId: string) => removedServers().includes(serverId);
  const servers = new ServerList({
    folder: dataFolder,
    secrets: platform.secrets,
    demo: platform.demoServer,
    onChange: (list) => {
      serversChanged(list);
      if (restarts) rebuilds.follow(list);
      mocks.follow(list, canComeBack);
      // A terminal command has servers of its own, and the window runs on.
      if (restarts) void place.forgetOthers(new Set([...list.map(({ id }) => id), ...removedServers()]));
      void sessions.syncWithServers(list);
    },
    // A single terminal command keeps secrets only in memory, so moving them to its store would lose them.
    movesSecrets: platform.host !== 'cli' || platform.secrets.isPersistent,
  });
  const approvals = new Approvals(dataFolder, platform.secrets, (list) => emit('approvals/changed', list));
  let currentSettings = defaultSettings;
  const settings = new SettingsStore(dataFolder, platform.secrets, (now) => {
    currentSettings = now;
    emit('settings/changed', now);
    library.limitsChanged();
  });
  const traces = new Traces(
    join(dataFolder, 'traces'),
    appVersion,
    emit,
    (columns) => new Checks(columns),
    (sessionId) => authorizations.flowsOf(sessionId) ?? [],
  );
  const library = beginLibrary({
    folder: join(dataFolder, 'traces'),
    countsPath: join(dataFolder, 'trace-counts.json'),
    replaceFile: writeFileAtomically,
    sessions: traces,
    opened: traces.opened,
    forgetSession: (sessionId) => sessions.forget(sessionId),
    limits: async () => (await settings.read()).retention,
    noteRemoval: (name, held) => noteRemoval.trace(name, held),
    emit,
  });
  // A terminal command shows no changes, so it does not take the place of the connection to compare with.
  const definitions =
    platform.host === 'cli'
      ? undefined
      : new Definitions({
          folder: join(dataFolder, 'definitions'),
          replaceFile: writeFileAtomically,
        });
  // A terminal command follows its tasks to their end, or cancels them.
  const unfinishedTasks =
    platform.host === 'cli'
      ? undefined
      : new UnfinishedTasks({ folder: join(dataFolder, 'tasks'), replaceFile: writeFileAtomically });
  const issuerBindings = new IssuerBindings(
    new JsonFile(join(dataFolder, 'issuers.json'), issuerBindingsSchema, noBindings),
  );
  const authorizations = new Authorizations({
    store: new CredentialStore(platform.credentials ?? platform.secrets, (serverId) =>
      emit('authorization/credentials-changed', { serverId }),
    ),
    emit,
    clientName: 'Sightglass',
    userAgent: `sightglass/${appVersion}`,
    openBrowser: platform.openInBrowser ?? null,
    ...(platform.waitToBeLate !== undefined && { waitToBeLate: platform.waitToBeLate }),
    isWatched: platform.host !== 'cli',
    allowedAddresses: platform.namedServer?.allowAddresses ?? [],
    canAsk: platform.host !== 'cli' || platform.answersFlows === true,
    bindings: issuerBindings,
  });
  const endListeners = new Set<(sessionId: string) => void>();
  const sessions = new Sessions({
    servers,
    approvals,
    traces,
    client: { name: 'sightglass', title: 'Sightglass', version: appVersion },
    emit,
    onRequestSent: () => events.hold(),
    onResponseReceived: () => events.release(),
    onChanged: (session) => {
      rebuilds.noteSession(session);
      if (!isOpenPhase(session.phase)) for (const listener of endListeners) listener(session.id);
    },
    confirmLaunch: platform.confirmLaunch,
    confirmVariables: platform.confirmVariables,
    authorizerFor: async (server, url, isUnattended) => {
      const authorization = await servers.authorizationOf(server);
      // A server of the command line has a new id in each run, so its credentials are kept by its URL.
      const id = platform.host === 'cli' && server.source === 'command-line' ? url : server.id;
      const isNamed =
        namedServer?.kind === 'saved' ? server.name === namedServer.name : server.source === 'command-line';
      const allowed = isNamed ? namedServer : undefined;
      const choices = {
        settings:
          allowed?.kind === 'saved'
            ? settingsOfThisRun(authorization, allowed.authorization ?? {}, platform.host !== 'cli')
            : authorization,
        allowedIssuers: allowed?.allowIssuers ?? [],
        sendsResourceQuery: allowed?.allowResourceQuery ?? false,
        browserLimit: allowed?.browserLimit ?? null,
      };
      return (link) => authorizations.begin({ id, url, isUnattended, ...choices }, link);
    },
    ...(platform.demoServer.start && { startDemo: platform.demoServer.start }),
    ...(definitions !== undefined && { definitions }),
    ...(unfinishedTasks !== undefined && { unfinishedTasks }),
    canComeBack,
  });

  const place = new PlaceStore({
    folder: dataFolder,
    withoutSecrets: async (text, serverId) => {
      const stored = serverId === null ? [] : await authorizations.store.ofServer(serverId);
      const redact = redactorOf({
        held: serverId === null ? new Map() : await servers.secretsOf(serverId),
        stored: stored.flatMap(secretsOfCredentials),
        sessions: sessions
          .views()
          .filter((session) => session.serverId === serverId)
          .map(
            ({ id }) =>
              (one) =>
                sessions.get(id).trace.redactedJson(one),
          ),
      });
      return withoutSecretValues(text, redact, currentSettings.redactionPatterns);
    },
    report: (what, error) => platform.reportError(what, error),
  });

  const model = new LanguageModel({
    secrets: platform.secrets,
    url: () => settings.modelUrl(),
    sessions,
    noteRemoval: (name, held) => noteRemoval.modelKey(name, held),
  });
  const work = new LongWork();
  const validator = new SchemaValidator();
  const testing = {
    session: (sessionId: string) => sessions.get(sessionId).requireReady(),
    validate: (schema: string, value: string) => validator.validateText(schema, value),
    matches: matchesPattern,
    emit,
  };

  const ofSessions = sessionHandlers(
    sessions,
    () => currentSettings,
    (sessionId) => traces.opened.recordedOf(sessionId),
  );
  const ofTraces = traceHandlers((sessionId) => traces.handlersOf(sessionId));
  const questions = {
    onQuestion: (listener: (entry: InboxEntry) => void) =>
      events.subscribe((frame) => {
        if (frame.event === 'inbox/changed') listener(inboxEntrySchema.parse(frame.payload));
      }),
    answer: (sessionId: string, entryId: string, answer: InboxAnswer) =>
      void ofSessions['inbox/answer']({ sessionId, entryId, answer }),
  };
  const runningFiles = {
    ...testing,
    ...questions,
    compareResults,
    endFault: (sessionId: string) => sessions.get(sessionId).view().fault,
    files: {
      read: (text) => work.run('read-test-file', { text }),
      edit: (edit) => work.run('edit-test-file', edit),
      update: (update) => work.run('update-test-file', update),
    },
    traceRows: ofTraces['trace/rows'],
    detail: (sessionId, row) => ofTraces['trace/detail']({ sessionId, row }),
    sendRaw: ofSessions['sessions/send'],
    onGrowth: (sessionId, listener) =>
      events.subscribe((frame) => {
        if (frame.event !== 'trace/grew') return;
        const growth = eventSchemas[frame.event].parse(frame.payload);
        if (growth.sessionId === sessionId) listener(growth.changedFrom);
      }),
  } satisfies Partial<SavedCallsOptions>;
  const ofTestFiles = savedCallsHandlers({
    ...runningFiles,
    folder: join(dataFolder, 'tests'),
    replaceFile: writeFileAtomically,
    noteRemoval: (name, removed) => noteRemoval.savedCall(name, removed),
  });
  const replaying: ReplayOptions = {
    readCalls: ofTraces['trace/calls'],
    session: (sessionId) =>
      traces.opened.recordedOf(sessionId)?.['traces/session']({ sessionId }) ??
      sessions.get(sessionId).view(),
    lists: ofSessions,
    summary: ofTraces['trace/summary'],
    exchangeOf: async (sessionId, row) => (await ofTraces['trace/detail']({ sessionId, row })).exchange,
    saved: new SavedComparison(
      (path, schema, initial) => new JsonFile(join(dataFolder, ...path), schema, initial),
    ),
    compare: (sides) => work.run('compare', sides),
    readySession: testing.session,
    questions: (sessionId) => ofSessions['inbox/list']({ sessionId }),
    ...questions,
    onSessionEnd: (listener) => {
      endListeners.add(listener);
      return () => endListeners.delete(listener);
    },
    emit,
  };
  const rebuilds = new Rebuilds({
    ...replaying,
    server: (serverId) => servers.get(serverId),
    setRebuild: (serverId, rebuild) => servers.setRebuild(serverId, rebuild),
    sessions: () => sessions.views(),
    open: (serverId) => sessions.open(serverId),
    view: (sessionId) => sessions.get(sessionId).view(),
    untilReady: (sessionId) => sessions.get(sessionId).untilReady(),
    endedByServer: (sessionId) => sessions.get(sessionId).endedByServer,
    toRestore: (sessionId) => sessions.get(sessionId).features.toRestore,
    restore: (sessionId, from) => sessions.get(sessionId).features.restoreFrom(from),
    readSide: (sessionId) => readSide(sessionId, replaying),
    answerAsRecorded: (sessionId, answers) => answerAsRecorded(sessionId, answers, replaying),
    readSuite: (path) => ofTestFiles['saved-calls/read']({ path }),
    runSuite: (path, sessionId, indexes) =>
      ofTestFiles['saved-calls/run']({ path, sessionId, indexes, variables: {}, allowWrites: true }),
    suiteOutcomes: (path) => ofTestFiles['saved-calls/outcomes']({ path }),
    watch: (paths, onChange) => FileWatch.begin({ paths, onChange }),
    pathsOf: async (server) => {
      const { transport } = server;
      // Without the values of its placeholders it cannot be started either, which says what is missing.
      const command =
        transport.kind === 'stdio' ? servers.filled.commandOf(server, transport).catch(ignoreFault) : null;
      return watchedPaths(server, await command);
    },
    reportError: (error) => platform.reportError('while a server was restarted', error),
  });

  const mocks = new ServedMocks({
    open: (path, { match, latency, faults }, forward, onExchange) =>
      TraceMock.open({
        paths: [path],
        match,
        latency,
        faults,
        readFaults: (text, from) => work.run('read-faults', { text, path: from }),
        forward,
        onExchange,
      }),
    sessionTo: (serverId) => {
      const view = sessions.views().find((one) => one.serverId === serverId && one.phase === 'ready');
      if (view === undefined) return null;
      const { calls } = sessions.get(view.id).requireReady();
      return {
        id: view.id,
        start: (method, params) => calls.startRequest(method, params, { timeout: null }).id,
        cancel: (callId) => calls.cancel(callId, undefined),
        ended: (callId) => calls.ended(callId),
        result: (callId, from) => calls.result(callId, from),
      };
    },
    ...questions,
    addServer: async (url, mockName) => {
      const { id } = servers.addForThisRun({
        kind: 'http',
        url,
        headers: [],
        transport: 'streamable-http',
        mockName,
      });
      serversChanged(await servers.list());
      return id;
    },
    throttle: (milliseconds, action) => new Throttle(milliseconds, action),
    emit,
  });

  const noteRemoval = declareRemovals({
    removals,
    servers,
    approvals,
    authorizations,
    secrets: platform.secrets,
    restoreTrace: (held) => library.restore(held),
    eraseTrace: (heldAt) => rm(heldAt, { force: true }),
    restoreCall: (removed) =>
      restoreCall(removed, { files: runningFiles.files, replaceFile: writeFileAtomically }),
    eraseServer: async (serverId) => {
      await issuerBindings.forgetServer(serverId);
      await definitions?.forget(serverId);
      await unfinishedTasks?.forget(serverId);
      mocks.forget(serverId);
      const others = [...(await servers.list()).map(({ id }) => id), ...removedServers()];
      if (restarts) await place.forgetOthers(new Set(others.filter((id) => id !== serverId)));
    },
  });
  await removals.begin();

  const sessionToAuthorize = async (serverId: string): Promise<string> => {
    const running = sessions.views().find((one) => one.serverId === serverId && isOpenPhase(one.phase));
    if (running !== undefined) return running.id;
    const opened = await sessions.open(serverId, { onlyAuthorizes: true });
    if (opened.outcome === 'approval-needed') throw new FaultError(onlyHttp);
    if (opened.outcome === 'variables-approval-needed') throw new FaultError(mustBeConnected(opened.sent));
    await sessions.changesOf(opened.session.id);
    return opened.session.id;
  };

  const named = new NamedTargets({
    host: platform.host,
    servers,
    sessions,
    opened: traces.opened,
    onServer: async () => serversChanged(await servers.list()),
    onTrace: (sessionId) => emit('traces/show', { sessionId }),
  });

  // The page reports a damaged file; the defaults apply until it is corrected.
  currentSettings = await settings.read().catch(() => defaultSettings);
  const initialServerId = namedServer ? await named.openServer(namedServer) : null;

  const listed = await servers.list().catch(() => []);
  if (restarts) rebuilds.follow(listed);
  /** Servers that the user wants connected whenever the app starts. What fails is tried again by a click. */
  const connecting = Promise.all(
    listed
      .filter(({ id, connectsAtStart }) => restarts && connectsAtStart === true && id !== initialServerId)
      .map(({ id }) => sessions.open(id, { isUnattended: true }).catch(ignoreFault)),
  ).catch((error: unknown) => platform.reportError('while servers were connected at the start', error));

  const configurations = new ClientConfigurations(servers, ownSurroundings(), {
    read: (text, options) => work.run('read-configuration', { text, options }),
    write: (input) => work.run('write-configuration', input),
  });
  const info = (): AppInfo => ({
    version: appVersion,
    host: platform.host,
    platform: process.platform,
    dataFolder,
    initialServerId,
    // A file named at startup is opened before the page loads, so the page asks for it here.
    initialTraceId: named.traceId,
    keepsSecrets: platform.secrets.isPersistent,
  });
  const handlers: Handlers = {
    'app/info': info,
    'app/diagnostics': ({ notes }) => ({
      text: diagnosticsOf(info(), sessions.views(), redactText(notes, [])),
    }),
    ...removals.handlers,
    ...serversHandlers(
      servers,
      approvals,
      configurations,
      new ClientLogs(configurations, redactText),
      noteRemoval,
    ),
    ...rootsHandlers(roots, () => servers.list()),
    ...ofSessions,
    ...composerHandlers((sessionId) => sessions.get(sessionId)),
    ...authorizationHandlers({
      authorizations,
      recorded: (sessionId) => traces.opened.recordedOf(sessionId),
      privateKeyOf: async (serverId) =>
        (await servers.authorizationOf(await servers.get(serverId))).privateKey.value,
      openSession: sessionToAuthorize,
      noteRemoval: noteRemoval.credentials,
    }),
    ...serverTestHandlers(authorizations, sessionToAuthorize),
    ...model.handlers,
    ...ofTestFiles,
    ...negativeInputsHandlers(testing),
    ...ofTraces,
    ...replayHandlers(replaying),
    ...mocks.handlers,
    ...lockHandlers({
      ...replaying,
      compareCatalogs: (catalogs) => work.run('compare-catalogs', catalogs),
      writeLock: (lock) => work.run('write-lock', lock),
    }),
    'convert/text': (file) => work.run('convert', { ...file, appVersion }),
    ...rebuilds.handlers,
    ...suiteHandlers({
      readCalls: (sessionId) => readAllCalls(sessionId, replaying),
      questions: replaying.questions,
      result: ofSessions['calls/result'],
      redact: redactJsonTexts,
    }),
    ...loadHandlers({ ...runningFiles, exchangeOf: replaying.exchangeOf }),
    ...settingsHandlers(settings),
    ...place.handlers,
    ...library.handlers,
    ...openedHandlers(traces.opened),
  };

  return {
    handle: dispatcher(handlers),
    onEvent: (listener) => events.subscribe(listener),
    openServer: async (server) => {
      await named.openServer(server);
    },
    openFile: (path) => named.openFile(path),
    close: async () => {
      roots.close();
      // A restart that is under way ends with its session.
      const rebuilding = rebuilds.close();
      await model.close();
      await sessions.close();
      // What is kept of removed servers goes, what the place knows of them too.
      await removals.close();
      await place.close();
      await connecting;
      await work.close();
      await rebuilding;
      // Sessions say goodbye to their mocks.
      await mocks.close();
      await definitions?.close();
      await unfinishedTasks?.close();
      await traces.opened.closeAll();
      await library.close();
    },
  };
}

const mustBeConnected = ({ origin }: SentVariables): Fault => ({
  code: 'variables-not-approved',
  what: `The variables in the settings of the server were not approved for ${origin} yet, so nothing was sent.`,
  next: 'Press Connect, which shows them and asks.',
});

/** Only servers on HTTP authorize (MCP authorization, protocol requirements). */
const onlyHttp = {
  code: 'authorization-only-http',
  what: 'Only servers on HTTP can be authorized at.',
  next: 'A server on stdio gets its credentials from its environment.',
};

const isOpenPhase = (phase: SessionView['phase']): boolean =>
  phase !== 'closing' && phase !== 'closed' && phase !== 'failed';
