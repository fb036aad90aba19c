import { X } from 'lucide-react';
import { lazy, memo, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { faultOf } from '#model/faults.ts';
import { useShortcut } from '#model/commands.ts';
import { maximize, maximizedOf, selectTraceRow, useSelection } from '#model/selection.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { MaximizeButton } from '#ui/maximize-button.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { WordSwitch } from '#ui/word-switch.tsx';
import { ExchangeCommand, TraceCommands, type TraceActions } from './trace-commands.tsx';
import { addTerm } from './filter/filter-text.tsx';
import { TraceBar } from './filter/trace-bar.tsx';
import { useSignal, useSignalled } from '#ui/frame-signal.ts';
import { bottomOfCursor, MessagePanel, type OpenPopover } from './message-panel.tsx';
import { copyRows } from './copy/copy-rows.ts';
import { OverviewStrip } from './overview/overview-strip.tsx';
import type { Panel, TraceView } from './trace-view.ts';
import { traceViews } from './trace-views.ts';

// Not needed for the first render.
const StatisticsView = lazy(async () => ({
  default: (await import('./views/statistics-view.tsx')).StatisticsView,
}));
const SequenceView = lazy(async () => ({
  default: (await import('./views/sequence-view.tsx')).SequenceView,
}));

/**
 * One trace: the bar, and below it the rows with the detail of one, or statistics or a diagram of them. Memoized, so
 * that the session's counters do not render it again.
 */
export const SessionTrace = memo(function SessionTrace({
  sessionId,
  server,
  isOpen,
}: {
  readonly sessionId: string;
  /** Name of the server. */
  readonly server: string;
  /** Whether rows may still arrive. */
  readonly isOpen: boolean;
}) {
  const view = useMemo(() => traceViews.of(sessionId), [sessionId]);
  const panel = useSignalled(view.signal, () => view.panel);
  const maximized = useSelection(maximizedOf);
  const maximizeKeys = useShortcut('size.trace', 'Alt+Shift+T');
  const hasTwo = useSignalled(view.signal, () => view.selection.picks.count === 2);
  useEffect(() => {
    const shown = useSelection.getState().traceRow[sessionId] ?? null;
    if (shown !== view.selected) view.position.showLinked(shown);
    return useSelection.subscribe((now, before) => {
      // A link to the row on screen brings it into view again; one into another trace does nothing here.
      if (now.traceRow === before.traceRow || isOfAnother(sessionId, now.traceRow, before.traceRow)) return;
      const row = now.traceRow[sessionId] ?? null;
      // Show a row that another pane selected, even if statistics are on screen.
      if (row !== null && view.panel.of !== 'messages') view.setPanel({ of: 'messages' });
      view.position.showLinked(row);
    });
  }, [view, sessionId]);

  useEffect(() => {
    const take = () => {
      const { filterRequest } = useSelection.getState();
      if (filterRequest?.sessionId !== sessionId) return;
      useSelection.setState({ filterRequest: null });
      view.setFilter(filterRequest.filter);
      view.setPanel({ of: 'messages' });
    };
    take();
    return useSelection.subscribe(take);
  }, [view, sessionId]);

  const tableRef = useRef<HTMLDivElement>(null);
  const filterRef = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const take = () => {
      if (!useSelection.getState().focusesTrace) return;
      useSelection.setState({ focusesTrace: false });
      tableRef.current?.focus();
    };
    take();
    return useSelection.subscribe(take);
  }, []);
  const [popover, setPopover] = useState<OpenPopover>(null);
  const [isComparing, setIsComparing] = useState(false);
  // A comparison ends with the selection of its two rows.
  if (isComparing && !hasTwo) setIsComparing(false);
  const actions = useMemo(
    (): TraceActions => ({
      onFilter: () => {
        filterRef.current?.focus();
        filterRef.current?.select();
      },
      onGoTo: () => setPopover({ of: 'go-to' }),
      onColumns: () => setPopover({ of: 'columns' }),
      onSort: () =>
        tableRef.current?.querySelector<HTMLElement>('[role=columnheader][tabindex="0"]')?.focus(),
      onNote: () => setPopover({ of: 'note', top: bottomOfCursor(tableRef.current) }),
      onCopy: () => reportFault(copyRows(sessionId, view.selection.rows)),
      onCompare: () => setIsComparing(true),
    }),
    [sessionId, view],
  );

  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="@container flex h-[34px] shrink-0 items-center gap-2 border-b border-line px-2.5">
        <h2 className="sr-only">Trace</h2>
        <WordSwitch
          label="Trace"
          value={panel.of === 'sequence' ? null : panel.of}
          onChange={(of) => view.setPanel(of === 'messages' ? { of } : { of, rows: null })}
          options={[
            { id: 'messages', label: 'Trace', hint: 'Every row' },
            { id: 'statistics', label: 'Statistics', hint: 'Counts, durations and sizes by method and tool' },
          ]}
        />
        <TraceBar
          view={view}
          isOpen={isOpen}
          filterRef={filterRef}
          onLeaveFilter={() => tableRef.current?.focus()}
        />
        <MaximizeButton
          of="trace"
          shortcut={maximizeKeys}
          isMaximized={maximized === 'bottom'}
          onChange={(isMaximized) => maximize(isMaximized ? 'bottom' : null)}
        />
      </div>
      <ExchangeCommand view={view} />
      <TraceCommands view={view} actions={actions} />
      <div className="hides-when-collapsed flex min-h-0 flex-1 flex-col">
        <Failure view={view} />
        {panel.of === 'messages' && <OverviewStrip view={view} />}
        {panel.of === 'messages' ? (
          <MessagePanel
            view={view}
            isOpen={isOpen}
            tableRef={tableRef}
            actions={actions}
            popover={popover}
            onPopover={setPopover}
            isComparing={isComparing}
            onCompare={setIsComparing}
          />
        ) : (
          <Suspense>
            <Summary view={view} server={server} panel={panel} />
          </Suspense>
        )}
      </div>
    </div>
  );
});

type SelectedRows = ReturnType<typeof useSelection.getState>['traceRow'];

/** Whether only the selected rows of other traces have changed. */
const isOfAnother = (sessionId: string, now: SelectedRows, before: SelectedRows): boolean =>
  now[sessionId] === before[sessionId] &&
  Object.keys({ ...before, ...now }).some((id) => now[id] !== before[id]);

/** Replaces the rows. */
function Summary({
  view,
  server,
  panel,
}: {
  readonly view: TraceView;
  readonly server: string;
  readonly panel: Exclude<Panel, { of: 'messages' }>;
}) {
  useSignal(view.signal);
  const { sessionId } = view;
  const showRows = () => view.setPanel({ of: 'messages' });
  const showFiltered = (filter: string) => {
    view.setFilter(filter);
    showRows();
  };
  const openRow = (row: number) => {
    selectTraceRow(sessionId, row);
    showRows();
  };
  if (panel.of === 'sequence') {
    const { rows } = panel;
    return <SequenceView {...{ sessionId, server, rows }} onClose={showRows} onOpenRow={openRow} />;
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {panel.rows !== null && (
        <div className="flex h-[34px] shrink-0 items-center gap-2 border-b border-line pr-1 pl-3">
          <p className="min-w-0 flex-1 truncate">
            Statistics of {formatQuantity(panel.rows.length, 'selected row')}
          </p>
          <Button
            size="small"
            variant="quiet"
            onClick={() => view.setPanel({ of: 'statistics', rows: null })}
          >
            Count all rows
          </Button>
          <IconButton size="small" label="Back to the rows" onClick={showRows}>
            <X aria-hidden className="size-3.5" />
          </IconButton>
        </div>
      )}
      <div className="min-h-0 flex-1">
        <StatisticsView
          sessionId={sessionId}
          rows={choiceOf(view, panel.rows)}
          onNarrow={(term) => showFiltered(addTerm(view.filterText, term))}
          callsId={panel.rows === null && view.viewName === 'calls' ? view.filterId : null}
          onShow={showFiltered}
          onShowAll={() => {
            view.setViewName('messages');
            showRows();
          }}
          onOpenRow={openRow}
        />
      </div>
    </div>
  );
}

/** The rows that statistics count. Responses folded into calls are counted too. */
function choiceOf({ filterId, shownFilterText }: TraceView, rows: readonly number[] | null): RowChoice {
  if (rows !== null) return { of: 'rows', rows: [...rows] };
  return filterId === null || shownFilterText === '' ? { of: 'all' } : { of: 'filter', filterId };
}

function Failure({ view }: { readonly view: TraceView }) {
  useSignal(view.signal);
  if (view.error === null) return null;
  return (
    <FaultCard
      fault={faultOf(view.error)}
      actions={<Button onClick={() => view.retry()}>Try again</Button>}
      className="m-2 shrink-0"
    />
  );
}
