import { useMemo, useState } from 'react';
import { editAndResend } from '#model/composer.ts';
import { useSentGroups } from '#model/sent-messages.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { formatClock } from '#shared/format.ts';
import { SearchField } from '#ui/search-field.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { MessageSection } from './message-section.tsx';
import { SavedMessageList } from './saved-messages.tsx';
import { sentLabel, useOutcome, statusOf } from './outcome.ts';

/** Messages of the history that are listed. */
const MAX_LISTED = 60;

/** Messages to edit: those saved in the test file of the server, and what was sent in this session. */
export function MessageList({ session }: { readonly session: SessionStatus }) {
  const [search, setSearch] = useState('');
  const groups = useSentGroups(session.id);
  const sent = useMemo(
    () =>
      groups
        .flatMap(({ at, sent: units }) => units.map(({ row }) => ({ at, row })))
        .slice(-MAX_LISTED)
        .toReversed(),
    [groups],
  );
  return (
    <div className="flex h-full min-h-0 flex-col bg-panel">
      <div className="p-2">
        <SearchField label="Find a message" value={search} onChange={setSearch} />
      </div>
      <SavedMessageList session={session} search={search} />
      <MessageSection title="History" label="Message history" count={sent.length}>
        {sent.length === 0 && <p className="px-3 text-sm text-faint">What you send is listed here.</p>}
        <ul aria-label="History">
          {sent.map(({ at, row }) => (
            <HistoryLine key={row} session={session} at={at} row={row} search={search} />
          ))}
        </ul>
      </MessageSection>
    </div>
  );
}

function HistoryLine({
  session,
  at,
  row,
  search,
}: {
  readonly session: SessionStatus;
  readonly at: number;
  readonly row: number;
  readonly search: string;
}) {
  const outcome = useOutcome(session.id, row);
  if (outcome === null) return null;
  const [head] = outcome.messages;
  const label = sentLabel(outcome);
  const subject = head === undefined || head.kind === 'noise' ? '' : head.summary;
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => `${label} ${subject}`.toLowerCase().includes(word))) return null;
  const { text, tone } = statusOf(outcome);
  return (
    <li>
      <button
        type="button"
        onClick={() => reportFault(editAndResend(session.id, row))}
        className="flex h-row w-full items-center gap-2 px-3 text-left hover:bg-hover"
      >
        <span className="mono shrink-0 text-xs text-faint">{formatClock(at).slice(0, 5)}</span>
        <span className="min-w-0 flex-1 truncate">{visibleLine(subject === '' ? label : subject)}</span>
        <span className={`mono shrink-0 text-xs ${tones[tone]}`}>{text}</span>
      </button>
    </li>
  );
}

const tones = { ok: 'text-in', warn: 'text-warn', error: 'text-err', waiting: 'text-mute' } as const;
