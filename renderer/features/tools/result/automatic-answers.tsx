import { Bot } from 'lucide-react';
import { declineAll, goToEntry, showRules, useEntries } from '#model/inbox.ts';
import { useSessions } from '#model/sessions.ts';
import { useAction } from '#model/use-query.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';

type AnsweredBy = NonNullable<InboxEntry['answer']>['by'];

/** What to say about questions that nobody was asked, by what answered them. */
const labels: Readonly<Partial<Record<AnsweredBy, (count: string) => string>>> = {
  declining: () => 'Declined automatically: Decline all is on.',
  rule: (count) => `${count} answered automatically by a rule.`,
  limit: (count) => `${count} refused automatically: too many wait for an answer.`,
  rate: (count) => `${count} refused automatically: over the limit of this server’s settings.`,
};

/** Says beside a result which questions of the tool were answered without the user, with a way to end that. */
export function AutomaticAnswers({ call }: { readonly call: Call }) {
  const { entries } = useEntries(call.sessionId);
  const isDecliningAll = useSessions(({ sessions }) => sessions[call.sessionId]?.isDecliningAll === true);
  const ending = useAction(() => declineAll(call.sessionId, false));
  const automatic = (entries ?? []).filter((entry) => isOfCall(entry, call));
  const ways = [...new Set(automatic.map(({ answer }) => answer?.by))];
  return ways.map((by) => {
    const label = by === undefined ? undefined : labels[by];
    if (label === undefined) return null;
    const ofThis = automatic.filter(({ answer }) => answer?.by === by);
    const [first] = ofThis;
    const text =
      by === 'declining' && !isDecliningAll
        ? 'Declined automatically: Decline all was on.'
        : label(formatQuantity(ofThis.length, 'question'));
    return (
      <div
        key={by}
        role="note"
        className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-ui border border-line border-l-2 border-l-warn bg-panel px-2.5 py-1.5"
      >
        <Bot aria-hidden className="size-3.5 shrink-0 text-warn" />
        <span className="w-[calc(100%-1.5rem)]">{text}</span>
        {first !== undefined && (
          <Button size="small" variant="quiet" onClick={() => goToEntry(call.sessionId, first.id)}>
            Show in the Inbox
          </Button>
        )}
        {by === 'declining' && isDecliningAll && (
          <Button size="small" disabled={ending.isRunning} onClick={() => void ending.run()}>
            Ask me again
          </Button>
        )}
        {by === 'rule' && (
          <Button size="small" onClick={showRules}>
            Edit the rules
          </Button>
        )}
        {by === 'declining' && ending.fault !== null && <FaultCard fault={ending.fault} />}
      </div>
    );
  });
}

/** Whether a question belongs to a call. Without a call of its own, by its time: over stdio a server does not say why it asks. */
function isOfCall({ callId, receivedAt }: InboxEntry, { id, startedAt, duration }: Call): boolean {
  if (callId !== null) return callId === id;
  const end = duration === null ? Infinity : startedAt + duration / 1000 + 1;
  return receivedAt >= startedAt && receivedAt <= end;
}
