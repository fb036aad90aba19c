import { switchesOff, type Switches } from '#shared/client-switches/switches.ts';
import { randomUUID } from 'node:crypto';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Emit, Result } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import { type ClientProfile, defaultClientProfile, type Server } from '#shared/contract/servers.ts';
import { type Implementation, type Launch, type SessionView } from '#shared/contract/sessions.ts';
import { Throttle } from '#transports/async.ts';
import { Redactor } from '#trace/recorder/redaction.ts';
import type { Traces } from '#trace/traces.ts';
import {
  type PreparedLaunch,
  planConnection,
  type ConnectionPlan,
  type ServerValues,
} from './connection-plan.ts';
import { Session } from './session.ts';

/** Ended sessions of one server that are held in memory, so that connecting all day does not fill it. */
const MAX_ENDED = 5;

/** Milliseconds between two notices about a session whose numbers change. */
const NOTICE_EVERY = 100;

/** What sessions need to know of the servers the user knows. */
export interface Servers extends ServerValues {
  get(id: string): Promise<Server>;
  acceptCertificate(id: string, fingerprint: string): Promise<Server>;
}

/** What the user wants of one session beside its server's settings. */
export interface OpenOptions {
  /** For the command line of a server that was never run. */
  readonly approval?: string | undefined;
  /** In place of the server's setting. */
  readonly revision?: string | undefined;
  readonly anyRevision?: boolean | undefined;
  /** Fingerprint of a certificate to accept from now on. */
  readonly acceptCertificate?: string | undefined;
  readonly tracePath?: string | undefined;
  /** Ask before the command line runs, although it was named on the command line. */
  readonly mustConfirm?: boolean | undefined;
}

type LaunchRequest = PreparedLaunch & { readonly serverId: string };

/** What the user has allowed to run. */
export interface LaunchApprovals {
  has(request: LaunchRequest): Promise<boolean>;
  add(request: LaunchRequest): Promise<void>;
  ask(request: LaunchRequest): Promise<string>;
  redeem(approval: string, request: LaunchRequest): Promise<boolean>;
}

export interface SessionsOptions {
  readonly servers: Servers;
  readonly approvals: LaunchApprovals;
  readonly traces: Traces;
  readonly client: Implementation;
  readonly emit: Emit;
  /** A request went out to some server; an answer came from one. */
  readonly onRequestSent?: () => void;
  readonly onResponseReceived?: () => void;
  /** Asks for approval where the page cannot reach. */
  readonly confirmLaunch?: ((launch: Launch) => Promise<boolean>) | undefined;
}

interface Kept {
  readonly session: Session;
  readonly notice: Throttle;
}

/** All sessions of this run, running or ended. Nothing is shared between two of them. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Kept>();
  readonly #switches = new SwitchBoard();
  /** What we are to each server now. */
  readonly #profiles = new Map<string, ClientProfile>();
  /** What is done with a server's sessions at the moment: the last of it, settled once it is done. */
  readonly #turns = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  views(): Redacted<SessionView>[] {
    return [...this.#sessions.values()].map(({ session }) => session.view());
  }

  /** @throws FaultError when there is no such session */
  get(id: string): Session {
    const kept = this.#sessions.get(id);
    if (kept === undefined)
      throw new FaultError({ code: 'no-such-session', what: `There is no session ${id}.` });
    return kept.session;
  }

  /**
   * Starts a session with a server, or asks for the approval of its command line. The session goes on by
   * itself; a running session with the same server is closed first.
   */
  open(serverId: string, options: OpenOptions = {}): Promise<Result<'sessions/open'>> {
    return this.#inTurn(serverId, () => this.#open(serverId, options));
  }

  /** The client switches of a server. */
  switchesOf(serverId: string): Switches {
    return this.#switches.of(serverId);
  }

  /** Turns the client switches of a server; what they concern from now on is sent accordingly. */
  setSwitches(serverId: string, switches: Switches): Switches {
    this.#switches.set(serverId, switches);
    this.#options.emit('sessions/switches-changed', { serverId, switches });
    for (const { session } of this.#sessions.values()) {
      if (session.serverId === serverId) session.noteSwitches();
    }
    return switches;
  }

  /** The user's servers are these now: sessions of others are closed, those that are being opened too. */
  async noteServers(servers: readonly Server[]): Promise<void> {
    for (const { id, client } of servers) this.#setProfile(id, client);
    const serverIds = new Set(servers.map(({ id }) => id));
    const sessions = [...this.#sessions.values()].map(({ session }) => session.serverId);
    const removed = new Set([...sessions, ...this.#turns.keys()].filter((id) => !serverIds.has(id)));
    await Promise.all([...removed].map((id) => this.#inTurn(id, () => this.#closeOf(id))));
  }

  #setProfile(serverId: string, profile: ClientProfile): void {
    const before = this.#profiles.get(serverId);
    this.#profiles.set(serverId, profile);
    if (before === undefined || JSON.stringify(before.roots) === JSON.stringify(profile.roots)) return;
    for (const { session } of this.#sessions.values()) {
      if (session.serverId === serverId) session.features.rootsChanged();
    }
  }

  /** One thing after the other for each server, so that two clicks do not come to two sessions. */
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
    const server = await (acceptCertificate === undefined
      ? servers.get(serverId)
      : servers.acceptCertificate(serverId, acceptCertificate));
    const plan = await planConnection(server, servers);
    if (plan.launch !== null && options.mustConfirm === true) await this.#confirm(plan.launch.launch);
    // The demo server is ours, and naming a command on the command line is the user's approval of it.
    if (plan.launch !== null && server.source === 'user') {
      const approval = await this.#approvalFor({ ...plan.launch, serverId }, options.approval);
      if (approval !== null) return { outcome: 'approval-needed', approval, launch: plan.launch.launch };
    }
    await this.#closeOf(serverId);
    const session = await this.#start(server, plan, options);
    return { outcome: 'opened', session: session.view() };
  }

  /** Null when the command line may run; else the one-time approval that the user has to confirm. */
  async #approvalFor(request: LaunchRequest, given: string | undefined): Promise<string | null> {
    const { approvals, confirmLaunch } = this.#options;
    if (await approvals.has(request)) return null;
    if (confirmLaunch !== undefined) {
      await this.#confirm(request.launch);
      await approvals.add(request);
      return null;
    }
    return given !== undefined && (await approvals.redeem(given, request)) ? null : approvals.ask(request);
  }

  /** @throws FaultError when the user does not allow it, or there is nobody to ask */
  async #confirm(launch: Launch): Promise<void> {
    const isAllowed = (await this.#options.confirmLaunch?.(launch)) ?? false;
    if (!isAllowed) throw new FaultError(refused(launch));
  }

  /** @throws FaultError when its trace cannot be begun */
  async #start(server: Server, plan: ConnectionPlan, options: OpenOptions): Promise<Session> {
    const { traces, emit, client } = this.#options;
    if (this.#isClosed) throw new FaultError(isClosing);
    const { tracePath } = options;
    const id = randomUUID();
    this.#setProfile(server.id, server.client);
    // The trace exists before the session, which notes itself below; until then there is nobody to tell.
    const own = () => this.#sessions.get(id)?.session;
    const notice = new Throttle(NOTICE_EVERY, () => {
      const session = own();
      if (session) emit('sessions/changed', session.view());
    });
    const trace = await traces.begin({
      sessionId: id,
      server: { name: server.name, ...plan.described },
      redactor: new Redactor(plan.secrets),
      ...(tracePath !== undefined && { path: tracePath }),
      onChange: () => notice.request(),
      onCongested: (isCongested) => own()?.holdReading(isCongested),
    });
    if (this.#isClosed) {
      await trace.close();
      throw new FaultError(isClosing);
    }
    const session = new Session({
      id,
      serverId: server.id,
      serverName: server.name,
      trace,
      connect: plan.connect,
      client,
      era: server.era,
      revision: options.revision ?? server.revision,
      anyRevision: options.anyRevision ?? false,
      timeouts: server.timeouts,
      keepAlive: server.keepAlive,
      switches: () => this.#switches.of(server.id),
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
        onTask: (task) => emit('tasks/changed', task),
        onSubscription: (subscription) => emit('subscriptions/changed', subscription),
      },
      onChange: () => notice.request(),
      onRequestSent: () => this.#options.onRequestSent?.(),
      onResponseReceived: () => this.#options.onResponseReceived?.(),
      // A new session tells by itself how it goes.
      onSilent: () => void this.open(server.id).catch(() => undefined),
    });
    this.#sessions.set(id, { session, notice });
    this.#forgetOld(server.id);
    void session.open();
    return session;
  }

  #forgetOld(serverId: string): void {
    const ended = [...this.#sessions.values()].filter(
      ({ session }) => session.serverId === serverId && !session.isOpen,
    );
    for (const { session } of ended.slice(0, -MAX_ENDED)) this.forget(session.id);
  }

  /** Lets a session go that has ended; its trace stays where it is. */
  forget(sessionId: string): void {
    const isOver = this.#sessions.get(sessionId)?.session.isOpen === false;
    if (!isOver) return;
    this.#sessions.delete(sessionId);
    this.#options.traces.forget(sessionId);
    this.#options.emit('sessions/forgotten', { sessionId });
  }

  /** Ends all sessions and waits until none has anything left. Idempotent. */
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

/** The switches of each server, for this run of the app. */
class SwitchBoard {
  readonly #byServer = new Map<string, Switches>();

  of(serverId: string): Switches {
    return this.#byServer.get(serverId) ?? switchesOff;
  }

  set(serverId: string, switches: Switches): void {
    this.#byServer.set(serverId, switches);
  }
}

const isClosing: Fault = {
  code: 'closing',
  what: 'Sightglass is closing, so no session was opened.',
  next: 'Open Sightglass again.',
};

const refused = (launch: Launch): Fault => ({
  code: 'launch-refused',
  what: `You did not allow "${launch.command}" to run.`,
  next: 'Connect again to be asked once more.',
});
