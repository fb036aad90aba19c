import type { SessionView } from '#shared/contract/sessions.ts';

/** A session's phase at a glance: the tone of its dot and the word beside it. */
export interface PhaseWord {
  readonly tone: 'ok' | 'busy' | 'error' | 'off';
  readonly word: string;
}

/** Such as `ready`, `starting`, `detecting`, `exit 1` or `SIGKILL`; of a server never connected, `not connected`. */
export function phaseWord(session: SessionView | null): PhaseWord {
  if (session === null) return { tone: 'off', word: 'not connected' };
  switch (session.phase) {
    case 'connecting':
    case 'initializing':
      return { tone: 'busy', word: session.transport === 'stdio' ? 'starting' : 'connecting' };
    case 'detecting':
      return { tone: 'busy', word: 'detecting' };
    case 'ready':
      return { tone: 'ok', word: 'ready' };
    case 'closing':
      return { tone: 'busy', word: 'closing' };
    case 'closed':
      return { tone: 'off', word: 'closed' };
    case 'failed':
      return { tone: 'error', word: endWord(session) ?? 'failed' };
  }
}

/** How its process ended: `exit 1`, `SIGKILL`; null while it runs or when it never ran. */
export function endWord({ process }: SessionView): string | null {
  if (process === null) return null;
  if (process.signal !== null) return process.signal;
  return process.exitCode === null ? null : `exit ${process.exitCode}`;
}
