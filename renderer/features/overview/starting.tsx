import { LoaderCircle } from 'lucide-react';
import type { SessionView } from '#shared/contract/sessions.ts';
import { formatUptime } from '#shared/format.ts';
import { useNow } from '#ui/use-now.ts';

/** After this long the user wonders. */
const HINT_AFTER_MS = 3000;

const words = {
  connecting: 'Starting the process…',
  initializing: 'Waiting for the answer to initialize…',
} as const;

/** A session on its way to ready: what it waits for, and for how long. */
export function Starting({ session }: { readonly session: SessionView }) {
  const elapsed = useNow(250, true) - session.openedAt;
  return (
    <section aria-label="Starting" className="flex gap-2.5">
      <LoaderCircle aria-hidden className="mt-0.5 size-4 animate-spin text-warn" />
      <div>
        <p className="font-medium">
          <span role="status">{session.phase === 'connecting' ? words.connecting : words.initializing}</span>{' '}
          <span className="mono font-normal text-mute">{formatUptime(elapsed)}</span>
        </p>
        {elapsed >= HINT_AFTER_MS && (
          <p className="mt-0.5 text-mute">
            A package runner such as npx or uvx can need 30 seconds the first time. What the server writes to
            stderr meanwhile is in the trace below.
          </p>
        )}
      </div>
    </section>
  );
}
