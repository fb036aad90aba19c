import { CANCELLED, LISTEN } from '#shared/protocol/methods.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import { type ListenFilter, listenFilterSchema, type Subscription } from '#shared/contract/subscriptions.ts';
import { type Id, idText, isId, isObject } from '#shared/protocol/jsonrpc.ts';
import { type Outcome, outcomeFault } from './rpc/request.ts';
import type { Peer, PendingRequest } from './rpc/peer.ts';
import type { SessionState } from './session-state.ts';
import type { Origin } from '#shared/trace/record.ts';
import { Throttle } from '#transports/async.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';

/** The key in `_meta` that names the listen request of a message (MCP 2026-07-28 subscriptions). */
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const UPDATED = 'notifications/resources/updated';
const SUBSCRIBE = 'resources/subscribe';
const UNSUBSCRIBE = 'resources/unsubscribe';

/** Milliseconds between two events: a server may send thousands of updates. */
const NOTICE_EVERY = 50;

interface Known {
  view: Subscription;
  /** The request whose response is the stream; null for a resource. */
  readonly listening: PendingRequest | null;
}

/** A listen stream is open until one side ends it. */
const unlimited = { timeout: Number.POSITIVE_INFINITY, maxTimeout: Number.POSITIVE_INFINITY };

/** The subscriptions of a session: to resources (legacy era), and listen streams (modern era). */
export class Subscriptions {
  readonly #state: SessionState;
  readonly #peer: Peer;
  readonly #onChange: (subscription: Redacted<Subscription>) => void;
  readonly #known = new Map<string, Known>();
  /** Pending requests to subscribe and unsubscribe, by row, with the state that the subscription has once it is accepted. */
  readonly #requested = new Map<number, { readonly known: Known; readonly accepted: 'active' | 'ended' }>();
  /** Those to resources that were active when the session ended. */
  readonly #endedWithSession = new Set<Known>();
  readonly #changed = new Set<Known>();
  readonly #notice = new Throttle(NOTICE_EVERY, () => this.#report());

  constructor(state: SessionState, peer: Peer, onChange: (subscription: Redacted<Subscription>) => void) {
    this.#state = state;
    this.#peer = peer;
    this.#onChange = onChange;
  }

  list(): Redacted<Subscription>[] {
    return [...this.#known.values()].map(({ view }) => this.#state.redacted(view));
  }

  /** Subscribes to a resource (MCP 2025-06-18 resources, subscriptions). If the server rejects it, the result says so. */
  async subscribe(uri: string): Promise<Redacted<Subscription>> {
    const { id } = await this.#request(SUBSCRIBE, uri, 'user');
    return this.#state.redacted(this.#get(id).view);
  }

  /** Opens a listen stream (MCP 2026-07-28 subscriptions). */
  listen(filter: ListenFilter, origin: Origin = 'user'): Redacted<Subscription> {
    const params = JSON.stringify({ notifications: filter });
    const request = this.#peer.request(LISTEN, params, { ...unlimited, origin });
    const { id, row } = request;
    const known = this.#add({ id: idOf(id), row, kind: 'listen', requested: filter }, request);
    void request.outcome.then((outcome) => this.#ended(known, outcome));
    return this.#state.redacted(known.view);
  }

  /** @throws FaultError if there is no such subscription, or the server rejects the request to end it */
  async end(id: string): Promise<void> {
    const known = this.#get(id);
    if (known.listening !== null) {
      known.listening.cancel('the user ended it');
      return;
    }
    const { fault } = await this.#request(UNSUBSCRIBE, uriOf(known), 'user');
    if (fault !== null) throw new FaultError(this.#state.redacted(fault));
    this.#change(known, { state: 'ended' });
  }

  /**
   * Tracks a message of either direction. A request to subscribe takes effect no matter who sent it: the user can subscribe
   * with the composer and with raw bytes, too.
   */
  track(recorded: RecordedMessage): void {
    const { row, direction, envelope, pair } = recorded;
    if ('defect' in envelope) return;
    const { message } = envelope;
    if (direction === 'out') {
      if (message.type !== 'request' || !isObject(message.params)) return;
      const { uri } = message.params;
      if (typeof uri !== 'string') return;
      if (message.method === SUBSCRIBE) this.#noteSubscribing(message.id, row, uri);
      if (message.method === UNSUBSCRIBE) {
        const known = this.#underWay(uri);
        if (known !== undefined) this.#requested.set(row, { known, accepted: 'ended' });
      }
      return;
    }
    const requested = pair === null ? undefined : this.#requested.get(pair);
    if (pair === null || requested === undefined) return;
    this.#requested.delete(pair);
    const { known, accepted } = requested;
    if (message.type === 'result') this.#change(known, { state: accepted });
    else if (message.type === 'error' && accepted === 'active') {
      const fault = outcomeFault(SUBSCRIBE, { type: 'error', error: message.error, recorded });
      this.#change(known, { state: 'refused', fault });
    }
  }

  /** Subscribes again in a renewed session. Returns the faults of rejected subscriptions. */
  async restore(): Promise<Fault[]> {
    const faults: Fault[] = [];
    for (const known of this.#known.values()) {
      if (known.listening !== null || known.view.state !== 'active') continue;
      const { fault } = await this.#request(SUBSCRIBE, uriOf(known), 'automatic');
      if (fault !== null) faults.push(fault);
    }
    return faults;
  }

  /** What was subscribed to, for the next session; also after this one has ended. */
  get toRestore(): ListenFilter[] {
    return [...this.#known.values()].flatMap((known) =>
      isUnderWay(known) || known.view.state === 'broken' || this.#endedWithSession.has(known)
        ? [known.view.requested]
        : [],
    );
  }

  /** Subscribes as in an earlier session. Returns the faults of rejected subscriptions. */
  async restoreFrom(filters: readonly ListenFilter[]): Promise<Fault[]> {
    const faults: Fault[] = [];
    for (const filter of filters) {
      if (this.#state.isModern) {
        this.listen(filter, 'automatic');
        continue;
      }
      for (const uri of filter.resourceSubscriptions ?? []) {
        const { fault } = await this.#request(SUBSCRIBE, uri, 'automatic');
        if (fault !== null) faults.push(fault);
      }
    }
    return faults;
  }

  /** Counts a notification for its subscription. */
  notified(method: string, params: unknown, { row }: RecordedMessage): void {
    if (method === CANCELLED && isObject(params) && isId(params.requestId)) {
      this.#cancelledByServer(this.#known.get(idOf(params.requestId)));
      return;
    }
    const id = subscriptionIdOf(params);
    const known = id === null ? this.#ofResource(method, params) : this.#known.get(idOf(id));
    if (known === undefined) return;
    if (method === ACKNOWLEDGED) {
      const honoured = listenFilterSchema.safeParse(isObject(params) ? params.notifications : undefined);
      this.#change(known, { state: 'active', acknowledged: honoured.data ?? {} });
      return;
    }
    this.#change(known, { notifications: known.view.notifications + 1, lastRow: row });
  }

  /** Ends all subscriptions with the session. */
  endAll(): void {
    for (const known of this.#known.values()) {
      if (known.listening !== null || !isUnderWay(known)) continue;
      this.#endedWithSession.add(known);
      this.#change(known, { state: 'ended' });
    }
    this.#notice.flush();
  }

  /** Over stdio a server ends a stream with a cancellation (MCP 2026-07-28 cancellation). */
  #cancelledByServer(known: Known | undefined): void {
    if (known?.listening == null || !isUnderWay(known)) return;
    known.listening.abandon();
    this.#change(known, { state: 'ended' });
  }

  /** An update may name a sub-resource of the subscription (MCP 2025-06-18 schema, ResourceUpdatedNotification). */
  #ofResource(method: string, params: unknown): Known | undefined {
    if (method !== UPDATED || !isObject(params) || typeof params.uri !== 'string') return undefined;
    const { uri } = params;
    const active = [...this.#known.values()].filter(
      ({ view }) => view.kind === 'resource' && view.state === 'active',
    );
    return active.find((one) => uriOf(one) === uri) ?? active.find((one) => uri.startsWith(uriOf(one)));
  }

  /** @throws FaultError if there is no such subscription */
  #get(id: string): Known {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    throw new FaultError({ code: 'no-such-subscription', what: `There is no subscription ${id}.` });
  }

  /** The active or requested subscription to a resource; there is at most one, because a server keeps one for each URI. */
  #underWay(uri: string): Known | undefined {
    return [...this.#known.values()].find(
      (one) => one.listening === null && uriOf(one) === uri && isUnderWay(one),
    );
  }

  #noteSubscribing(id: Id, row: number, uri: string): void {
    const requested = { resourceSubscriptions: [uri] };
    const known = this.#underWay(uri) ?? this.#add({ id: idOf(id), row, kind: 'resource', requested }, null);
    this.#requested.set(row, { known, accepted: 'active' });
  }

  /** Sends a request, which `track` registers while it is being sent. Returns the subscription that it starts or ends. */
  async #request(
    method: typeof SUBSCRIBE | typeof UNSUBSCRIBE,
    uri: string,
    origin: Origin,
  ): Promise<{ readonly id: string; readonly fault: Fault | null }> {
    const params = JSON.stringify({ uri });
    const request = this.#peer.request(method, params, this.#state.requestOptions(origin));
    const known = this.#requested.get(request.row)?.known;
    const outcome = await request.outcome;
    this.#requested.delete(request.row);
    const fault = outcome.type === 'result' ? null : outcomeFault(method, outcome);
    if (known !== undefined && fault !== null && method === SUBSCRIBE) {
      this.#change(known, { state: 'refused', fault });
    }
    return { id: known?.view.id ?? idOf(request.id), fault };
  }

  #add(
    { id, row, kind, requested }: Pick<Subscription, 'id' | 'row' | 'kind' | 'requested'>,
    listening: PendingRequest | null,
  ): Known {
    const view: Subscription = {
      id,
      sessionId: this.#state.id,
      state: 'requested',
      requested,
      acknowledged: null,
      kind,
      row,
      notifications: 0,
      lastRow: null,
      fault: null,
    };
    const known: Known = { view, listening };
    this.#known.set(view.id, known);
    this.#note(known);
    return known;
  }

  #ended(known: Known, outcome: Outcome): void {
    switch (outcome.type) {
      case 'result':
      case 'cancelled':
        this.#change(known, { state: 'ended' });
        return;
      case 'error':
      case 'invalid':
        this.#change(known, { state: 'refused', fault: outcomeFault(LISTEN, outcome) });
        return;
      case 'failed':
      case 'timeout':
      case 'closed':
        this.#change(known, { state: 'broken', fault: outcomeFault(LISTEN, outcome) });
    }
  }

  #change(known: Known, change: Partial<Subscription>): void {
    known.view = { ...known.view, ...change };
    this.#note(known);
  }

  #note(known: Known): void {
    this.#changed.add(known);
    this.#notice.request();
  }

  #report(): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const { view } of changed) this.#onChange(this.#state.redacted(view));
  }
}

const idOf = (id: Id): string => `subscription-${idText(id)}`;

function subscriptionIdOf(params: unknown): Id | null {
  if (!isObject(params) || !isObject(params._meta)) return null;
  const id = params._meta[SUBSCRIPTION_ID];
  return isId(id) ? id : null;
}

const uriOf = ({ view }: Known): string => view.requested.resourceSubscriptions?.[0] ?? '';

const isUnderWay = ({ view }: Known): boolean => view.state === 'requested' || view.state === 'active';
