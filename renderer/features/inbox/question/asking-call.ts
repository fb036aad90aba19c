import { useEffect, useState } from 'react';
import { call, on } from '#bridge';
import type { Call } from '#shared/contract/calls.ts';
import { reportFailure } from '#ui/toaster.tsx';

/** The call in whose course a question is asked; null while it is not known. */
export function useAskingCall(sessionId: string, callId: string | null): Call | null {
  const [found, setFound] = useState<Call | null>(null);
  useEffect(() => {
    if (callId === null) return;
    const stop = on('calls/changed', (changed) => {
      if (changed.id === callId) setFound(changed);
    });
    const find = async () => {
      const calls = await call('calls/list', { sessionId });
      const told = calls.find(({ id }) => id === callId) ?? null;
      // A notice that came meanwhile knows more.
      setFound((known) => (known?.id === callId ? known : told));
    };
    reportFailure(find());
    return stop;
  }, [sessionId, callId]);
  return found?.id === callId ? found : null;
}
