import { useMemo, useState } from 'react';
import { editAndResend } from '#model/composer.ts';
import { useSentGroups } from '#model/sent-messages.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { formatClock } from '#shared/format.ts';
import { ParamsPreview } from '#ui/params-preview.tsx';
import { SearchField } from '#ui/search-field.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type MessageLine, MessageSection } from './message-section.tsx';
import { SavedMessageList } from './saved-messages.tsx';
import { type Outcome, sentLabel, statusOf, unitKey, useUnitOutcomes } from './outcome.ts';

/** Messages of the history that are listed. */
const MAX_LISTED = 60;

/** Messages to edit: those saved in the test file of the server, and what was sent in this session. */
export function MessageList({ session }: { readonly session: SessionStatus }) {
  const [search, setSearch] = useState('');
  const groups = useSentGroups(session.id);
  const sent = useMemo(
    () =>
      groups
        .flatMap(({ at, sent: units }) => units.map(({ row }) => ({ sessionId: session.id, at, row })))
        .slice(-MAX_LISTED)
        .toReversed(),
    [groups, session.id],
  );
  const outcomes = useUnitOutcomes(sent);
  const read = sent.flatMap((unit) => {
    const outcome = outcomes.get(unitKey(unit));
    return outcome === undefined ? [] : [{ ...unit, ...toLine(outcome) }];
  });
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = read.filter(({ searched }) => words.every((word) => searched.includes(word)));
  const lines = found.map(
    ({ sessionId, row, at, text, params, status }): MessageLine => ({
      key: unitKey({ sessionId, row }),
      onOpen: () => reportFault(editAndResend(sessionId, row)),
      children: (
        <>
          <span className="mono shrink-0 text-xs text-faint">{formatClock(at).slice(0, 5)}</span>
          <span className="flex min-w-0 flex-1 items-baseline gap-1.5">
            <span className="max-w-full shrink-0 truncate">{visibleLine(text)}</span>
            <ParamsPreview text={params} />
          </span>
          <span className={`mono shrink-0 text-xs ${tones[status.tone]}`}>{status.text}</span>
        </>
      ),
    }),
  );
  return (
    <div className="flex h-full min-h-0 flex-col bg-panel">
      <div className="p-2">
        <SearchField label="Find a message" value={search} onChange={setSearch} />
      </div>
      <SavedMessageList session={session} search={search} />
      <MessageSection
        title="History"
        label="Message history"
        count={sent.length}
        // What is not read yet may be found.
        shown={sent.length - read.length + found.length}
        lines={lines}
      >
        {sent.length === 0 && <p className="px-3 text-sm text-faint">What you send is listed here.</p>}
      </MessageSection>
    </div>
  );
}

/** A message of the history in words. */
function toLine(outcome: Outcome) {
  const [head] = outcome.messages;
  const label = sentLabel(outcome);
  const subject = head === undefined || head.kind === 'noise' ? '' : head.summary;
  const params = head?.paramsPreview ?? '';
  return {
    text: subject === '' ? label : subject,
    params,
    searched: `${label} ${subject} ${params}`.toLowerCase(),
    status: statusOf(outcome),
  };
}

const tones = { ok: 'text-in', warn: 'text-warn', error: 'text-err', waiting: 'text-mute' } as const;
