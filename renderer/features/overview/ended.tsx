import { CircleStop } from 'lucide-react';
import type { ReactNode } from 'react';
import { endWord } from '#model/phase.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { formatClock, formatRunTime } from '#shared/format.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { Remedies } from './remedies.tsx';

/** A session that is over: why, how its process ended, and the ways on from here. */
export function Ended({ session, action }: { readonly session: SessionView; readonly action: ReactNode }) {
  const facts = [
    endWord(session),
    session.closedAt !== null && `at ${formatClock(session.closedAt)}`,
    session.closedAt !== null && `after ${formatRunTime(session.closedAt - session.openedAt)}`,
  ].filter(Boolean);
  const line = <span className="mono text-sm text-mute">{facts.join(' · ')}</span>;
  if (session.fault !== null) {
    return (
      <FaultCard
        fault={session.fault}
        actions={
          <div className="flex flex-wrap items-center gap-x-2 gap-y-2">
            <Remedies session={session} />
            {action}
            <span className="ml-1">{line}</span>
          </div>
        }
      />
    );
  }
  return (
    <section aria-label="The session is over" className="flex flex-wrap items-center gap-3">
      <CircleStop aria-hidden className="size-4 shrink-0 text-mute" />
      <PlainText text={session.reason ?? 'The session is over.'} className="font-medium" />
      {line}
      {action}
    </section>
  );
}
