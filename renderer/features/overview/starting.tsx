import { LoaderCircle } from 'lucide-react';
import type { SessionView } from '#shared/contract/sessions.ts';
import { formatUptime } from '#shared/format.ts';
import { useNow } from '#ui/use-now.ts';
import { EvidenceList } from './connection/evidence-list.tsx';

/** After this long the user wonders. */
const HINT_AFTER_MS = 3000;

/** What a session on its way waits for, at a process and over HTTP. */
const words = {
  connecting: { process: 'Starting the process…', http: 'Connecting…' },
  detecting: {
    process: 'Finding out which era the server speaks…',
    http: 'Finding out which era and transport the server speaks…',
  },
  initializing: {
    process: 'Waiting for the answer to initialize…',
    http: 'Waiting for the answer to initialize…',
  },
} as const;

const hints = {
  process:
    'A package runner such as npx or uvx can need 30 seconds the first time. What the server writes to stderr meanwhile is in the trace below.',
  http: 'The trace below shows each request, and at which step it is.',
} as const;

type StartingPhase = keyof typeof words;

/** Whether a session is on its way to ready. */
export const isStarting = (session: SessionView): session is SessionView & { phase: StartingPhase } =>
  Object.hasOwn(words, session.phase);

/** A session on its way to ready: what it waits for, for how long, and what it has found out so far. */
export function Starting({ session }: { readonly session: SessionView & { phase: StartingPhase } }) {
  const elapsed = useNow(250, true) - session.openedAt;
  const kind = session.transport === 'stdio' ? 'process' : 'http';
  return (
    <section aria-label="Starting" className="flex max-w-[760px] gap-2.5">
      <LoaderCircle aria-hidden className="mt-0.5 size-4 shrink-0 animate-spin text-warn" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          <span role="status">{words[session.phase][kind]}</span>{' '}
          <span className="mono font-normal text-mute">{formatUptime(elapsed)}</span>
        </p>
        {elapsed >= HINT_AFTER_MS && <p className="mt-0.5 text-mute">{hints[kind]}</p>}
        <div className="mt-1">
          <EvidenceList session={session} />
        </div>
      </div>
    </section>
  );
}
