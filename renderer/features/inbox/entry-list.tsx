import { createContext, type ReactNode, type Ref, useContext } from 'react';
import { declineAll, type InboxPanel, showPanel, useShownPanel } from '#model/inbox.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { useAction } from '#model/use-query.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { formatClock, formatUptime } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { OptionList } from '#ui/option-list.tsx';
import { useNow } from '#ui/use-now.ts';
import { visibleLine } from '#ui/visible.ts';
import { readQuestion, summaryOf } from './read-question.ts';

/** All questions of a session. Up and Down move the selection, Enter focuses the answer. */
export function EntryList({
  session,
  isLive,
  limit,
  entries,
  selected,
  onSelect,
  onEnter,
  ref,
}: {
  readonly session: SessionStatus;
  /** Whether the session is live, not recorded. */
  readonly isLive: boolean;
  /** How many requests a minute the settings of the server allow. */
  readonly limit: number | undefined;
  readonly entries: readonly InboxEntry[];
  readonly selected: InboxEntry | null;
  /** Must be stable. */
  readonly onSelect: (entry: InboxEntry) => void;
  readonly onEnter: () => void;
  readonly ref: Ref<HTMLDivElement>;
}) {
  const waiting = entries.filter(isWaiting).length;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="caption flex h-8 shrink-0 items-center gap-1 pr-1 pl-3.5">
        <span className="min-w-0 flex-1 truncate">Questions</span>
        {isLive && (
          <span className="flex shrink-0">
            <PanelButton panel="rules" />
            <PanelButton panel="model" />
          </span>
        )}
      </div>
      <Clock isRunning={waiting > 0}>
        <OptionList
          ref={ref}
          label="Questions"
          options={entries}
          idOf={idOf}
          nameOf={nameOf}
          selected={selected}
          onSelect={onSelect}
          onEnter={onEnter}
        >
          {drawEntry}
        </OptionList>
      </Clock>
      <DeclineAll session={session} />
      <p role="status" className="flex h-6 shrink-0 items-center px-3.5 text-xs text-faint">
        {waiting === 0 ? 'none waiting' : `${waiting} waiting`} · {entries.length} asked
        {limit !== undefined && ` · at most ${limit} a minute`}
      </p>
    </div>
  );
}

const panelLabels: Readonly<Record<InboxPanel, string>> = { rules: 'Rules…', model: 'Model…' };

/** Shows the rules, or the settings of the model, in place of the question. */
function PanelButton({ panel }: { readonly panel: InboxPanel }) {
  const shown = useShownPanel();
  return (
    <Button
      size="small"
      variant="quiet"
      className="aria-pressed:bg-hover aria-pressed:text-text"
      aria-pressed={shown === panel}
      onClick={() => showPanel(shown === panel ? null : panel)}
    >
      {panelLabels[panel]}
    </Button>
  );
}

/** Declines what waits, and everything that comes until the user takes it back. */
function DeclineAll({ session: { id, phase, isDecliningAll } }: { readonly session: SessionStatus }) {
  const setting = useAction((isOn: boolean) => declineAll(id, isOn));
  if (phase !== 'ready') return null;
  return (
    <div className="shrink-0 border-t border-line px-2.5 py-1.5">
      {isDecliningAll && (
        <p role="status" className="mb-1 text-xs text-warn">
          Decline all is on. Everything this server requests is declined.
        </p>
      )}
      <Button
        size="small"
        className="w-full justify-center"
        disabled={setting.isRunning}
        onClick={() => void setting.run(!isDecliningAll)}
      >
        {isDecliningAll ? 'Ask me again' : 'Decline all'}
      </Button>
      {!isDecliningAll && <p className="mt-1 text-xs text-faint">Later questions too, until you end it.</p>}
      {setting.fault !== null && <FaultCard fault={setting.fault} className="mt-1" />}
    </div>
  );
}

const isWaiting = ({ state }: InboxEntry): boolean => state === 'waiting';

const idOf = ({ id }: InboxEntry): string => id;

const nameOf = (entry: InboxEntry): string =>
  `${visibleLine(cachedSummary(entry))}, ${entry.method}, ${stateLabel(entry)}`;

const drawEntry = (entry: InboxEntry) => (
  <>
    <div className="flex items-baseline gap-2">
      <span className={cx('min-w-0 flex-1 truncate', isWaiting(entry) ? 'font-medium' : 'text-mute')}>
        {visibleLine(cachedSummary(entry))}
      </span>
      <span className={cx('shrink-0 text-xs', isWaiting(entry) ? 'text-warn' : 'text-faint')}>
        {stateLabel(entry)}
      </span>
    </div>
    <div className="flex items-baseline gap-2">
      <span className="mono min-w-0 flex-1 truncate text-faint">{entry.method}</span>
      <span className="mono shrink-0 text-xs text-faint tabular-nums">
        {isWaiting(entry) ? <Waited since={entry.receivedAt} /> : formatClock(entry.receivedAt).slice(0, 8)}
      </span>
    </div>
  </>
);

/** Cached per entry, because a question may contain images. */
const summaries = new WeakMap<InboxEntry, string>();

function cachedSummary(entry: InboxEntry): string {
  const known = summaries.get(entry);
  if (known !== undefined) return known;
  const summary = summaryOf(readQuestion(entry));
  summaries.set(entry, summary);
  return summary;
}

function stateLabel({ state, answer }: InboxEntry): string {
  if (state !== 'answered' || answer === null) return state;
  if (answer.by === 'rule') return 'by rule';
  if (answer.by === 'declining') return 'by Decline all';
  if (answer.by === 'rate' || answer.by === 'limit') return 'over the limit';
  if (answer.content.kind === 'decline') return 'declined';
  return answer.content.kind === 'cancel' ? 'cancelled' : 'answered';
}

const Now = createContext(0);

/** Provides the current time, so that only the waiting times are rendered every second. */
function Clock({ isRunning, children }: { readonly isRunning: boolean; readonly children: ReactNode }) {
  return <Now value={useNow(1000, isRunning)}>{children}</Now>;
}

const Waited = ({ since }: { readonly since: number }) => formatUptime(useContext(Now) - since);
