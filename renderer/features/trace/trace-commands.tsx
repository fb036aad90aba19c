import { useMemo } from 'react';
import { type Command, useCommands } from '#model/commands.ts';
import { editAndResend, resendableRow } from '#model/composer.ts';
import { OPEN_KEYS, openInPane, paneOfMessage } from '#model/message-panes.ts';
import { isReplayableRow, proposeReplay } from '#model/replay.ts';
import { reportFault } from '#ui/toaster.tsx';
import { useSignal, useSignalled } from '#ui/frame-signal.ts';
import type { Related } from './selection/row-navigation.ts';
import { toggleMark } from './selection/marks.tsx';
import { canWrap } from './table/row-labels.ts';
import { canComparePrevious, comparePrevious, hideAlike } from './table/row-menu.ts';
import type { TraceView } from './trace-view.ts';

/** What commands do outside the trace's state. */
export interface TraceActions {
  readonly onFilter: () => void;
  readonly onGoTo: () => void;
  readonly onColumns: () => void;
  /** Focuses the head of the table. */
  readonly onSort: () => void;
  readonly onNote: () => void;
  readonly onCopy: () => void;
  readonly onCompare: () => void;
}

interface Entry extends Omit<Command, 'group'> {
  /** Whether the command is available; it is unless this is false. */
  readonly isAvailable?: boolean;
}

const relatedRows: readonly (Omit<Entry, 'run' | 'id'> & { readonly to: Related })[] = [
  {
    to: 'pair',
    title: 'Go to the other half of the call',
    shortcut: 'Alt+P',
    keywords: ['answer', 'request', 'response'],
  },
  { to: 'parent', title: 'Go to the parent row', shortcut: 'Alt+U', keywords: ['parent', 'up'] },
  { to: 'child', title: 'Go to the first child row', shortcut: 'Alt+J', keywords: ['child'] },
];

/** Registers the commands of the trace, each only while it is available. */
export function TraceCommands({
  view,
  actions,
}: {
  readonly view: TraceView;
  readonly actions: TraceActions;
}) {
  useSignal(view.signal);
  const { selection, navigation, viewName, panel } = view;
  const isOnMessages = panel.of === 'messages';
  const has = (related: Related) => isOnMessages && navigation.rowOf(related) !== null;
  // Plain values, so that the commands are rebuilt only when one changes, not with every frame.
  const [pair, parent, child] = [has('pair'), has('parent'), has('child')];
  const isSelected = isOnMessages && selection.selected !== null;
  const hasRows = isOnMessages && view.total > 0;
  const pickedTwo = isOnMessages && selection.picks.count === 2;
  const resendable =
    isOnMessages && selection.selectedRow !== null ? resendableRow(selection.selectedRow) : null;
  const shown = isOnMessages ? selection.selectedRow : null;
  const inPane = useMemo(() => shown && paneOfMessage(shown), [shown]);
  const canReplay =
    isSelected &&
    (selection.picks.count > 0 || (selection.selectedRow !== null && isReplayableRow(selection.selectedRow)));
  const isMarked = (selection.selectedRow?.mark ?? null) !== null;
  const isWrappable = isOnMessages && selection.selectedRow !== null && canWrap(selection.selectedRow);
  const isSorted = view.sort !== null;
  const hasPrevious = isOnMessages && canComparePrevious(view);
  const commands = useMemo(() => {
    const reaches: Readonly<Partial<Record<Related, boolean>>> = { pair, parent, child };
    const entries: readonly Entry[] = [
      {
        id: 'trace.filter',
        title: 'Filter the trace',
        shortcut: 'Mod+F',
        keywords: ['find', 'search'],
        run: actions.onFilter,
      },
      {
        id: 'trace.go-to',
        title: 'Go to a row or a time…',
        shortcut: 'Mod+G',
        keywords: ['jump', 'number', 'line'],
        isAvailable: hasRows,
        run: actions.onGoTo,
      },
      {
        id: 'trace.follow',
        title: 'Go to the newest row and follow',
        keywords: ['live', 'tail', 'end'],
        isAvailable: isOnMessages,
        run: () => view.goLive(),
      },
      {
        id: 'trace.next-error',
        title: 'Go to the next error',
        shortcut: 'F8',
        isAvailable: hasRows,
        run: () => navigation.seekError(1),
      },
      {
        id: 'trace.previous-error',
        title: 'Go to the previous error',
        shortcut: 'Shift+F8',
        isAvailable: hasRows,
        run: () => navigation.seekError(-1),
      },
      {
        id: 'trace.next-alike',
        title: 'Go to the next row of the same method',
        shortcut: 'F9',
        isAvailable: isSelected,
        run: () => navigation.seekAlike(1),
      },
      {
        id: 'trace.previous-alike',
        title: 'Go to the previous row of the same method',
        shortcut: 'Shift+F9',
        isAvailable: isSelected,
        run: () => navigation.seekAlike(-1),
      },
      ...relatedRows.map(({ to, ...entry }) => ({
        ...entry,
        id: `trace.${to}`,
        isAvailable: reaches[to] ?? false,
        run: () => navigation.go(to),
      })),
      {
        id: 'trace.mark',
        title: isMarked ? 'Remove the mark of the selected row' : 'Bookmark the selected row',
        shortcut: 'Alt+M',
        keywords: ['mark'],
        isAvailable: isSelected,
        run: () => toggleMark(view, actions.onNote),
      },
      {
        id: 'trace.open-in-pane',
        title: 'Open the selected message in its pane',
        shortcut: OPEN_KEYS,
        keywords: ['tools', 'resources', 'prompts', 'inbox', 'tasks', 'result', 'question'],
        isAvailable: inPane !== null,
        run: () => {
          if (inPane !== null) reportFault(openInPane(view.sessionId, inPane));
        },
      },
      {
        id: 'trace.resend',
        title: 'Edit the selected message and send it again',
        shortcut: 'Alt+Shift+R',
        keywords: ['composer', 'repeat', 'replay'],
        isAvailable: resendable !== null,
        run: () => {
          if (resendable !== null) reportFault(editAndResend(view.sessionId, resendable));
        },
      },
      {
        id: 'trace.replay',
        title: 'Replay the selected calls…',
        keywords: ['again', 'compare', 'repeat'],
        isAvailable: canReplay,
        run: () => proposeReplay(view.sessionId, { of: 'rows', rows: [...selection.rows] }),
      },
      {
        id: 'trace.replay-from',
        title: 'Replay from the selected row on…',
        keywords: ['again', 'compare', 'repeat'],
        isAvailable: isSelected,
        run: () => {
          if (selection.selected !== null)
            proposeReplay(view.sessionId, { of: 'from', row: selection.selected });
        },
      },
      {
        id: 'trace.note',
        title: 'Write a note on the selected row…',
        shortcut: 'Alt+Shift+M',
        keywords: ['mark', 'comment'],
        isAvailable: isSelected,
        run: actions.onNote,
      },
      {
        id: 'trace.next-mark',
        title: 'Go to the next mark',
        shortcut: 'F2',
        keywords: ['bookmark', 'note'],
        isAvailable: hasRows,
        run: () => navigation.seekMark(1),
      },
      {
        id: 'trace.previous-mark',
        title: 'Go to the previous mark',
        shortcut: 'Shift+F2',
        keywords: ['bookmark', 'note'],
        isAvailable: hasRows,
        run: () => navigation.seekMark(-1),
      },
      {
        id: 'trace.choose-all',
        title: 'Select all rows of the list',
        keywords: ['choose'],
        isAvailable: hasRows,
        run: () => selection.selectAll(),
      },
      {
        id: 'trace.copy',
        title: 'Copy the selected rows as JSON lines',
        keywords: ['clipboard', 'jsonl'],
        isAvailable: isSelected,
        run: actions.onCopy,
      },
      {
        id: 'trace.compare',
        title: 'Compare the two selected rows',
        keywords: ['diff', 'difference'],
        isAvailable: pickedTwo,
        run: actions.onCompare,
      },
      {
        id: 'trace.compare-previous',
        title: 'Compare the selected call with the previous one of its tool',
        keywords: ['diff', 'difference', 'before'],
        isAvailable: hasPrevious,
        run: () => comparePrevious(view, actions.onCompare),
      },
      {
        id: 'trace.hide-alike',
        title: 'Hide rows like the selected one',
        keywords: ['filter', 'exclude', 'without'],
        isAvailable: isSelected,
        run: () => hideAlike(view),
      },
      {
        id: 'trace.wrap',
        title: 'Wrap the selected line, or show it on one line again',
        keywords: ['stderr', 'fold', 'long'],
        isAvailable: isWrappable,
        run: () => view.toggleWrap(),
      },
      {
        id: 'trace.view',
        title: viewName === 'calls' ? 'List every message' : 'List calls with their responses',
        keywords: ['messages', 'frames', 'calls', 'fold'],
        isAvailable: isOnMessages,
        run: () => view.setViewName(viewName === 'calls' ? 'messages' : 'calls'),
      },
      {
        id: 'trace.columns',
        title: 'Columns of the trace…',
        keywords: ['width', 'order', 'hide', 'time', 'relative'],
        isAvailable: isOnMessages,
        run: actions.onColumns,
      },
      {
        id: 'trace.sort',
        title: 'Sort the trace by a column…',
        keywords: ['order', 'slowest', 'largest', 'duration', 'size'],
        isAvailable: isOnMessages,
        run: actions.onSort,
      },
      {
        id: 'trace.wire-order',
        title: 'List the rows in the order of the trace again',
        keywords: ['sort', 'clear', 'reset', 'wire'],
        isAvailable: isOnMessages && isSorted,
        run: () => view.setSort(null),
      },
      {
        id: 'trace.statistics',
        title: isOnMessages ? 'Show statistics of the trace' : 'Show the rows of the trace',
        keywords: ['count', 'percentile', 'messages'],
        run: () => view.setPanel(isOnMessages ? { of: 'statistics', rows: null } : { of: 'messages' }),
      },
    ];
    return entries
      .filter(({ isAvailable }) => isAvailable !== false)
      .map(({ isAvailable: _, ...entry }): Command => ({ ...entry, group: 'Trace' }));
  }, [
    view,
    actions,
    navigation,
    selection,
    viewName,
    isOnMessages,
    isSelected,
    isMarked,
    resendable,
    inPane,
    canReplay,
    hasRows,
    pickedTwo,
    hasPrevious,
    isSorted,
    isWrappable,
    pair,
    parent,
    child,
  ]);
  useCommands(commands);
  return null;
}

/** Between a message and its HTTP exchange; `E` does the same in the table. */
export const EXCHANGE_KEYS = 'Mod+E';

const titles = {
  exchange: 'Go to the HTTP exchange of the selected row',
  message: 'Go back from the HTTP exchange to the message',
} as const;

/** Registers the command between the selected message and its HTTP exchange. */
export function ExchangeCommand({ view }: { readonly view: TraceView }) {
  const to = useSignalled(view.signal, () => view.navigation.exchangeJump);
  useCommands(
    useMemo((): Command[] => {
      if (to === null) return [];
      return [
        {
          id: 'trace.exchange',
          title: titles[to],
          group: 'Trace',
          shortcut: EXCHANGE_KEYS,
          keywords: ['http', 'headers', 'request', 'response', 'message', 'jump'],
          run: () => view.navigation.goToExchange(),
        },
      ];
    }, [view, to]),
  );
  return null;
}
