import { useEffect, useState } from 'react';
import { call, on } from '#bridge';
import type { SessionView } from '#shared/contract/sessions.ts';

/** How many tools a session's server lists, for the tab; null before the list is there. */
export function useToolCount(session: SessionView | null): number | null {
  const [counted, setCounted] = useState<{ sessionId: string; count: number | null } | null>(null);
  const sessionId = session?.id ?? null;
  useEffect(() => {
    if (sessionId === null) return;
    let isCurrent = true;
    const count = async () => {
      const { state, entries } = await call('catalog/tools', { sessionId });
      if (isCurrent) setCounted({ sessionId, count: state === 'ready' ? entries.length : null });
    };
    // The Tools pane shows why a list cannot be had; a tab without a number says enough.
    const ask = () => void count().catch(() => isCurrent && setCounted(null));
    ask();
    const stop = on('catalog/tools-changed', (changed) => {
      if (changed.sessionId === sessionId) ask();
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [sessionId]);
  return counted !== null && counted.sessionId === sessionId ? counted.count : null;
}
