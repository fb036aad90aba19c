import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { type ListenFilter, listenFilterSchema, type Subscription } from '#shared/contract/subscriptions.ts';
import { type Id, idText, isId, isObject } from '#shared/protocol/jsonrpc.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';
import type { Peer, PendingRequest, RequestOptions } from '#session/rpc/peer.ts';
import { Throttle } from '#trace/throttle.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';

/** Every message of a listen stream names the id of its request by this (MCP 2026-07-28 subscriptions). */
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const CANCELLED = 'notifications/cancelled';
const UPDATED = 'notifications/resources/updated';

/** Milliseconds between two notices of how the subscriptions stand: a server may tell of updates by the thousand. */
const NOTICE_EVERY = 50;

export interface SubscriptionsOptions {
  readonly sessionId: string;
  readonly peer: Peer;
  /** For what is answered at once. */
  readonly times: Omit<RequestOptions, 'origin'>;
  readonly redacted: <T>(value: T) => T;
  readonly onChange: (subscription: Subscription) => void;
}

interface Known {
  view: Subscription;
  /** The request that a listen stream is the answer of; null for a resource. */
  readonly listening: PendingRequest | null;
}

/** A listen stream is open until somebody ends it. */
const unlimited = { timeout: Number.POSITIVE_INFINITY, maxTimeout: Number.POSITIVE_INFINITY };

/** What the server tells us of without being asked each time: of resources (legacy era), by listen streams (modern). */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #known = new Map<string, Known>();
  readonly #changed = new Set<Known>();
  readonly #notice = new Throttle(NOTICE_EVERY, () => this.#tell());

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  list(): Subscription[] {
    return [...this.#known.values()].map(({ view }) => this.#options.redacted(view));
  }

  /** Subscribes to a resource (MCP 2025-06-18 resources, subscriptions); a refusal is in what it gives. */
  async subscribe(uri: string): Promise<Subscription> {
    const { peer, times } = this.#options;
    const request = peer.request('resources/subscribe', JSON.stringify({ uri }), {
      ...times,
      origin: 'user',
    });
    const known = this.#add(request, 'resource', { resourceSubscriptions: [uri] }, null);
    const outcome = await request.outcome;
    if (outcome.type === 'result') this.#change(known, { state: 'active' });
    else this.#change(known, { state: 'refused', fault: outcomeFault(request.method, outcome) });
    return this.#options.redacted(known.view);
  }

  /** Opens a listen stream (MCP 2026-07-28 subscriptions). */
  listen(filter: ListenFilter): Subscription {
    const params = JSON.stringify({ notifications: filter });
    const options = { ...unlimited, origin: 'user' } as const;
    const request = this.#options.peer.request('subscriptions/listen', params, options);
    const known = this.#add(request, 'listen', filter, request);
    void request.outcome.then((outcome) => this.#ended(known, outcome));
    return known.view;
  }

  /** @throws FaultError when there is no such subscription, or the server does not let it go */
  async end(id: string): Promise<void> {
    const known = this.#known.get(id);
    if (known === undefined) {
      throw new FaultError({ code: 'no-such-subscription', what: `There is no subscription ${id}.` });
    }
    if (known.listening !== null) {
      known.listening.cancel('the user ended it');
      return;
    }
    const [uri] = known.view.asked.resourceSubscriptions ?? [];
    const { peer, times, redacted } = this.#options;
    const params = JSON.stringify({ uri });
    const request = peer.request('resources/unsubscribe', params, { ...times, origin: 'user' });
    const outcome = await request.outcome;
    if (outcome.type !== 'result') throw new FaultError(redacted(outcomeFault(request.method, outcome)));
    this.#change(known, { state: 'ended' });
  }

  /** Takes a notification of the server; it counts for the subscription that it came by. */
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
    this.#change(known, { notices: known.view.notices + 1, lastRow: row });
  }

  /** The server has forgotten its session, and refuses this subscription in the new one. */
  notRestored(uri: string, fault: Fault): void {
    for (const known of this.#known.values()) {
      const isOfIt = known.listening === null && known.view.asked.resourceSubscriptions?.[0] === uri;
      if (isOfIt && known.view.state === 'active') this.#change(known, { state: 'refused', fault });
    }
  }

  /** The session has ended, and with it what the server kept in mind for it. */
  endAll(): void {
    for (const known of this.#known.values()) {
      if (known.listening === null && isUnderWay(known)) this.#change(known, { state: 'ended' });
    }
    this.#notice.flush();
  }

  /** Over stdio a server ends a stream before its time like this (MCP 2026-07-28 cancellation). */
  #cancelledByServer(known: Known | undefined): void {
    if (known?.listening == null || !isUnderWay(known)) return;
    known.listening.abandon();
    this.#change(known, { state: 'ended' });
  }

  /** An update may name a part of what was subscribed to (MCP 2025-06-18 schema, ResourceUpdatedNotification). */
  #ofResource(method: string, params: unknown): Known | undefined {
    if (method !== UPDATED || !isObject(params) || typeof params.uri !== 'string') return undefined;
    const { uri } = params;
    const active = [...this.#known.values()].filter(
      ({ view }) => view.kind === 'resource' && view.state === 'active',
    );
    const uriOf = ({ view }: Known) => view.asked.resourceSubscriptions?.[0] ?? '';
    return active.find((one) => uriOf(one) === uri) ?? active.find((one) => uri.startsWith(uriOf(one)));
  }

  #add(
    request: PendingRequest,
    kind: Subscription['kind'],
    asked: ListenFilter,
    listening: PendingRequest | null,
  ): Known {
    const view: Subscription = {
      id: idOf(request.id),
      sessionId: this.#options.sessionId,
      state: 'asked',
      asked,
      acknowledged: null,
      kind,
      row: request.row,
      notices: 0,
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
        this.#change(known, { state: 'refused', fault: outcomeFault('subscriptions/listen', outcome) });
        return;
      case 'undelivered':
      case 'timeout':
      case 'closed':
        this.#change(known, { state: 'broken', fault: outcomeFault('subscriptions/listen', outcome) });
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

  #tell(): void {
    const { redacted, onChange } = this.#options;
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const { view } of changed) onChange(redacted(view));
  }
}

const idOf = (id: Id): string => `subscription-${idText(id)}`;

function subscriptionIdOf(params: unknown): Id | null {
  if (!isObject(params) || !isObject(params._meta)) return null;
  const id = params._meta[SUBSCRIPTION_ID];
  return isId(id) ? id : null;
}

const isUnderWay = ({ view }: Known): boolean => view.state === 'asked' || view.state === 'active';
