import { useEffect, useMemo, useState } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import type {
  AuthorizationFinding,
  AuthorizationFlow,
  AuthorizationSettings,
  AuthorizationStep,
  RevisionCheck,
  StoredCredentials,
} from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Params } from '#shared/contract/index.ts';
import { faultOf, setFault, useFault } from './faults.ts';
import { followList } from './follow.ts';
import { useQuery } from './use-query.ts';

/** Flows by session, then by id. */
const useFlowStore = create<Readonly<Record<string, Readonly<Record<string, AuthorizationFlow>>>>>()(
  () => ({}),
);

const putFlows = (sessionId: string, flows: readonly AuthorizationFlow[]) =>
  useFlowStore.setState(({ [sessionId]: known }) => ({
    [sessionId]: { ...known, ...Object.fromEntries(flows.map((flow) => [flow.id, flow])) },
  }));

/** The authorization flows of a session as they change, in their order. @param sessionId null for none */
export function useFlows(sessionId: string | null): {
  /** Null until the list is loaded. */
  readonly flows: readonly AuthorizationFlow[] | null;
  readonly fault: Fault | null;
} {
  useEffect(() => {
    if (sessionId === null) return;
    const { loaded, stop } = followList<AuthorizationFlow>({
      list: () => call('authorization/flows', { sessionId }),
      listen: (changed) =>
        on('authorization/changed', (flow) => {
          if (flow.sessionId === sessionId) changed(flow);
        }),
      idOf: ({ id }) => id,
      put: (flows) => putFlows(sessionId, flows),
    });
    loaded.then(
      () => setFault(faultKey(sessionId), null),
      (error: unknown) => setFault(faultKey(sessionId), faultOf(error)),
    );
    return stop;
  }, [sessionId]);
  const known = useFlowStore((bySession) => (sessionId === null ? noFlows : bySession[sessionId]));
  const fault = useFault(sessionId === null ? null : faultKey(sessionId));
  const flows = useMemo(
    () => (known === undefined ? null : Object.values(known).sort((a, b) => a.number - b.number)),
    [known],
  );
  return { flows, fault };
}

const noFlows: Readonly<Record<string, AuthorizationFlow>> = {};

const faultKey = (sessionId: string): string => `flows of ${sessionId}`;

/** The flow that the user chose to look at, by session. */
const useShownFlows = create<Readonly<Record<string, string>>>()(() => ({}));

export const showFlow = ({ sessionId, id }: Pick<AuthorizationFlow, 'sessionId' | 'id'>): void =>
  useShownFlows.setState({ [sessionId]: id });

/** Shows the newest flow again, whatever the user chose before. */
export const showNewestFlow = (sessionId: string): void =>
  useShownFlows.setState((shown) => {
    const { [sessionId]: _, ...others } = shown;
    return others;
  }, true);

/** The flow on screen: the chosen one, or the newest. */
export function useShownFlow(
  sessionId: string | null,
  flows: readonly AuthorizationFlow[] | null,
): AuthorizationFlow | null {
  const chosen = useShownFlows((shown) => (sessionId === null ? undefined : shown[sessionId]));
  return flows?.find(({ id }) => id === chosen) ?? flows?.at(-1) ?? null;
}

/** Adds a flow that a command returned, unless an event has already brought a newer one, and shows it. */
export function addFlow(flow: AuthorizationFlow): void {
  if (useFlowStore.getState()[flow.sessionId]?.[flow.id] === undefined) putFlows(flow.sessionId, [flow]);
  showFlow(flow);
}

/** Begins a flow, and shows it. */
export async function beginFlow(choices: Params<'authorization/begin'>): Promise<void> {
  addFlow(await call('authorization/begin', choices));
}

/** Every finding of a flow, with the step that it is of. */
export const findingsOf = ({
  steps,
}: AuthorizationFlow): readonly {
  readonly step: AuthorizationStep;
  readonly finding: AuthorizationFinding;
}[] => steps.flatMap((step) => step.findings.map((finding) => ({ step, finding })));

/** What a flow breaks of another revision. @param revision null for its own, which needs no check */
export function useRevisionCheck(
  flow: AuthorizationFlow,
  revision: string | null,
): { readonly check: RevisionCheck | null; readonly fault: Fault | null } {
  const { sessionId, id: flowId, steps } = flow;
  const progress = steps.map(({ id, state }) => `${id} ${state}`).join(', ');
  const { latest, fault } = useQuery(
    revision === null ? null : `${sessionId} ${flowId} ${revision} ${progress}`,
    () => call('authorization/check-against', { sessionId, flowId, revision: revision ?? '' }),
  );
  return { check: revision !== null && latest?.revision === revision ? latest : null, fault };
}

/** How many findings the flow on screen has. @param sessionId null for none */
export function useFlowFindings(sessionId: string | null): number {
  const { flows } = useFlows(sessionId);
  const flow = useShownFlow(sessionId, flows);
  return flow === null ? 0 : findingsOf(flow).length;
}

/** The id of the flow that waits for the user, stopped before a step or for the browser; null if none does. */
export function useWaitingFlow(sessionId: string | null): string | null {
  const { flows } = useFlows(sessionId);
  return flows?.findLast(({ state }) => state === 'waiting' || state === 'stopped')?.id ?? null;
}

const noCredentials: readonly StoredCredentials[] = [];

/** What is stored for a server, as it changes. @param serverId null for none, as in a recorded session */
export function useCredentials(serverId: string | null): {
  readonly credentials: readonly StoredCredentials[];
  readonly fault: Fault | null;
} {
  const [version, setVersion] = useState(0);
  useEffect(
    () =>
      on('authorization/credentials-changed', (changed) => {
        if (changed.serverId === serverId) setVersion((now) => now + 1);
      }),
    [serverId],
  );
  const { latest, fault } = useQuery(serverId === null ? null : `${serverId} ${version}`, () =>
    call('authorization/credentials', { serverId }),
  );
  return { credentials: latest ?? noCredentials, fault };
}

/** The client ID metadata document of these settings, as JSON text to host. @param serverId null for a new server */
export async function writeDocument(
  serverId: string | null,
  settings: AuthorizationSettings,
): Promise<string> {
  const { text } = await call('authorization/write-document', { serverId, settings });
  return text;
}
