import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import type {
  Rebuild,
  RebuildOutcome,
  RebuildReason,
  RebuildState,
  RerunCall,
  RerunSource,
  WatchedPath,
} from '#shared/contract/rebuild.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { TestedSession } from '#testing/tested-session.ts';
import { Handover, type HandoverParts } from './handover.ts';
import { changesItself, endedTooOften, hasEnded, mustBeApproved } from './rebuild-faults.ts';
import type { Choosable } from './rerun.ts';

/** Files that are watched, until it is closed. */
export interface Watch {
  readonly files: number;
  readonly notWatched: string | null;
  close(): void;
}

/** What a loop needs of the engine. */
export interface RebuildParts extends HandoverParts {
  readonly open: (serverId: string) => Promise<Result<'sessions/open'>>;
  /** @throws FaultError if the session was forgotten */
  readonly view: (sessionId: string) => SessionView;
  /** @throws FaultError if it is not opened */
  readonly untilReady: (sessionId: string) => Promise<TestedSession>;
  readonly endedByServer: (sessionId: string) => boolean;
  readonly watch: (paths: readonly WatchedPath[], onChange: (files: string[]) => void) => Promise<Watch>;
  readonly pathsOf: (server: Server) => Promise<WatchedPath[]>;
  readonly emit: (rebuild: Rebuild) => void;
  readonly reportError: (error: unknown) => void;
}

/** Milliseconds until the first restart after a crash; each further one takes twice as long, up to the limit. */
const FIRST_DELAY = 200;
const MAX_DELAY = 5000;

/** How often a server may end in a row; one that somebody else starts may need the time of a build. */
const MAX_CRASHES = 5;
const MAX_LOST_CONNECTIONS = 12;

/** Milliseconds after which a server that ends has not crashed at its start. */
const STABLE_AFTER = 10_000;

/**
 * Changes during a restart or within so many milliseconds after it, so many times in a row, are made by the server itself. A file that
 * is written all the time is reported after 2 s.
 */
const SOON_AFTER = 3000;
const MAX_SOON = 5;

const delayAfter = (times: number): number => Math.min(MAX_DELAY, FIRST_DELAY * 2 ** (times - 1));

/** Restarts one server when its files change or when it ends on its own, and hands over to the new session. */
export class RebuildLoop {
  readonly #parts: RebuildParts;
  readonly #handover: Handover;
  #server: Server;
  /** The settings that are followed, as text. */
  #followed = '';
  #following: Promise<void> = Promise.resolve();
  #state: RebuildState = 'off';
  #watch: Watch | null = null;
  #watched: readonly WatchedPath[] = [];
  #sessionId: string | null = null;
  /** The session whose end was handled. */
  #endedId: string | null = null;
  /** Whether the user connected, and did not disconnect. */
  #isWanted = false;
  #crashes = 0;
  /** Changes in a row that came during a restart or soon after it. */
  #soon = 0;
  /** When the last restart was over, with the calls that ran again; null if the user connected since. */
  #restartedAt: number | null = null;
  #readyAt: number | null = null;
  #rebuilds = 0;
  #fault: Fault | null = null;
  #nextAt: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  #last: RebuildOutcome | null = null;
  /** Files that changed during a restart. */
  #pending: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #isBusy = false;
  #isClosed = false;

  constructor(server: Server, parts: RebuildParts) {
    this.#server = server;
    this.#parts = parts;
    this.#handover = new Handover(parts);
  }

  get #isOn(): boolean {
    return this.#server.rebuild?.isOn ?? false;
  }

  get #isOurs(): boolean {
    return this.#server.transport.kind === 'stdio';
  }

  get view(): Rebuild {
    return {
      serverId: this.#server.id,
      isOn: this.#isOn,
      paths: this.#server.rebuild?.paths ?? [],
      watched: [...this.#watched],
      files: this.#watch?.files ?? 0,
      notWatched: this.#watch?.notWatched ?? null,
      isOurs: this.#isOurs,
      state: this.#state,
      crashes: this.#crashes,
      nextAt: this.#nextAt,
      rebuilds: this.#rebuilds,
      fault: this.#fault,
      last: this.#last,
      rerun: this.#handover.choice,
    };
  }

  /** Takes over the settings of the server, and watches what they say. */
  follow(server: Server): Promise<void> {
    this.#server = server;
    const settings = JSON.stringify([server.rebuild, server.transport, server.variables]);
    if (settings !== this.#followed) {
      this.#followed = settings;
      this.#following = this.#watchAgain(server);
    }
    return this.#following;
  }

  async #watchAgain(server: Server): Promise<void> {
    const settings = this.#followed;
    this.#watch?.close();
    this.#watch = null;
    const watched = await this.#parts.pathsOf(server);
    const watch = this.#isOn ? await this.#parts.watch(watched, (files) => this.#changed(files)) : null;
    // The settings may have changed again.
    if (this.#isClosed || this.#followed !== settings) return watch?.close();
    this.#watched = watched;
    this.#watch = watch;
    const isBackingOff = this.#state === 'waiting' || this.#state === 'stopped';
    if (this.#isBusy || (isBackingOff && this.#isOn)) this.#emit();
    else this.#rest();
  }

  /** Follows the sessions of the server, whether this loop or the user opens them. */
  noteSession({ id, phase }: SessionView): void {
    const isOver = phase === 'closed' || phase === 'failed';
    if (id !== this.#sessionId) {
      if (isOver || phase === 'closing') return;
      this.#sessionId = id;
      // The user connected.
      if (!this.#isBusy) {
        this.#isWanted = true;
        this.#crashes = 0;
        this.#readyAt = null;
        this.#restartedAt = null;
        this.#rest();
      }
    }
    if (this.#isBusy) return;
    if (phase === 'ready') this.#readyAt ??= Date.now();
    if (isOver) this.#noteEnd(id);
  }

  /** Starts the server again if it ended on its own. Each end counts once. */
  #noteEnd(id: string): void {
    if (this.#endedId === id) return;
    if (this.#parts.endedByServer(id)) return this.#ended();
    this.#noteDisconnect(id);
    this.#rest();
  }

  /** Notes that the user disconnected from the last session, before the news of it comes. */
  #checkDisconnect(): void {
    const view = this.#sessionView();
    if (view === null || this.#endedId === view.id) return;
    const isEnding = view.phase === 'closing' || !this.#isOpen();
    if (isEnding && !this.#parts.endedByServer(view.id)) this.#noteDisconnect(view.id);
  }

  #noteDisconnect(id: string): void {
    this.#endedId = id;
    this.#isWanted = false;
  }

  /** Restarts the server at the request of the user; resolves when it is over. */
  restart(): Promise<void> {
    // This restart is newer than a disconnect before it.
    this.#checkDisconnect();
    this.#crashes = 0;
    this.#isWanted = true;
    return this.#inTurn('manual', []);
  }

  /** What can run again. */
  choosable(source: RerunSource): Promise<Choosable> {
    return this.#handover.choosable(source, this.#sessionId);
  }

  /** Chooses the calls that run again. Those that waited for it since the last restart run now. */
  async choose(
    source: RerunSource | null,
    seen: readonly Pick<RerunCall, 'key' | 'safety'>[],
  ): Promise<void> {
    const hasWaited = this.#handover.choice.consent === 'changed' && source !== null;
    await this.#handover.choose(source, seen, this.#sessionId);
    const { consent } = this.#handover.choice;
    if (hasWaited && consent === 'given') await this.#enqueue(() => this.#runAgain());
    this.#emit();
  }

  /** Ends the loop. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.close();
    clearTimeout(this.#timer);
    await this.#turn;
  }

  #changed(files: string[]): void {
    if (this.#isBusy) {
      this.#pending = [...new Set([...this.#pending, ...files])];
      return;
    }
    this.#startFor(files, this.#restartedAt !== null && Date.now() - this.#restartedAt < SOON_AFTER);
  }

  /** Restarts the server for changed files. @param isSoon whether they changed during a restart or soon after it */
  #startFor(files: string[], isSoon: boolean): void {
    if (!this.#isOn || !this.#isWanted || this.#isClosed) return;
    const isWaiting = this.#state === 'waiting';
    if (isWaiting && this.#fault?.code === 'changes-itself') return;
    this.#soon = isSoon ? this.#soon + 1 : 0;
    if (this.#soon >= MAX_SOON) {
      return this.#wait(delayAfter(this.#soon), changesItself(files), 'change', files);
    }
    // The server may have written them before it ended, and it is started again anyway.
    if (isWaiting && isSoon) return;
    this.#crashes = 0;
    this.#start('change', files);
  }

  /** The session ended although nobody here closed it. */
  #ended(): void {
    this.#endedId = this.#sessionId;
    if (!this.#isOn || this.#isClosed) return this.#rest();
    if (this.#readyAt !== null && Date.now() - this.#readyAt >= STABLE_AFTER) this.#crashes = 0;
    this.#readyAt = null;
    this.#crashes++;
    const view = this.#sessionView();
    const reason = view?.fault?.what ?? view?.reason ?? null;
    if (this.#crashes < (this.#isOurs ? MAX_CRASHES : MAX_LOST_CONNECTIONS)) {
      const fault = hasEnded(this.#crashes, reason, this.#isOurs);
      this.#wait(delayAfter(this.#crashes), fault, 'exit', []);
    } else this.#stop(endedTooOften(this.#crashes, reason, this.#isOurs));
  }

  #wait(milliseconds: number, fault: Fault, reason: RebuildReason, files: string[]): void {
    this.#endWait();
    this.#state = 'waiting';
    this.#fault = fault;
    this.#nextAt = Date.now() + milliseconds;
    this.#timer = setTimeout(() => this.#start(reason, files), milliseconds);
    this.#emit();
  }

  /** Waits for a change or for the user. */
  #stop(fault: Fault): void {
    this.#endWait();
    this.#state = this.#isOn ? 'stopped' : 'off';
    this.#fault = fault;
    this.#emit();
  }

  #endWait(): void {
    clearTimeout(this.#timer);
    this.#nextAt = null;
    this.#fault = null;
  }

  /** The state between two restarts. */
  #rest(): void {
    this.#endWait();
    this.#state = !this.#isOn ? 'off' : this.#isWanted ? 'watching' : 'idle';
    this.#emit();
  }

  #emit(): void {
    if (!this.#isClosed) this.#parts.emit(this.view);
  }

  #start(reason: RebuildReason, files: string[]): void {
    void this.#inTurn(reason, files).catch(this.#parts.reportError);
  }

  #inTurn(reason: RebuildReason, files: string[]): Promise<void> {
    this.#endWait();
    return this.#enqueue(() => this.#restart(reason, files));
  }

  /** Runs one piece of work after the other. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(async () => {
      if (this.#isClosed) return;
      this.#isBusy = true;
      try {
        await work();
      } finally {
        this.#isBusy = false;
        this.#restartedAt = Date.now();
        this.#afterWork();
      }
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Goes on with what happened during the work. */
  #afterWork(): void {
    const pending = this.#pending.splice(0);
    const view = this.#sessionView();
    if (view !== null && !this.#isOpen()) this.#noteEnd(view.id);
    if (this.#state === 'restarting') this.#rest();
    if (pending.length > 0) this.#startFor(pending, true);
  }

  async #restart(reason: RebuildReason, files: string[]): Promise<void> {
    // The user disconnected while an earlier turn ran.
    if (!this.#isWanted) return this.#rest();
    this.#state = 'restarting';
    this.#fault = null;
    this.#emit();
    const before = this.#sessionView();
    try {
      if (before !== null) await this.#capture(before);
      if (!this.#isWanted) return;
      const opened = await this.#parts.open(this.#server.id);
      if (opened.outcome !== 'opened') return this.#stop(mustBeApproved(opened.outcome));
      const sessionId = opened.session.id;
      this.#sessionId = sessionId;
      this.#readyAt = null;
      const session = await this.#parts.untilReady(sessionId);
      this.#readyAt = Date.now();
      this.#rebuilds++;
      const about = { reason, files, before: before?.id ?? null, sessionId };
      this.#last = await this.#handover.handOver(session, about);
    } catch (error) {
      // It was ended for the restart, or its end was handled before.
      if (before !== null && this.#sessionId === before.id && !this.#isOpen()) this.#endedId = before.id;
      if (!(error instanceof FaultError)) throw error;
      // Otherwise the server ended, which is handled after the work.
      if (this.#isOpen() || this.#sessionId === (before?.id ?? null)) this.#stop(error.fault);
    }
  }

  /** Notes what the last session has, and whether the user disconnected from it in the meantime. */
  async #capture(before: SessionView): Promise<void> {
    try {
      await this.#handover.capture(before);
      this.#checkDisconnect();
    } catch (error) {
      this.#checkDisconnect();
      if (this.#isWanted) throw error;
    }
  }

  async #runAgain(): Promise<void> {
    const last = this.#last;
    if (last === null || this.#sessionId !== last.sessionId || !this.#isOpen()) return;
    const session = await this.#parts.untilReady(last.sessionId);
    this.#last = { ...last, ...(await this.#handover.runAndCompare(session, last.sessionId)) };
  }

  /** The last session; null if there is none, or it was forgotten. */
  #sessionView(): SessionView | null {
    if (this.#sessionId === null) return null;
    try {
      return this.#parts.view(this.#sessionId);
    } catch (error) {
      if (error instanceof FaultError) return null;
      throw error;
    }
  }

  #isOpen(): boolean {
    const phase = this.#sessionView()?.phase;
    return phase !== undefined && phase !== 'closed' && phase !== 'failed';
  }
}
