import type { Call } from '#shared/contract/calls.ts';
import type {
  CatalogListName,
  PromptList,
  ResourceList,
  TemplateList,
  ToolList,
} from '#shared/contract/catalog.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import type { ClientProfile } from '#shared/contract/servers.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import type { Subscription } from '#shared/contract/subscriptions.ts';
import type { Task } from '#shared/contract/tasks.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { isKnownRevision, revisionAtLeast } from '#shared/protocol/revisions.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { readMessageText } from '#trace/view/row-reader.ts';
import type { Trace } from '#trace/trace.ts';
import { Calls } from './calls/calls.ts';
import { Catalog } from './catalog/catalog.ts';
import { promptListView, resourceListView, templateListView, toolListView } from './catalog/entries.ts';
import type { ClientBehavior } from './era/client-behavior.ts';
import { Inbox } from './inbox/inbox.ts';
import { truncateFault } from './session-faults.ts';
import { ServerRequests } from './inbox/server-requests.ts';
import type { TimeoutOptions } from './rpc/request.ts';
import type { IncomingRequest, Peer } from './rpc/peer.ts';
import { Subscriptions } from './subscriptions/subscriptions.ts';
import { Tasks } from './tasks/tasks.ts';
import { ToolValidity } from './validity/tool-validity.ts';

/** What is told when something of a feature changes. */
export interface FeatureListeners {
  readonly onList: (list: CatalogListName) => void;
  readonly onCall: (call: Call) => void;
  readonly onInbox: (entry: InboxEntry) => void;
  readonly onTask: (task: Task) => void;
  readonly onSubscription: (subscription: Subscription) => void;
}

export interface FeaturesOptions extends FeatureListeners {
  readonly sessionId: string;
  readonly peer: Peer;
  readonly trace: Trace;
  readonly behavior: ClientBehavior;
  readonly times: TimeoutOptions;
  readonly profile: () => ClientProfile;
  readonly agreement: () => Agreement | null;
}

/** Tasks are of 2025-11-25 and of what follows; of a revision that we do not know, it is taken for granted. */
const revisionHasTasks = (agreement: Agreement | null): boolean =>
  agreement === null ||
  !isKnownRevision(agreement.revision) ||
  revisionAtLeast(agreement.revision, '2025-11-25');

/** The lists that a notification says have changed. */
const changedLists: ReadonlyMap<string, CatalogListName> = new Map([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/resources/list_changed', 'resources'],
  ['notifications/prompts/list_changed', 'prompts'],
]);

/** The lists in the order they are read, and the capability by which a server says that it has them. */
const readLists: readonly (readonly [CatalogListName, capability: string])[] = [
  ['tools', 'tools'],
  ['resources', 'resources'],
  ['templates', 'resources'],
  ['prompts', 'prompts'],
];

/** All that a server can offer and all that it can ask, once both sides have agreed on how to talk. */
export class Features {
  readonly catalog: Catalog;
  readonly inbox: Inbox;
  readonly calls: Calls;
  readonly tasks: Tasks;
  readonly subscriptions: Subscriptions;
  readonly #options: FeaturesOptions;
  readonly #requests: ServerRequests;
  readonly #validity: ToolValidity;
  readonly #redacted: <T>(value: T) => T;

  constructor(options: FeaturesOptions) {
    const { sessionId, peer, trace, behavior, times, profile, agreement } = options;
    this.#options = options;
    const redacted = <T>(value: T): T => trace.redacted(value);
    this.#redacted = redacted;
    const isModern = () => behavior.isModern;
    const announced = () => agreement()?.clientCapabilities ?? {};
    const readMessage = (row: number) => readMessageText(trace, row);
    this.catalog = new Catalog(peer, {
      times,
      onChange: options.onList,
      whyUnusable: (inputSchema) => behavior.whyUnusable(inputSchema),
    });
    const onChange = (entry: InboxEntry) => {
      options.onInbox(entry);
      this.calls.noteQuestion(entry);
    };
    this.inbox = new Inbox({ sessionId, profile, redacted, onChange });
    this.tasks = new Tasks({
      sessionId,
      peer,
      inbox: this.inbox,
      isModern,
      hasTasks: () => revisionHasTasks(agreement()),
      times,
      announced,
      serverCapabilities: () => agreement()?.serverCapabilities ?? null,
      redacted,
      readMessage,
      onChange: options.onTask,
    });
    this.#validity = new ToolValidity(() => this.catalog.tools);
    this.calls = new Calls({
      sessionId,
      peer,
      inbox: this.inbox,
      isModern,
      adoptTask: this.tasks.adopt,
      validity: this.#validity,
      readMessage,
      redacted,
      onChange: options.onCall,
    });
    this.subscriptions = new Subscriptions({
      sessionId,
      peer,
      times,
      redacted,
      onChange: options.onSubscription,
    });
    this.#requests = new ServerRequests({
      inbox: this.inbox,
      announced,
      pending: () => peer.pending,
      callOf: (row) => this.calls.ofRow(row),
      callOfTask: (params) => this.tasks.callOf(params),
      alsoAnswered: (incoming) => this.tasks.take(incoming),
    });
  }

  get tools(): ToolList {
    return toolListView(this.#withFaultView(this.catalog.tools), this.#redacted);
  }

  get resources(): ResourceList {
    return resourceListView(this.#withFaultView(this.catalog.resources), this.#redacted);
  }

  get templates(): TemplateList {
    return templateListView(this.#withFaultView(this.catalog.templates), this.#redacted);
  }

  get prompts(): PromptList {
    return promptListView(this.#withFaultView(this.catalog.prompts), this.#redacted);
  }

  /** Reads every list that the server announced; of one whose capabilities were never asked, its tools. */
  async readCatalog(): Promise<void> {
    const capabilities = this.#options.agreement()?.serverCapabilities ?? null;
    for (const [list, capability] of readLists) {
      const isOffered = capabilities === null ? list === 'tools' : isObject(capabilities[capability]);
      if (isOffered) await this.catalog.read(list, 'automatic');
    }
    this.#validity.prepare();
  }

  /** Takes a request of the server. */
  take(incoming: IncomingRequest): void {
    // The modern era knows no requests of servers, and clients must not answer any (MCP 2026-07-28 basic).
    if (!this.#options.behavior.isModern) this.#requests.take(incoming);
  }

  /** Takes a notification of the server. @param isReady whether it may be answered by asking something */
  notified(method: string, params: unknown, recorded: RecordedMessage, isReady: boolean): void {
    const list = changedLists.get(method);
    if (list !== undefined && isReady) this.catalog.noteChanged(list);
    if (method === 'notifications/cancelled') this.#requests.cancelled(params, recorded);
    if (method === 'notifications/elicitation/complete' && isObject(params)) {
      this.inbox.noteComplete(params.elicitationId, recorded.row);
    }
    this.tasks.notified(method, params, recorded);
    this.subscriptions.notified(method, params, recorded);
  }

  /** The session has ended. */
  end(): void {
    this.catalog.close();
    this.inbox.end();
    this.tasks.end();
    this.subscriptions.endAll();
  }

  #withFaultView<L extends { readonly fault: Fault | null }>(list: L): L {
    return { ...list, fault: list.fault && truncateFault(this.#redacted(list.fault)) };
  }
}
