import { useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import { faultOf } from '#model/connection.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { reportFailure } from '#ui/toaster.tsx';
import type { CallTimes } from './drafts.ts';

interface ToolCalls {
  /** Every call of each session, by its id. */
  readonly calls: Readonly<Record<string, Readonly<Record<string, Call>>>>;
  /** Why the last call of a tool could not even be made, by session and tool. */
  readonly faults: Readonly<Record<string, Fault>>;
}

const useToolCalls = create<ToolCalls>()(() => ({ calls: {}, faults: {} }));

const keep = (...changed: readonly Call[]) =>
  useToolCalls.setState(({ calls }) => {
    const next = { ...calls };
    for (const one of changed) next[one.sessionId] = { ...next[one.sessionId], [one.id]: one };
    return { calls: next };
  });

const faultKey = (sessionId: string, tool: string) => JSON.stringify([sessionId, tool]);

const setFault = (key: string, fault: Fault | null) =>
  useToolCalls.setState(({ faults: { [key]: _, ...others } }) => ({
    faults: fault === null ? others : { ...others, [key]: fault },
  }));

/** Whether a call still waits for its answer. */
export const isRunning = ({ state }: Call): boolean => state === 'running';

export interface ToolCallsView {
  /** The calls of one tool, the newest first. */
  readonly calls: readonly Call[];
  readonly fault: Fault | null;
}

/** The calls of a tool in a session, as they change. */
export function useCallsOf(sessionId: string, tool: string | null): ToolCallsView {
  useEffect(() => {
    const told = new Set<string>();
    const stop = on('calls/changed', (changed) => {
      if (changed.sessionId !== sessionId) return;
      told.add(changed.id);
      keep(changed);
    });
    const list = async () => {
      const calls = await call('calls/list', { sessionId });
      // A notice that came meanwhile knows more; what was known before knows less, for nobody listened.
      keep(...calls.filter(({ id }) => !told.has(id)));
    };
    reportFailure(list());
    return stop;
  }, [sessionId]);
  const all = useToolCalls(({ calls }) => calls[sessionId]);
  const fault = useToolCalls(({ faults }) =>
    tool === null ? null : (faults[faultKey(sessionId, tool)] ?? null),
  );
  const calls = useMemo(
    () =>
      Object.values(all ?? {})
        .filter((one) => one.tool === tool)
        .sort((a, b) => b.requestId - a.requestId),
    [all, tool],
  );
  return { calls, fault };
}

const known = (sessionId: string, callId: string) => useToolCalls.getState().calls[sessionId]?.[callId];

export interface CallRequest extends CallTimes {
  readonly sessionId: string;
  readonly tool: string;
  readonly arguments: string;
}

/** Calls a tool. Never rejects; why a call could not be made is with its calls. */
export async function startCall(request: CallRequest): Promise<void> {
  const key = faultKey(request.sessionId, request.tool);
  setFault(key, null);
  try {
    const started = await call('calls/start', request);
    // The notice of a fast answer may have come first; it knows more.
    if (known(started.sessionId, started.id) === undefined) keep(started);
  } catch (error) {
    setFault(key, faultOf(error));
  }
}

/** Tells the server to stop. Never rejects. */
export async function cancelCall({ sessionId, id, method, tool }: Call): Promise<void> {
  try {
    await call('calls/cancel', { sessionId, callId: id });
  } catch (error) {
    setFault(faultKey(sessionId, tool ?? method), faultOf(error));
  }
}
