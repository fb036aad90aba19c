import { useMemo } from 'react';
import { call } from '#bridge';
import { addStartedCall, useCalls } from '#model/calls.ts';
import { faultOf, setFault, useFault } from '#model/faults.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { SentOptions } from './drafts.ts';

interface ToolCalls {
  /** The calls of one tool, newest first. */
  readonly calls: readonly Call[];
  /** Why the last call could not be made or cancelled. */
  readonly fault: Fault | null;
}

/** The calls of a tool in a session, as they change. */
export function useToolCalls(sessionId: string, tool: string | null): ToolCalls {
  const { calls: all, fault: listFault } = useCalls(sessionId);
  const fault = useFault(tool === null ? null : faultKey(sessionId, tool));
  const calls = useMemo(
    () => all.filter((one) => one.tool === tool).sort((a, b) => b.requestId - a.requestId),
    [all, tool],
  );
  return { calls, fault: fault ?? listFault };
}

const faultKey = (sessionId: string, tool: string) => JSON.stringify(['call', sessionId, tool]);

interface CallRequest extends SentOptions {
  readonly sessionId: string;
  readonly tool: string;
  readonly arguments: string;
}

/** Calls a tool. Never rejects: a call that cannot be made becomes the fault of `useToolCalls`. */
export async function startCall(request: CallRequest): Promise<void> {
  const key = faultKey(request.sessionId, request.tool);
  setFault(key, null);
  try {
    addStartedCall(await call('calls/start', request));
  } catch (error) {
    setFault(key, faultOf(error));
  }
}

/** Asks the server to cancel a call. Never rejects. */
export async function cancelCall({ sessionId, id, method, tool }: Call): Promise<void> {
  try {
    await call('calls/cancel', { sessionId, callId: id });
  } catch (error) {
    setFault(faultKey(sessionId, tool ?? method), faultOf(error));
  }
}
