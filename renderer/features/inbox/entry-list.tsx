import { type KeyboardEvent, memo, type Ref, useEffect, useId, useMemo, useRef } from 'react';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { formatClock, formatUptime } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import { useNow } from '#ui/use-now.ts';
import { visibleLine } from '#ui/visible.ts';
import { readQuestion, summaryOf } from './question/read-question.ts';

/** All questions of a session. Up and down move the selection, Enter leads to the answer. */
export function EntryList({
  serverName,
  entries,
  selected,
  onSelect,
  onEnter,
  ref,
}: {
  readonly serverName: string;
  readonly entries: readonly InboxEntry[];
  readonly selected: InboxEntry | null;
  readonly onSelect: (entry: InboxEntry) => void;
  readonly onEnter: () => void;
  readonly ref: Ref<HTMLDivElement>;
}) {
  const listId = useId();
  const optionId = ({ id }: InboxEntry) => `${listId}-${id}`;
  const waiting = entries.filter(({ state }) => state === 'waiting').length;
  const now = useNow(1000, waiting > 0);
  const onKeyDown = (press: KeyboardEvent) => {
    if (press.altKey || press.ctrlKey || press.metaKey || press.shiftKey) return;
    if (press.key === 'Enter') {
      press.preventDefault();
      onEnter();
      return;
    }
    const at = entries.findIndex((entry) => entry.id === selected?.id);
    const to = moves[press.key]?.(at, entries.length);
    const entry = to === undefined ? undefined : entries[Math.min(Math.max(to, 0), entries.length - 1)];
    if (entry === undefined) return;
    press.preventDefault();
    onSelect(entry);
  };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="caption flex h-8 shrink-0 items-center px-3.5">
        <span className="min-w-0 truncate">
          Asked by <span className="font-medium tracking-normal normal-case">{visibleLine(serverName)}</span>
        </span>
      </div>
      <div
        ref={ref}
        role="listbox"
        aria-label="Questions"
        aria-activedescendant={selected === null ? undefined : optionId(selected)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        {entries.map((entry) => (
          <Line
            key={entry.id}
            id={optionId(entry)}
            entry={entry}
            when={entry.state === 'waiting' ? formatUptime(now - entry.askedAt) : clockOf(entry.askedAt)}
            isSelected={entry.id === selected?.id}
            onSelect={onSelect}
          />
        ))}
      </div>
      <p role="status" className="flex h-6 shrink-0 items-center px-3.5 text-xs text-faint">
        {waiting === 0 ? 'none waits' : `${waiting} of ${entries.length} ${waiting === 1 ? 'waits' : 'wait'}`}
      </p>
    </div>
  );
}

const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

const clockOf = (wall: number): string => formatClock(wall).slice(0, 8);

function stateWords({ state, answer }: InboxEntry): string {
  if (state !== 'answered' || answer === null) return state;
  if (answer.by === 'rule') return 'by rule';
  if (answer.said.kind === 'decline') return 'declined';
  return answer.said.kind === 'cancel' ? 'cancelled' : 'answered';
}

const Line = memo(function Line({
  id,
  entry,
  when,
  isSelected,
  onSelect,
}: {
  readonly id: string;
  readonly entry: InboxEntry;
  /** How long it waits, or at what time it was asked. */
  readonly when: string;
  readonly isSelected: boolean;
  readonly onSelect: (entry: InboxEntry) => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const summary = useMemo(() => summaryOf(readQuestion(entry)), [entry]);
  const isWaiting = entry.state === 'waiting';
  return (
    // The keys of an option are those of its list.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isSelected}
      aria-label={`${visibleLine(summary)}, ${entry.method}, ${stateWords(entry)}`}
      tabIndex={-1}
      onClick={() => onSelect(entry)}
      className={cx(
        'border-l-2 py-[5px] pr-2.5 pl-3 [contain-intrinsic-size:auto_47px] [content-visibility:auto]',
        isSelected ? 'border-accent bg-hover' : 'border-transparent hover:bg-hover/60',
      )}
    >
      <div className="flex items-baseline gap-2">
        <span className={cx('min-w-0 flex-1 truncate', isWaiting ? 'font-medium' : 'text-mute')}>
          {visibleLine(summary)}
        </span>
        <span className={cx('shrink-0 text-xs', isWaiting ? 'text-warn' : 'text-faint')}>
          {stateWords(entry)}
        </span>
      </div>
      <div className="flex items-baseline gap-2">
        <span className="mono min-w-0 flex-1 truncate text-faint">{entry.method}</span>
        <span className="mono shrink-0 text-xs text-faint tabular-nums">{when}</span>
      </div>
    </div>
  );
});
