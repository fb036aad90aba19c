import { mayHaveCapability } from '#shared/protocol/capabilities.ts';
import { CANCELLED, capabilityOf } from '#shared/protocol/methods.ts';
import { type Call, rowOfRecordedCall, type TimeLeft } from '#shared/contract/calls.ts';
import {
  catalogLists,
  type CatalogListName,
  listMethods,
  type PromptList,
  type ResourceList,
  type TemplateList,
  type ToolList,
} from '#shared/contract/catalog.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import type { ToRestore } from '#shared/contract/rebuild.ts';
import type { PayloadOnRead } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { Subscription } from '#shared/contract/subscriptions.ts';
import type { ResumableTasks, Task } from '#shared/contract/tasks.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { Origin } from '#shared/trace/record.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { Calls } from './calls/calls.ts';
import { Catalog } from './catalog/catalog.ts';
import { promptListView, resourceListView, templateListView, toolListView } from './catalog/entries.ts';
import type { ClientBehavior } from './era/client-behavior.ts';
import { Inbox } from './inbox/inbox.ts';
import { ServerRequests } from './inbox/server-requests.ts';
import type { Peer, ServerMessage } from './rpc/peer.ts';
import { RecordedCalls } from './recorded/recorded-calls.ts';
import { RecordedRequests } from './recorded/recorded-requests.ts';
import { outcomeFault } from './rpc/request.ts';
import { levelStays, notReady, rootsNotDeclared } from './session-faults.ts';
import type { SessionState } from './session-state.ts';
import { Subscriptions } from './subscriptions.ts';
import { Tasks } from './tasks/tasks.ts';
import type { UnfinishedOfServer } from './tasks/unfinished-tasks.ts';
import { ToolValidator } from './validator.ts';

/** Called when something of a feature changes. */
export interface FeatureListeners {
  readonly onList: (list: CatalogListName) => void;
  readonly onCall: (call: PayloadOnRead<Redacted<Call>>) => void;
  readonly onInbox: (entry: Redacted<InboxEntry>) => void;
  readonly onTask: (task: Redacted<Task>) => void;
  readonly onResumableTasks: (resumable: Redacted<ResumableTasks>) => void;
  readonly onSubscription: (subscription: Redacted<Subscription>) => void;
}

interface FeaturesOptions extends FeatureListeners {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly behavior: ClientBehavior;
  /** Unfinished tasks of earlier sessions; null if none can outlive its session. */
  readonly unfinishedTasks: UnfinishedOfServer | null;
}

/** The lists that a notification says have changed. */
const changedLists: ReadonlyMap<string, CatalogListName> = new Map([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/resources/list_changed', 'resources'],
  ['notifications/prompts/list_changed', 'prompts'],
]);

/** The features of a session: lists, calls, inbox, tasks, subscriptions, roots, log level. */
export class Features {
  readonly catalog: Catalog;
  readonly inbox: Inbox;
  readonly calls: Calls;
  /** The calls in the trace, also those that `calls` no longer holds, and those that were composed. */
  readonly recordedCalls: RecordedCalls;
  readonly tasks: Tasks;
  readonly subscriptions: Subscriptions;
  readonly logLevel: LogLevel;
  readonly #state: SessionState;
  readonly #peer: Peer;
  readonly #requests: ServerRequests;
  readonly #validator: ToolValidator;

  /** A copy without secrets. */
  readonly redacted = <T>(value: T): Redacted<T> => this.#state.redacted(value);

  /** Replaces a value that the user gave as secret in the trace from now on. */
  readonly hideSecret = (kind: string, value: string): void => this.#state.trace.hideSecret(kind, value);

  constructor({ state, peer, behavior, unfinishedTasks, ...listeners }: FeaturesOptions) {
    this.#state = state;
    this.#peer = peer;
    this.catalog = new Catalog({
      state,
      peer,
      onChange: listeners.onList,
      checkSchema: (inputSchema) => behavior.schemaError(inputSchema),
    });
    const inbox = new Inbox(state, (entry) => {
      listeners.onInbox(entry);
      this.calls.noteQuestion(entry);
    });
    this.inbox = inbox;
    this.tasks = new Tasks({
      state,
      peer,
      inbox,
      onChange: listeners.onTask,
      onResumable: listeners.onResumableTasks,
      unfinished: unfinishedTasks,
    });
    this.#validator = new ToolValidator(() => this.catalog.tools);
    this.calls = new Calls({
      state,
      peer,
      inbox,
      adoptTask: this.tasks.adopt,
      validator: this.#validator,
      onChange: listeners.onCall,
    });
    this.recordedCalls = new RecordedCalls({
      sessionId: state.id,
      requests: new RecordedRequests(state.trace),
      // Of a call that became a task, `calls` knows how the task ended; without it, the response that created it remains.
      taskOutcome: () => Promise.resolve(null),
      validator: () => this.#validator,
      redacted: this.redacted,
      held: (row) => this.calls.atRow(row),
      isOpen: () => state.isOpen,
    });
    this.subscriptions = new Subscriptions(state, peer, listeners.onSubscription);
    this.logLevel = new LogLevel(state, peer);
    this.#requests = new ServerRequests({ state, peer, inbox, calls: this.calls, tasks: this.tasks });
  }

  get tools(): Redacted<ToolList> {
    return toolListView(this.catalog.tools, this.redacted);
  }

  get resources(): Redacted<ResourceList> {
    return resourceListView(this.catalog.resources, this.redacted);
  }

  get templates(): Redacted<TemplateList> {
    return templateListView(this.catalog.templates, this.redacted);
  }

  get prompts(): Redacted<PromptList> {
    return promptListView(this.catalog.prompts, this.redacted);
  }

  get serverCapabilities(): Readonly<Record<string, unknown>> | null {
    return this.#state.serverCapabilities;
  }

  /** Whether the session speaks a revision of the modern era. */
  get isModern(): boolean {
    return this.#state.isModern;
  }

  /** How long the request in a row may still take; null unless it waits for its response. */
  timeLeft(row: number): Redacted<TimeLeft> | null {
    const left = this.#peer.timeLeft(row);
    return left && this.redacted(left);
  }

  /** The `result` of a call, from a character offset on. @throws FaultError if there is no such call */
  callResult(callId: string, from: number): Promise<{ text: string | null; truncated: boolean }> {
    const calls = rowOfRecordedCall(callId) === null ? this.calls : this.recordedCalls;
    return calls.result(callId, from);
  }

  /** Reads every list that the server declares; only its tools if its capabilities are unknown. */
  async readCatalog(): Promise<void> {
    const capabilities = this.#state.serverCapabilities;
    for (const list of catalogLists) {
      const capability = capabilityOf(listMethods[list]) ?? list;
      const isDeclared =
        capabilities === null ? list === 'tools' : mayHaveCapability(capabilities, capability);
      if (isDeclared) await this.catalog.read(list, 'automatic');
    }
    this.#validator.prepare();
  }

  /** Tracks a recorded message of either direction: it takes effect even if the user composed it. */
  track(recorded: RecordedMessage): void {
    this.logLevel.track(recorded);
    this.subscriptions.track(recorded);
    if (recorded.direction === 'out') this.#requests.noteResponse(recorded);
  }

  /** Handles a request or notification of the server. */
  receive(message: ServerMessage): void {
    if (message.type === 'notification') this.#notified(message.method, message.params, message.recorded);
    // In the modern era servers send no requests, and clients must not answer any (MCP 2026-07-28 basic).
    else if (!this.#state.isModern) this.#requests.take(message.request);
  }

  /** Notifies the server that the roots changed, if the client declared `roots.listChanged` (MCP 2025-06-18 roots). */
  rootsChanged(): void {
    if (this.#mayNotifyRoots && this.#state.isReady) this.#sendRootsChanged('automatic');
  }

  /**
   * Notifies the server that the roots changed, at the user's request. Returns the row of the notification.
   *
   * @throws FaultError if the client did not declare `roots.listChanged`
   */
  notifyRoots(): number {
    if (!this.#mayNotifyRoots) throw new FaultError(rootsNotDeclared);
    const row = this.#sendRootsChanged('user');
    if (row === null) throw new FaultError(notReady(this.#state.phase));
    return row;
  }

  get #mayNotifyRoots(): boolean {
    const { roots } = this.#state.clientCapabilities;
    return !this.#state.isModern && isObject(roots) && roots.listChanged === true;
  }

  /** Returns the row; null if the session has ended. */
  #sendRootsChanged(origin: Origin): number | null {
    return this.#peer.notify('notifications/roots/list_changed', undefined, origin)?.row ?? null;
  }

  /** Restores the log level and the subscriptions in a renewed session. Returns the faults of rejected requests. */
  async restore(): Promise<Fault[]> {
    const levelFault = await this.logLevel.restore();
    return [...(levelFault === null ? [] : [levelFault]), ...(await this.subscriptions.restore())];
  }

  /** What the next session has to restore; also readable after this one has ended. */
  get toRestore(): ToRestore {
    return { logLevel: this.#state.logLevel, subscriptions: this.subscriptions.toRestore };
  }

  /** Sets the log level and subscribes as in an earlier session. Returns the faults of rejected requests. */
  async restoreFrom({ logLevel, subscriptions }: ToRestore): Promise<Fault[]> {
    const levelFault = logLevel === null ? null : await this.logLevel.restore(logLevel);
    const faults = await this.subscriptions.restoreFrom(subscriptions);
    return (levelFault === null ? faults : [levelFault, ...faults]).map((fault) => this.redacted(fault));
  }

  /** Ends all features, because the session has ended. */
  end(): void {
    this.catalog.close();
    this.inbox.end();
    this.tasks.end();
    this.subscriptions.endAll();
  }

  #notified(method: string, params: unknown, recorded: RecordedMessage): void {
    const list = changedLists.get(method);
    if (list !== undefined && this.#state.isReady) this.catalog.noteChanged(list);
    if (method === CANCELLED) this.#requests.cancelled(params, recorded);
    if (method === 'notifications/elicitation/complete' && isObject(params)) {
      this.inbox.noteComplete(params.elicitationId, recorded.row);
    }
    this.tasks.handleNotification(method, params, recorded);
    this.subscriptions.notified(method, params, recorded);
  }
}

const SET_LEVEL = 'logging/setLevel';

/**
 * The log level: in the legacy era the server keeps it for its session (MCP 2025-06-18 logging), in the modern era each
 * request carries it.
 */
class LogLevel {
  readonly #state: SessionState;
  readonly #peer: Peer;
  /** Requested levels that the server has not accepted yet, by the row of the request. */
  readonly #requested = new Map<number, string>();

  constructor(state: SessionState, peer: Peer) {
    this.#state = state;
    this.#peer = peer;
  }

  /** @param level null to request no log messages, which only the modern era can @throws FaultError if the session is not ready, or the server rejects it */
  async set(level: string | null): Promise<void> {
    this.#state.mustBeReady();
    if (this.#state.isModern) return this.#apply(level);
    if (level === null) throw new FaultError(levelStays);
    const fault = await this.#request(level, 'user');
    if (fault !== null) throw new FaultError(this.#state.redacted(fault));
  }

  /** Tracks a message of either direction: the level applies once the server accepts it. */
  track({ row, direction, envelope, pair }: RecordedMessage): void {
    if ('defect' in envelope) return;
    const { message } = envelope;
    if (direction === 'out') {
      if (message.type !== 'request' || message.method !== SET_LEVEL || !isObject(message.params)) return;
      const { level } = message.params;
      if (typeof level === 'string') this.#requested.set(row, level);
      return;
    }
    const level = pair === null ? undefined : this.#requested.get(pair);
    if (pair === null || level === undefined) return;
    this.#requested.delete(pair);
    if (message.type === 'result') this.#apply(level);
  }

  /** Sets the level again in a renewed session, or that of an earlier one. Returns the fault if that fails. */
  async restore(level = this.#state.logLevel): Promise<Fault | null> {
    if (level === null) return null;
    if (!this.#state.isModern) return this.#request(level, 'automatic');
    this.#apply(level);
    return null;
  }

  async #request(level: string, origin: Origin): Promise<Fault | null> {
    const params = JSON.stringify({ level });
    const outcome = await this.#peer.request(SET_LEVEL, params, this.#state.requestOptions(origin)).outcome;
    return outcome.type === 'result' ? null : outcomeFault(SET_LEVEL, outcome);
  }

  #apply(level: string | null): void {
    this.#state.logLevel = level;
    this.#state.changed();
  }
}
