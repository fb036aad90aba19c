import { switchesOff, type Switches } from '#shared/client-switches/switches.ts';
import { createHash, randomUUID } from 'node:crypto';
import type { DefinitionChanges } from '#shared/contract/definitions.ts';
import { isLoopback } from '#shared/loopback.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Emit, Result } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import {
  type ClientProfile,
  defaultClientProfile,
  isOfThisRun,
  type Server,
  type StartNeed,
} from '#shared/contract/servers.ts';
import type { Implementation, Launch, SentVariables, SessionView } from '#shared/contract/sessions.ts';
import { Throttle } from '#transports/async.ts';
import type { StdioTarget } from '#transports/stdio.ts';
import { redactorFor } from '#trace/recorder/credentials.ts';
import type { Traces } from '#trace/traces.ts';
import {
  type PreparedLaunch,
  planConnection,
  type ConnectionPlan,
  type ServerValues,
} from './connection-plan.ts';
import type { Definitions } from './definitions.ts';
import type { MakeAuthorizer } from './authorizer.ts';
import { Session } from './session.ts';
import { startDigest } from './start-need.ts';
import type { UnfinishedTasks } from './tasks/unfinished-tasks.ts';

/** Limit of ended sessions per server to keep in memory. */
const MAX_ENDED = 5;

/** Milliseconds between two events about a session whose counts change. */
const NOTICE_EVERY = 100;

/** The configured servers, as sessions need them. */
export interface Servers {
  /** Their settings, ready to start or to connect. */
  readonly filled: ServerValues;
  get(id: string): Promise<Server>;
  acceptCertificate(id: string, fingerprint: string): Promise<Server>;
  /** Keeps what a server needs with its settings; null removes it. Does nothing if the server was removed. */
  keepStartNeed(id: string, need: StartNeed | null): Promise<void>;
}

/** Options of one session besides the server's settings. */
export interface OpenOptions {
  /** The one-time approval of the command line, or of the variables that are sent. */
  readonly approval?: string | undefined;
  /** Overrides the server's setting. */
  readonly revision?: string | undefined;
  readonly anyRevision?: boolean | undefined;
  /** Fingerprint of a certificate to trust from now on. */
  readonly acceptCertificate?: string | undefined;
  readonly tracePath?: string | undefined;
  /** Settings that override those of the server, for this session only. */
  readonly settings?: Partial<Pick<Server, 'era' | 'timeouts' | 'client'>> | undefined;
  /** Whether to run only an authorization, without a handshake. */
  readonly onlyAuthorizes?: boolean | undefined;
  /** Whether the app opens it by itself: what needs an approval is not opened, and nobody is asked. */
  readonly isUnattended?: boolean | undefined;
  /** Whether the variables in the server's settings are sent without a question, this time. */
  readonly allowVariables?: boolean | undefined;
  /** Whether to ask for approval even though the command was given on the command line. */
  readonly mustConfirm?: boolean | undefined;
}

type ApprovalRequest = (PreparedLaunch | { readonly sent: SentVariables }) & { readonly serverId: string };

/** What the user has allowed to run, and to be sent. */
export interface GivenApprovals {
  has(request: ApprovalRequest): Promise<boolean>;
  add(request: ApprovalRequest): Promise<void>;
  request(request: ApprovalRequest): Promise<string>;
  redeem(approval: string, request: ApprovalRequest): Promise<boolean>;
}

export interface SessionsOptions {
  readonly servers: Servers;
  readonly approvals: GivenApprovals;
  readonly traces: Traces;
  readonly client: Implementation;
  readonly emit: Emit;
  /** Called each time a request was sent to a server. */
  readonly onRequestSent?: () => void;
  /** Called each time a response of a server was received. */
  readonly onResponseReceived?: () => void;
  /** Called with each changed session, after the event. */
  readonly onChanged?: (session: Redacted<SessionView>) => void;
  /** Keeps what servers define, to compare it with their next connection. */
  readonly definitions?: Definitions;
  /** Starts the demo server instead of its command. */
  readonly startDemo?: StdioTarget['start'];
  /** Keeps the tasks that outlive their session. */
  readonly unfinishedTasks?: UnfinishedTasks;
  /**
   * Creates the object that authorizes the requests of a session with this server over HTTP.
   *
   * @param isUnattended whether the app opens the session by itself
   */
  readonly authorizerFor?: (server: Server, url: string, isUnattended: boolean) => Promise<MakeAuthorizer>;
  /** Whether a removed server can be brought back. */
  readonly canComeBack?: (serverId: string) => boolean;
  /** Asks for approval outside the page. */
  readonly confirmLaunch?: ((launch: Launch) => Promise<boolean>) | undefined;
  readonly confirmVariables?: ((sent: SentVariables, serverName: string) => Promise<boolean>) | undefined;
}

interface Kept {
  readonly session: Session;
  readonly notice: Throttle;
  /** The settings with which the session began; see `settingsOf`. */
  readonly settings: string;
  /** What the server defines differently from its last connection. */
  changes: Promise<Redacted<DefinitionChanges> | null>;
}

/** The settings of a server that apply from its next session on. The roots and rules of its client profile apply at once. */
const settingsOf = ({ transport, era, revision, timeouts, keepAlive, client }: Server): string =>
  JSON.stringify([transport, era, revision, timeouts, keepAlive, client.info, client.capabilities]);

/** The `clientInfo` that the user gave; null for our own. */
function infoOf({ info }: ClientProfile): Implementation | null {
  if (info === null) return null;
  const { name, version, title } = info;
  return { name, version, ...(title !== null && { title }) };
}

/** All sessions of this run, open or ended. They share nothing. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Kept>();
  readonly #switches = new SwitchBoard();
  /** Servers whose lists are read one page at a time, until the app quits. */
  readonly #pageByPage = new Set<string>();
  /** The client profile of each server: roots, rules, capabilities. */
  readonly #profiles = new Map<string, ClientProfile>();
  /** The last operation on a server's sessions; settles when it is done. */
  readonly #turns = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  views(): Redacted<SessionView>[] {
    return [...this.#sessions.values()].map(({ session }) => session.view());
  }

  /** @throws FaultError if there is no such session */
  get(id: string): Session {
    const kept = this.#sessions.get(id);
    if (kept === undefined)
      throw new FaultError({ code: 'no-such-session', what: `There is no session ${id}.` });
    return kept.session;
  }

  /**
   * Starts a session with a server, or returns a request for the approval of what it runs or sends. The session opens in the
   * background. An open session with the same server is closed first.
   */
  open(serverId: string, options: OpenOptions = {}): Promise<Result<'sessions/open'>> {
    return this.#inTurn(serverId, () => this.#open(serverId, options));
  }

  /** The client switches of a server. */
  switchesOf(serverId: string): Switches {
    return this.#switches.of(serverId);
  }

  /** Sets the client switches of a server. They apply to everything sent from now on. */
  setSwitches(serverId: string, switches: Switches): Switches {
    this.#switches.set(serverId, switches);
    this.#options.emit('sessions/switches-changed', { serverId, switches });
    for (const { session } of this.#sessions.values()) {
      if (session.serverId === serverId) session.applySwitches();
    }
    return switches;
  }

  /** Sets whether the lists of a session's server are read one page at a time. */
  setPageByPage(sessionId: string, pageByPage: boolean): void {
    const { serverId } = this.get(sessionId);
    if (pageByPage) this.#pageByPage.add(serverId);
    else this.#pageByPage.delete(serverId);
    for (const { session } of this.#sessions.values()) {
      if (session.serverId === serverId) session.features.catalog.pagingChanged();
    }
  }

  /**
   * Applies changed settings, and notes which sessions began with others. Closes the sessions of all servers but these,
   * including sessions that are being opened.
   */
  async syncWithServers(servers: readonly Server[]): Promise<void> {
    for (const server of servers) {
      this.#setProfile(server.id, server.client);
      for (const { session, settings } of this.#sessions.values()) {
        if (session.serverId === server.id) session.noteSettings(settings !== settingsOf(server));
      }
    }
    const serverIds = new Set(servers.map(({ id }) => id));
    const sessions = [...this.#sessions.values()].map(({ session }) => session.serverId);
    const removed = new Set([...sessions, ...this.#turns.keys()].filter((id) => !serverIds.has(id)));
    await Promise.all([...removed].map((id) => this.#inTurn(id, () => this.#closeOf(id))));
    for (const id of removed) {
      if (this.#options.canComeBack?.(id) === true) continue;
      await this.#options.definitions?.forget(id);
      await this.#options.unfinishedTasks?.forget(id);
    }
  }

  #setProfile(serverId: string, profile: ClientProfile): void {
    const before = this.#profiles.get(serverId);
    this.#profiles.set(serverId, profile);
    if (before === undefined || JSON.stringify(before.roots) === JSON.stringify(profile.roots)) return;
    for (const { session } of this.#sessions.values()) {
      if (session.serverId === serverId) session.features.rootsChanged();
    }
  }

  /** Runs operations on the same server one after the other, so that two clicks do not open two sessions. */
  #inTurn<T>(serverId: string, action: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(serverId) ?? Promise.resolve()).then(action);
    this.#turns.set(
      serverId,
      turn.then(
        () => undefined,
        () => undefined,
      ),
    );
    return turn;
  }

  async #open(serverId: string, options: OpenOptions): Promise<Result<'sessions/open'>> {
    const { servers } = this.#options;
    const { acceptCertificate } = options;
    const known = await servers.get(serverId);
    if (acceptCertificate !== undefined && !isOnThisMachine(known))
      throw new FaultError(mustEnterFingerprint);
    const saved =
      acceptCertificate === undefined ? known : await servers.acceptCertificate(serverId, acceptCertificate);
    const server = { ...saved, ...options.settings };
    const plan = await planConnection(server, servers.filled, this.#options.startDemo);
    if (plan.launch !== null && options.mustConfirm === true) await this.#confirm(plan.launch.launch);
    // The demo server is ours, and giving a command on the command line approves it.
    if (plan.launch !== null && server.source === 'user') {
      const approval = await this.#approvalFor({ ...plan.launch, serverId }, server, options);
      if (approval !== null) return { outcome: 'approval-needed', approval, launch: plan.launch.launch };
    }
    const { sent } = plan;
    if (sent !== null && options.allowVariables !== true) {
      const approval = await this.#approvalFor({ sent, serverId }, server, options);
      if (approval !== null) return { outcome: 'variables-approval-needed', approval, sent };
    }
    await this.#closeOf(serverId);
    const session = await this.#start(server, plan, { ...options, saved });
    return { outcome: 'opened', session: session.view() };
  }

  /** Null if it is approved; otherwise the one-time approval that the user has to confirm. */
  async #approvalFor(
    request: ApprovalRequest,
    { name }: Server,
    { approval: given, isUnattended = false }: OpenOptions,
  ): Promise<string | null> {
    const { approvals, confirmLaunch, confirmVariables } = this.#options;
    if (await approvals.has(request)) return null;
    const confirmer = 'launch' in request ? confirmLaunch : confirmVariables;
    if (confirmer !== undefined && !isUnattended) {
      await ('launch' in request ? this.#confirm(request.launch) : this.#confirmSending(request.sent, name));
      await approvals.add(request);
      return null;
    }
    return given !== undefined && (await approvals.redeem(given, request))
      ? null
      : approvals.request(request);
  }

  /** @throws FaultError if the user declines, or cannot be asked */
  async #confirm(launch: Launch): Promise<void> {
    const isAllowed = (await this.#options.confirmLaunch?.(launch)) ?? false;
    if (!isAllowed) throw new FaultError(refused(launch));
  }

  /** @throws FaultError if the user declines */
  async #confirmSending(sent: SentVariables, serverName: string): Promise<void> {
    const isAllowed = (await this.#options.confirmVariables?.(sent, serverName)) ?? false;
    if (!isAllowed) throw new FaultError(notSent(sent));
  }

  /** @throws FaultError if the trace cannot be created */
  async #start(
    server: Server,
    plan: ConnectionPlan,
    options: OpenOptions & { readonly saved: Server },
  ): Promise<Session> {
    const { traces, emit, client } = this.#options;
    if (this.#isClosed) throw new FaultError(isClosing);
    const { tracePath } = options;
    const id = randomUUID();
    this.#setProfile(server.id, server.client);
    // The trace exists before the session, and no one listens until the session is listed below.
    const own = () => this.#sessions.get(id)?.session;
    const notice = new Throttle(NOTICE_EVERY, () => {
      const view = own()?.view();
      if (view === undefined) return;
      emit('sessions/changed', view);
      this.#options.onChanged?.(view);
    });
    const trace = await traces.begin({
      sessionId: id,
      server: { name: server.name, ...plan.described },
      redactor: redactorFor(plan.secrets),
      ...(tracePath !== undefined && { path: tracePath }),
      onChange: () => notice.request(),
      onCongested: (isCongested) => own()?.holdReading(isCongested),
    });
    const digest = await startDigest(server, plan.launch?.launch ?? null);
    const makeAuthorizer =
      plan.urlToAuthorize === null
        ? undefined
        : await this.#options.authorizerFor?.(server, plan.urlToAuthorize, options.isUnattended ?? false);
    if (this.#isClosed) {
      await trace.close();
      throw new FaultError(isClosing);
    }
    const session = new Session({
      id,
      serverId: server.id,
      serverName: server.name,
      trace,
      makeTransport: plan.makeTransport,
      makeAuthorizer,
      onlyAuthorizes: options.onlyAuthorizes ?? false,
      command: plan.command,
      client: infoOf(server.client) ?? client,
      userAgent: `${client.name}/${client.version}`,
      era: server.era,
      knownStart: {
        need: options.saved.startNeed,
        digest,
        save: (need) => this.#options.servers.keepStartNeed(server.id, need),
      },
      revision: options.revision ?? server.revision,
      anyRevision: options.anyRevision ?? false,
      timeouts: server.timeouts,
      keepAlive: server.keepAlive,
      switches: () => this.#switches.of(server.id),
      pageByPage: () => this.#pageByPage.has(server.id),
      profile: () => this.#profiles.get(server.id) ?? defaultClientProfile,
      features: {
        onList: (list) => {
          emit('catalog/changed', { sessionId: id, list });
          notice.request();
        },
        onCall: (call) => emit('calls/changed', call),
        onInbox: (entry) => {
          emit('inbox/changed', entry);
          notice.request();
        },
        onTask: (task) => {
          emit('tasks/changed', task);
          notice.request();
        },
        onResumableTasks: (resumable) => {
          emit('tasks/resumable-changed', resumable);
          notice.request();
        },
        onSubscription: (subscription) => emit('subscriptions/changed', subscription),
      },
      // A server on stdio ends with its session, and its tasks with it.
      unfinishedTasks:
        server.transport.kind === 'http'
          ? (this.#options.unfinishedTasks?.ofServer(unfinishedKey(server, plan.described)) ?? null)
          : null,
      onChange: () => notice.request(),
      onRequestSent: () => this.#options.onRequestSent?.(),
      onResponseReceived: () => this.#options.onResponseReceived?.(),
      // A new session reports its own changes.
      onSilent: () => void this.open(server.id).catch(() => undefined),
    });
    const kept: Kept = {
      session,
      notice,
      settings: settingsOf(options.saved),
      changes: Promise.resolve(null),
    };
    this.#sessions.set(id, kept);
    this.#forgetOld(server.id);
    kept.changes = session.open().then(() => this.#compare(session, server));
    return session;
  }

  /** A server of this run has no identity beyond it. */
  async #compare(session: Session, { source }: Server): Promise<Redacted<DefinitionChanges> | null> {
    const { definitions } = this.#options;
    const isComparable = session.isOpen && session.agreement !== null && !isOfThisRun({ source });
    if (definitions === undefined || !isComparable) return null;
    const changes = await definitions.compare(session);
    // Its recording shows the same Overview.
    if (changes !== null && session.isOpen) session.recordChanges(changes);
    return changes && session.features.redacted(changes);
  }

  /** What a server defines differently from its last connection. @throws FaultError if there is no such session */
  changesOf(sessionId: string): Promise<Redacted<DefinitionChanges> | null> {
    this.get(sessionId);
    return this.#sessions.get(sessionId)?.changes ?? Promise.resolve(null);
  }

  #forgetOld(serverId: string): void {
    const ended = [...this.#sessions.values()].filter(
      ({ session }) => session.serverId === serverId && !session.isOpen,
    );
    for (const { session } of ended.slice(0, -MAX_ENDED)) this.forget(session.id);
  }

  /** Removes an ended session from memory; its trace file stays. */
  forget(sessionId: string): void {
    const isOver = this.#sessions.get(sessionId)?.session.isOpen === false;
    if (!isOver) return;
    this.#sessions.delete(sessionId);
    this.#options.traces.forget(sessionId);
    this.#options.emit('sessions/forgotten', { sessionId });
  }

  /** Closes all sessions and waits until nothing of them is left. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      [...this.#sessions.values()].map(async ({ session, notice }) => {
        await session.close();
        notice.flush();
      }),
    );
  }

  async #closeOf(serverId: string): Promise<void> {
    for (const { session } of this.#sessions.values()) {
      if (session.serverId === serverId && session.isOpen) await session.close();
    }
  }
}

/** The client switches of each server, until the app quits. */
class SwitchBoard {
  readonly #byServer = new Map<string, Switches>();

  of(serverId: string): Switches {
    return this.#byServer.get(serverId) ?? switchesOff;
  }

  set(serverId: string, switches: Switches): void {
    this.#byServer.set(serverId, switches);
  }
}

/** Under which name the tasks of a server are kept. One of this run is known by its URL beyond it. */
const unfinishedKey = ({ id, source }: Server, described: object): string =>
  isOfThisRun({ source })
    ? `url-${createHash('sha256').update(JSON.stringify(described)).digest('hex').slice(0, 32)}`
    : id;

const isOnThisMachine = ({ transport }: Server): boolean =>
  transport.kind === 'http' && URL.canParse(transport.url) && isLoopback(new URL(transport.url));

const mustEnterFingerprint: Fault = {
  code: 'certificate-of-another-machine',
  what: 'The certificate of a server on another machine is not accepted by a click.',
  next: 'Compare its fingerprint with the administrator of the server, and enter it in the server settings.',
};

const isClosing: Fault = {
  code: 'closing',
  what: 'Sightglass is closing, so no session was opened.',
  next: 'Open Sightglass again.',
};

const notSent = ({ origin }: SentVariables): Fault => ({
  code: 'variables-refused',
  what: `You did not allow variables to be sent to ${origin}, so there was no connection.`,
  next: 'Connect again to be asked once more, or write values into the settings of the server.',
});

const refused = (launch: Launch): Fault => ({
  code: 'launch-refused',
  what: `You did not allow "${launch.command}" to run.`,
  next: 'Connect again to be asked once more.',
});
