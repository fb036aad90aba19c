import { type ReactNode, useEffect, useRef } from 'react';
import type { Completion } from '#shared/trace/filter/index.ts';
import { AnchoredPanel } from '#ui/anchored-panel.tsx';
import { cx } from '#ui/cx.ts';
import type { Problem } from './problem.ts';

/** Under the text of the filter: what can be put where the caret is, else why the filter cannot be read. */
export function Suggestions({
  id,
  completion,
  active,
  onActive,
  onTake,
  problem,
  problemId,
  children,
}: {
  readonly id: string;
  readonly completion: Completion | null;
  /** The option that Enter takes; -1 for none. */
  readonly active: number;
  readonly onActive: (place: number) => void;
  readonly onTake: (place: number) => void;
  readonly problem: Problem | null;
  readonly problemId: string;
  readonly children: ReactNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-place="${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const panel =
    completion === null ? (
      <p id={problemId} role="status" className="px-2.5 py-1.5 text-err">
        {problem?.message}
      </p>
    ) : (
      <div id={id} role="listbox" aria-label="Suggestions" className="p-1">
        {completion.options.map(({ label, hint }, place) => (
          <button
            type="button"
            key={label}
            id={`${id}-${place}`}
            data-place={place}
            role="option"
            tabIndex={-1}
            aria-selected={place === active}
            onMouseMove={() => onActive(place)}
            onClick={() => onTake(place)}
            className={cx(
              'flex h-row w-full items-center gap-4 rounded-sm px-2 text-left',
              place === active && 'bg-sel',
            )}
          >
            <span className="mono max-w-[260px] shrink-0 truncate">{label}</span>
            <span className="ml-auto truncate text-xs text-mute">{hint}</span>
          </button>
        ))}
      </div>
    );
  return (
    <AnchoredPanel
      isOpen={completion !== null || problem !== null}
      panel={panel}
      panelRef={list}
      className="max-h-[320px] max-w-[560px]"
    >
      {children}
    </AnchoredPanel>
  );
}
