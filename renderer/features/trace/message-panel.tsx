import { lazy, type RefObject, Suspense, useRef } from 'react';
import { selectTraceRow } from '#model/selection.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { Detail } from './detail/detail.tsx';
import { filterErrorOf } from './filter/filter-text.tsx';
import { useSignalled, useSignal } from '#ui/frame-signal.ts';
import { GoToPopover } from './selection/go-to-popover.tsx';
import { NotePopover } from './selection/marks.tsx';
import { SelectionBar } from './selection/selection-bar.tsx';
import { ColumnMenu } from './table/column-menu.tsx';
import type { TableFrame } from './table/column-plan.ts';
import { MessageTable } from './table/message-table.tsx';
import type { TraceActions } from './trace-commands.tsx';
import type { TraceView } from './trace-view.ts';
import { useIsWide } from '#ui/use-is-wide.ts';

// Not needed for the first render.
const CompareView = lazy(async () => ({
  default: (await import('./views/compare-view.tsx')).CompareView,
}));

/** Below this width the detail is under the table instead of beside it; pixels. */
const WIDE_ENOUGH = 1000;
/** The same for a low trace, such as that of a small window, where neither would have room below the other. */
const WIDE_ENOUGH_WHEN_LOW = 760;

/** What is open over the table, one at a time. */
export type OpenPopover =
  | { readonly of: 'go-to' | 'columns' }
  /** `top`: the lower edge of the row, in pixels below the table's upper edge. */
  | { readonly of: 'note'; readonly top: number }
  | null;

/** The table, and beside it the detail of the selected row or two rows compared. */
export function MessagePanel({
  view,
  isOpen,
  tableRef,
  actions,
  popover,
  onPopover,
  isComparing,
  onCompare,
}: {
  readonly view: TraceView;
  /** Whether rows may still arrive. */
  readonly isOpen: boolean;
  readonly tableRef: RefObject<HTMLDivElement | null>;
  readonly actions: TraceActions;
  readonly popover: OpenPopover;
  readonly onPopover: (popover: OpenPopover) => void;
  readonly isComparing: boolean;
  readonly onCompare: (isComparing: boolean) => void;
}) {
  const { sessionId } = view;
  const hasSelected = useSignalled(view.signal, () => view.selected !== null);
  const detailRef = useRef<HTMLElement>(null);
  const tableFrame = useRef<TableFrame>({
    width: 0,
    foldsResponses: false,
    methodLength: 0,
    namedMethodLength: 0,
  });
  const [frameRef, isWide] = useIsWide(WIDE_ENOUGH, WIDE_ENOUGH_WHEN_LOW);
  const direction = isWide ? 'row' : 'column';

  const focusTable = () => tableRef.current?.focus();
  const closePopover = () => {
    onPopover(null);
    focusTable();
  };
  const setOpen = (of: 'go-to' | 'columns') => (isShown: boolean) => {
    if (isShown) onPopover({ of });
    else closePopover();
  };
  const close = () => {
    selectTraceRow(sessionId, null);
    focusTable();
  };

  return (
    <div ref={frameRef} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <Split key={direction} id={`trace-${direction}`} direction={direction} className="flex-1">
        <SplitPanel id="trace-table" min={isWide ? 400 : 96}>
          <div className="trace-frame relative flex min-h-0 flex-1 flex-col">
            <MessageTable
              view={view}
              isOpen={isOpen}
              ref={tableRef}
              frame={tableFrame}
              actions={{
                onOpenDetail: () => focusWithin(detailRef.current),
                onClose: () => selectTraceRow(sessionId, null),
                onColumns: actions.onColumns,
                onNote: actions.onNote,
                onCopy: actions.onCopy,
                onCompare: actions.onCompare,
              }}
            />
            <ColumnMenu
              frame={() => tableFrame.current}
              isOpen={popover?.of === 'columns'}
              onOpenChange={setOpen('columns')}
            />
            <GoToPopover
              navigation={view.navigation}
              isOpen={popover?.of === 'go-to'}
              onOpenChange={setOpen('go-to')}
            />
            {popover?.of === 'note' && <NotePopover view={view} top={popover.top} onClose={closePopover} />}
            <EmptyTrace view={view} />
          </div>
          <HiddenRow view={view} onShown={focusTable} />
          <SelectionBar view={view} onCopy={actions.onCopy} onCompare={actions.onCompare} />
        </SplitPanel>
        {hasSelected && <SplitHandle label={isComparing ? 'Resize the comparison' : 'Resize the detail'} />}
        {hasSelected && isComparing && (
          <SplitPanel id="trace-compare" size="56%" min={isWide ? 320 : 96}>
            <Suspense>
              <CompareView
                view={view}
                onClose={() => {
                  onCompare(false);
                  focusTable();
                }}
              />
            </Suspense>
          </SplitPanel>
        )}
        {hasSelected && !isComparing && (
          <SplitPanel
            id="trace-detail"
            size={isWide ? detailWidth() : '50%'}
            min={isWide ? 260 : 96}
            keepsPixels={isWide}
          >
            <Detail ref={detailRef} view={view} onClose={close} />
          </SplitPanel>
        )}
      </Split>
    </div>
  );
}

/** Says that the filter hides the row that a link led to. */
function HiddenRow({ view, onShown }: { readonly view: TraceView; readonly onShown: () => void }) {
  const row = useSignalled(view.signal, () => view.position.hiddenRow);
  if (row === null) return null;
  return (
    <div className="flex min-h-[34px] shrink-0 items-center gap-2 border-t border-line bg-raise py-1 pr-2 pl-2.5">
      <p role="status" className="min-w-0 flex-1">
        Row <span className="mono">{rowNumber(row)}</span> is hidden by the filter.
      </p>
      <Button
        size="small"
        onClick={() => {
          view.setFilter('');
          onShown();
        }}
      >
        Clear the filter
      </Button>
    </div>
  );
}

/** From this width on, the detail takes 30 % of the window; below, it would hide columns of the table. */
const WIDE_WINDOW = 1600;

const detailWidth = (): number =>
  window.innerWidth < WIDE_WINDOW ? 340 : Math.round(window.innerWidth * 0.3);

/** The lower edge of the cursor's row, in pixels below the table's upper edge; below the head when out of view. */
export function bottomOfCursor(table: HTMLElement | null): number {
  const row = document.getElementById(table?.getAttribute('aria-activedescendant') ?? '');
  if (table === null || row === null) return 24;
  const place = row.getBoundingClientRect().bottom - table.getBoundingClientRect().top;
  return Math.min(Math.max(24, place), table.clientHeight);
}

/** Focuses the active tab of the detail, else the detail. */
function focusWithin(detail: HTMLElement | null): void {
  const tab = detail?.querySelector('[role="tab"][data-state="active"]');
  if (tab instanceof HTMLElement) tab.focus();
  else detail?.focus();
}

/** Shown in the table while it has no rows. */
function EmptyTrace({ view }: { readonly view: TraceView }) {
  useSignal(view.signal);
  if (view.window.total > 0 || view.clock === null || view.isStarting) return null;
  return (
    <div className="absolute inset-x-0 top-row bottom-0">
      <EmptyTraceText view={view} />
    </div>
  );
}

function EmptyTraceText({ view }: { readonly view: TraceView }) {
  const { filterProgress, filterText, shownFilterText, total } = view;
  if (filterProgress === null || total === 0) {
    return (
      <EmptyState title="Nothing yet">
        Rows appear here once the server’s process is started or the first request is sent.
      </EmptyState>
    );
  }
  if (!filterProgress.isDone) return <EmptyState title="Searching…" />;
  if (shownFilterText === '') {
    const showAll = () => view.setViewName('messages');
    return (
      <EmptyState
        title="No calls yet"
        actions={<Button onClick={showAll}>Show all {formatCount(total)} rows</Button>}
      />
    );
  }
  // An invalid filter is not applied: the rows are still those of the previous one.
  const isStale = filterErrorOf(filterText) !== null;
  const title = isStale ? 'No row matches the previous filter' : 'No row matches this filter';
  return (
    <EmptyState title={title} actions={<Button onClick={() => view.setFilter('')}>Clear the filter</Button>}>
      <code className="mono break-all">{shownFilterText}</code>
      <span className="mt-1.5 block">
        {view.isCarriedOver && 'Kept from the previous session. '}It hides {formatQuantity(total, 'row')}.
      </span>
      {isStale && (
        <span className="mt-1.5 block">
          The text you typed is not a valid filter yet, so it is not applied.
        </span>
      )}
    </EmptyState>
  );
}
