import { useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Fault } from '#shared/contract/fault.ts';
import type { Subscription } from '#shared/contract/subscriptions.ts';
import { mayHaveCapability } from '#shared/protocol/capabilities.ts';
import { faultOf, setFault, useFault } from './faults.ts';
import { followList } from './follow.ts';
import type { SessionStatus } from './sessions.ts';

/** Subscriptions by session, then by id. */
const useSubscriptionStore = create<Readonly<Record<string, Readonly<Record<string, Subscription>>>>>()(
  () => ({}),
);

/** The subscriptions of a session as they change, and why they cannot be read or changed. */
export function useSubscriptions(sessionId: string): {
  readonly subscriptions: readonly Subscription[];
  readonly fault: Fault | null;
} {
  useEffect(() => {
    const put = (changed: readonly Subscription[]) =>
      useSubscriptionStore.setState(({ [sessionId]: known }) => ({
        [sessionId]: { ...known, ...Object.fromEntries(changed.map((one) => [one.id, one])) },
      }));
    const { loaded, stop } = followList<Subscription>({
      list: () => call('subscriptions/list', { sessionId }),
      listen: (changed) =>
        on('subscriptions/changed', (one) => {
          if (one.sessionId === sessionId) changed(one);
        }),
      idOf: ({ id }) => id,
      put,
    });
    loaded.catch((error: unknown) => setFault(faultKey(sessionId), faultOf(error)));
    return stop;
  }, [sessionId]);
  const byId = useSubscriptionStore((known) => known[sessionId]);
  const subscriptions = useMemo(() => Object.values(byId ?? {}), [byId]);
  return { subscriptions, fault: useFault(faultKey(sessionId)) };
}

const faultKey = (sessionId: string): string => `subscriptions of ${sessionId}`;

/** The subscription through which updates of a resource arrive; null if there is none. */
export const subscriptionTo = (subscriptions: readonly Subscription[], uri: string): Subscription | null =>
  subscriptions.find(
    ({ state, requested }) =>
      (state === 'active' || state === 'requested') &&
      requested.resourceSubscriptions?.includes(uri) === true,
  ) ?? null;

/** Whether the server says that its resources can be subscribed to (MCP resources, capabilities). */
export const canSubscribe = ({ agreement }: SessionStatus): boolean =>
  mayHaveCapability(agreement?.serverCapabilities, 'resources.subscribe');

/** Subscribes to a resource: by a request in the legacy era, by a listen stream in the modern one. Never rejects. */
export async function subscribe({ id: sessionId, agreement }: SessionStatus, uri: string): Promise<void> {
  await changing(sessionId, () =>
    agreement?.era === 'modern'
      ? call('subscriptions/listen', { sessionId, filter: { resourceSubscriptions: [uri] } })
      : call('subscriptions/subscribe', { sessionId, uri }),
  );
}

/** Unsubscribes, or closes the listen stream. Never rejects. */
export async function unsubscribe({ sessionId, id }: Subscription): Promise<void> {
  await changing(sessionId, () => call('subscriptions/end', { sessionId, id }));
}

async function changing(sessionId: string, change: () => Promise<unknown>): Promise<void> {
  setFault(faultKey(sessionId), null);
  try {
    await change();
  } catch (error) {
    setFault(faultKey(sessionId), faultOf(error));
  }
}
