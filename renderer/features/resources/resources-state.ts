import { useMemo } from 'react';
import { create } from 'zustand';
import { byNewest, sendRequest, useCalls } from '#model/calls.ts';
import { setFault, useFault } from '#model/faults.ts';
import type { CatalogLine } from '#model/catalog.ts';
import { keepChoice, keepInPlace, typedFields } from '#model/place.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { ResourceEntry, TemplateEntry } from '#shared/contract/catalog.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { RESOURCES_READ } from '#shared/protocol/methods.ts';
import type { Subscription } from '#shared/contract/subscriptions.ts';
import type { Audience } from '#ui/content/annotations.tsx';
import type { Order } from './resource-order.ts';

export type ResourceLine = CatalogLine<ResourceEntry>;
export type TemplateLine = CatalogLine<TemplateEntry>;

/** How the contents of a resource are shown. */
export type ContentsView = 'preview' | 'hex' | 'message';

interface ResourcesState {
  /** The open template, by server: its key. */
  readonly template: Readonly<Record<string, string | null>>;
  /** The entered variables, by server and template. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Closed or opened folders of the tree, by server and path; others are as they were first. */
  readonly folders: Readonly<Record<string, boolean>>;
  /** The shown read, by session and URI; the newest if there is none. */
  readonly shownRead: Readonly<Record<string, string | null>>;
  readonly view: ContentsView;
  readonly layout: 'tree' | 'list';
  readonly order: Order;
  readonly audience: Audience;
  /** Whether a resource is read again when the server says that it changed. */
  readonly readsOnUpdate: boolean;
}

/** State of the Resources pane, kept while the app runs. */
export const useResourcesState = create<ResourcesState>()(() => ({
  template: {},
  values: {},
  folders: {},
  shownRead: {},
  view: 'preview',
  layout: 'tree',
  order: 'server',
  audience: 'any',
  readsOnUpdate: true,
}));

keepInPlace<ResourcesState, Readonly<Record<string, string>>>(useResourcesState, {
  prefix: 'template-draft ',
  get: ({ values }) => values,
  set: (values) => ({ values }),
  ...typedFields,
});
keepChoice(useResourcesState, {
  name: 'resource-view',
  values: ['preview', 'hex', 'message'],
  get: ({ view }) => view,
  set: (view) => ({ view }),
});
keepChoice(useResourcesState, {
  name: 'resource-layout',
  values: ['tree', 'list'],
  get: ({ layout }) => layout,
  set: (layout) => ({ layout }),
});

const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);

export const openTemplate = (serverId: string, key: string | null): void =>
  useResourcesState.setState((state) => ({ template: { ...state.template, [serverId]: key } }));

const noValues: Readonly<Record<string, string>> = {};

/** The values entered for a template, and how to change one. */
export function useTemplateValues(
  serverId: string,
  template: string,
): readonly [Readonly<Record<string, string>>, (name: string, value: string) => void] {
  const key = keyOf(serverId, template);
  const values = useResourcesState((state) => state.values[key]) ?? noValues;
  const change = (name: string, value: string) =>
    useResourcesState.setState((state) => ({
      values: { ...state.values, [key]: { ...state.values[key], [name]: value } },
    }));
  return [values, change];
}

export const setFolder = (serverId: string, path: string, isOpen: boolean): void =>
  useResourcesState.setState((state) => ({ folders: { ...state.folders, [keyOf(serverId, path)]: isOpen } }));

export const folderKey = (serverId: string, path: string): string => keyOf(serverId, path);

export const showRead = (sessionId: string, uri: string, callId: string | null): void =>
  useResourcesState.setState((state) => ({
    shownRead: { ...state.shownRead, [keyOf(sessionId, uri)]: callId },
  }));

interface Reads {
  /** The reads of one URI, newest first. */
  readonly reads: readonly Call[];
  /** The one to show; null if it was never read. */
  readonly shown: Call | null;
  /** Why the last one could not be sent. */
  readonly fault: Fault | null;
}

/** The `resources/read` requests of one URI in a session, as they change. */
export function useReads(sessionId: string, uri: string): Reads {
  const { calls, fault: listFault } = useCalls(sessionId);
  const fault = useFault(faultKey(sessionId, uri));
  const reads = useMemo(() => calls.filter((one) => uriRead(one) === uri).sort(byNewest), [calls, uri]);
  const shownId = useResourcesState((state) => state.shownRead[keyOf(sessionId, uri)]);
  const shown = reads.find(({ id }) => id === shownId) ?? reads[0] ?? null;
  return { reads, shown, fault: fault ?? listFault };
}

const faultKey = (sessionId: string, uri: string): string => keyOf('read', sessionId, uri);

/** The URI that a call reads; null if it is not a `resources/read`. */
export function uriRead({ method, arguments: params }: Call): string | null {
  if (method !== RESOURCES_READ) return null;
  const parsed: unknown = JSON.parse(params);
  return isObject(parsed) && typeof parsed.uri === 'string' ? parsed.uri : null;
}

/** Reads a resource. Never rejects: what fails is the fault of `useReads`. */
export async function readResource(sessionId: string, uri: string): Promise<void> {
  const key = faultKey(sessionId, uri);
  setFault(key, null);
  showRead(sessionId, uri, null);
  const { call, fault } = await sendRequest({
    sessionId,
    method: RESOURCES_READ,
    params: JSON.stringify({ uri }),
    timeout: null,
  }).ended;
  if (call === null) setFault(key, fault);
}

/** The updates of each subscription: how many were reported, how many a read has followed, and whether one runs. */
const updates = new Map<string, { reported: number; followed: number; isReading: boolean }>();

function updatesOf({ sessionId, id }: Subscription) {
  const key = keyOf(sessionId, id);
  const known = updates.get(key) ?? { reported: 0, followed: 0, isReading: false };
  updates.set(key, known);
  return known;
}

/**
 * Reads a resource again if its subscription reported updates since the last read. One read at a time: a flood of
 * updates costs no more than the server takes to answer. Never rejects.
 */
export async function readUpdated(subscription: Subscription): Promise<void> {
  const { sessionId, notifications, requested } = subscription;
  const uri = requested.resourceSubscriptions?.[0];
  const known = updatesOf(subscription);
  known.reported = notifications;
  if (uri === undefined || known.isReading) return;
  known.isReading = true;
  while (known.followed < known.reported) {
    known.followed = known.reported;
    await readResource(sessionId, uri);
  }
  known.isReading = false;
}

/** Takes the updates so far as seen, so that only later ones cause a read. */
export const skipUpdates = (subscription: Subscription): void => {
  const known = updatesOf(subscription);
  known.reported = subscription.notifications;
  known.followed = subscription.notifications;
};
