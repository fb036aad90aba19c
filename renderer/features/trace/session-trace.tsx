import { useEffect, useMemo, useRef, useState } from 'react';
import { useCommands } from '#model/commands.ts';
import { faultOf } from '#model/connection.ts';
import { selectTraceRow, useSelection } from '#model/selection.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { Detail } from './detail/detail.tsx';
import { ExchangeCommand } from './exchange-command.tsx';
import { useSignal } from './frame-signal.ts';
import { MessageTable } from './table/message-table.tsx';
import { TraceBar } from './filter/trace-bar.tsx';
import type { TraceView } from './trace-view.ts';
import { traceViewOf } from './trace-views.ts';

/** Below this width the detail stands under the table instead of beside it; pixels. */
const WIDE_ENOUGH = 1000;

/** One session's trace: the bar, the table and the detail of the selected row. */
export function SessionTrace({
  sessionId,
  isOpen,
}: {
  readonly sessionId: string;
  readonly isOpen: boolean;
}) {
  const view = useMemo(() => traceViewOf(sessionId), [sessionId]);
  const selected = useSelection(({ traceRow }) => traceRow[sessionId] ?? null);
  useEffect(() => {
    view.follow(useSelection.getState().traceRow[sessionId] ?? null);
    return useSelection.subscribe((now, before) => {
      if (now.traceRow !== before.traceRow) view.show(now.traceRow[sessionId] ?? null);
    });
  }, [view, sessionId]);

  const tableRef = useRef<HTMLDivElement>(null);
  const filterRef = useRef<HTMLInputElement>(null);
  const detailRef = useRef<HTMLElement>(null);
  useCommands(
    useMemo(
      () => [
        {
          id: 'trace.filter',
          title: 'Filter the trace',
          group: 'Trace',
          shortcut: 'Mod+F',
          keywords: ['find', 'search'],
          run: () => {
            filterRef.current?.focus();
            filterRef.current?.select();
          },
        },
        {
          id: 'trace.follow',
          title: 'Go to the newest row and follow',
          group: 'Trace',
          keywords: ['live', 'tail', 'end'],
          run: () => view.setLive(true),
        },
      ],
      [view],
    ),
  );

  const [dockRef, isWide] = useIsWide();
  const direction = isWide ? 'row' : 'column';
  return (
    <div ref={dockRef} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex h-[34px] shrink-0 items-center gap-2 border-b border-line px-2.5">
        <h2 className="shrink-0 font-semibold">Trace</h2>
        <TraceBar
          view={view}
          isOpen={isOpen}
          filterRef={filterRef}
          onLeaveFilter={() => tableRef.current?.focus()}
        />
      </div>
      <ExchangeCommand view={view} />
      <Failure view={view} />
      <Split key={direction} id={`trace-${direction}`} direction={direction} className="flex-1">
        <SplitPanel id="trace-table" min={isWide ? 400 : 96} className="trace-frame relative">
          <MessageTable view={view} ref={tableRef} onOpenDetail={() => focusWithin(detailRef.current)} />
          <Emptiness view={view} />
        </SplitPanel>
        {selected !== null && <SplitHandle label="Resize the detail" />}
        {selected !== null && (
          <SplitPanel
            id="trace-detail"
            size={isWide ? 340 : '50%'}
            min={isWide ? 260 : 96}
            keepsPixels={isWide}
          >
            <Detail
              ref={detailRef}
              view={view}
              onClose={() => {
                selectTraceRow(sessionId, null);
                tableRef.current?.focus();
              }}
            />
          </SplitPanel>
        )}
      </Split>
    </div>
  );
}

function Failure({ view }: { readonly view: TraceView }) {
  useSignal(view.signal);
  if (view.failure === null) return null;
  return (
    <FaultCard
      fault={faultOf(view.failure)}
      actions={<Button onClick={() => view.retry()}>Try again</Button>}
      className="m-2 shrink-0"
    />
  );
}

/** What stands in the table while it has no rows. */
function Emptiness({ view }: { readonly view: TraceView }) {
  useSignal(view.signal);
  if (view.window.total > 0 || view.clock === null) return null;
  return (
    <div className="absolute inset-x-0 top-row bottom-0">
      <EmptinessText view={view} />
    </div>
  );
}

function EmptinessText({ view }: { readonly view: TraceView }) {
  const { filterProgress, filterText, total } = view;
  if (filterProgress === null) {
    return (
      <EmptyState title="Nothing yet">
        Rows appear here as soon as the server’s process is started or the first request is sent.
      </EmptyState>
    );
  }
  if (!filterProgress.isDone) return <EmptyState title="Searching…" />;
  return (
    <EmptyState
      title="No row contains this text"
      actions={<Button onClick={() => view.setFilter('')}>Show all {total} rows</Button>}
    >
      <code className="mono break-all">{filterText}</code>
    </EmptyState>
  );
}

/** Whether the element is wide enough for the detail beside the table. */
function useIsWide(): [(element: HTMLElement | null) => (() => void) | undefined, boolean] {
  const [isWide, setIsWide] = useState(true);
  const ref = useMemo(
    () => (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const measure = () => setIsWide(element.clientWidth >= WIDE_ENOUGH);
      measure();
      const observer = new ResizeObserver(measure);
      observer.observe(element);
      return () => observer.disconnect();
    },
    [],
  );
  return [ref, isWide];
}

/** Puts the focus on the chosen tab of the detail, else on the detail. */
function focusWithin(detail: HTMLElement | null): void {
  const tab = detail?.querySelector('[role="tab"][data-state="active"]');
  if (tab instanceof HTMLElement) tab.focus();
  else detail?.focus();
}
