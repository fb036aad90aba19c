import { useMemo } from 'react';
import { type Command, useCommands } from '#model/commands.ts';
import { useSignal, useSignalled } from './frame-signal.ts';
import type { Relative } from './selection/row-navigation.ts';
import { toggleMark } from './selection/marks.tsx';
import type { TraceView } from './trace-view.ts';

/** What commands do with parts of the window. */
export interface TraceActions {
  readonly onFilter: () => void;
  readonly onGoTo: () => void;
  readonly onColumns: () => void;
  readonly onNote: () => void;
  readonly onCopy: () => void;
  readonly onCompare: () => void;
}

interface Entry extends Omit<Command, 'group'> {
  /** Whether it works right now. Absent: always. */
  readonly works?: boolean;
}

const relatives: readonly (Omit<Entry, 'run' | 'id'> & { readonly to: Relative })[] = [
  {
    to: 'pair',
    title: 'Go to the other half of the call',
    shortcut: 'Alt+P',
    keywords: ['answer', 'request'],
  },
  { to: 'parent', title: 'Go to the row it belongs to', shortcut: 'Alt+U', keywords: ['parent', 'up'] },
  { to: 'child', title: 'Go to the first row that belongs to it', shortcut: 'Alt+J', keywords: ['child'] },
];

/** Offers what can be done in the trace; each command only while it works. */
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
  const has = (relative: Relative) => isOnMessages && navigation.rowOf(relative) !== null;
  // The commands are other ones only when one of these is; the signal tells each frame.
  const [pair, parent, child] = [has('pair'), has('parent'), has('child')];
  const isSelected = isOnMessages && selection.selected !== null;
  const hasRows = isOnMessages && view.total > 0;
  const pickedTwo = isOnMessages && selection.picks.count === 2;
  const isMarked = (selection.facts?.mark ?? null) !== null;
  const commands = useMemo(() => {
    const reaches: Readonly<Partial<Record<Relative, boolean>>> = { pair, parent, child };
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
        works: hasRows,
        run: actions.onGoTo,
      },
      {
        id: 'trace.follow',
        title: 'Go to the newest row and follow',
        keywords: ['live', 'tail', 'end'],
        works: isOnMessages,
        run: () => view.setLive(true),
      },
      {
        id: 'trace.next-error',
        title: 'Go to the next error',
        shortcut: 'F8',
        works: hasRows,
        run: () => navigation.seekError(1),
      },
      {
        id: 'trace.previous-error',
        title: 'Go to the previous error',
        shortcut: 'Shift+F8',
        works: hasRows,
        run: () => navigation.seekError(-1),
      },
      {
        id: 'trace.next-alike',
        title: 'Go to the next row of the same method',
        shortcut: 'F9',
        works: isSelected,
        run: () => navigation.seekAlike(1),
      },
      {
        id: 'trace.previous-alike',
        title: 'Go to the previous row of the same method',
        shortcut: 'Shift+F9',
        works: isSelected,
        run: () => navigation.seekAlike(-1),
      },
      ...relatives.map(({ to, ...entry }) => ({
        ...entry,
        id: `trace.${to}`,
        works: reaches[to] ?? false,
        run: () => navigation.go(to),
      })),
      {
        id: 'trace.mark',
        title: isMarked ? 'Remove the mark of the selected row' : 'Bookmark the selected row',
        shortcut: 'Alt+M',
        keywords: ['mark'],
        works: isSelected,
        run: () => toggleMark(view, actions.onNote),
      },
      {
        id: 'trace.note',
        title: 'Write a note on the selected row…',
        shortcut: 'Alt+Shift+M',
        keywords: ['mark', 'comment'],
        works: isSelected,
        run: actions.onNote,
      },
      {
        id: 'trace.next-mark',
        title: 'Go to the next mark',
        shortcut: 'F2',
        keywords: ['bookmark', 'note'],
        works: hasRows,
        run: () => navigation.seekMark(1),
      },
      {
        id: 'trace.previous-mark',
        title: 'Go to the previous mark',
        shortcut: 'Shift+F2',
        keywords: ['bookmark', 'note'],
        works: hasRows,
        run: () => navigation.seekMark(-1),
      },
      {
        id: 'trace.choose-all',
        title: 'Choose all rows of the list',
        keywords: ['select'],
        works: hasRows,
        run: () => selection.chooseAll(),
      },
      {
        id: 'trace.copy',
        title: 'Copy the chosen rows as JSON lines',
        keywords: ['clipboard', 'jsonl'],
        works: isSelected,
        run: actions.onCopy,
      },
      {
        id: 'trace.compare',
        title: 'Compare the two chosen rows',
        keywords: ['diff', 'difference'],
        works: pickedTwo,
        run: actions.onCompare,
      },
      {
        id: 'trace.view',
        title: viewName === 'calls' ? 'List every message' : 'List calls with their answers',
        keywords: ['frames', 'calls', 'fold'],
        works: isOnMessages,
        run: () => view.setViewName(viewName === 'calls' ? 'frames' : 'calls'),
      },
      {
        id: 'trace.columns',
        title: 'Columns of the trace…',
        keywords: ['width', 'order', 'hide', 'time', 'relative'],
        works: isOnMessages,
        run: actions.onColumns,
      },
      {
        id: 'trace.statistics',
        title: isOnMessages ? 'Show statistics of the trace' : 'Show the rows of the trace',
        keywords: ['count', 'percentile', 'messages'],
        run: () => view.setPanel(isOnMessages ? { of: 'statistics', rows: null } : { of: 'messages' }),
      },
    ];
    return entries
      .filter(({ works }) => works !== false)
      .map(({ works: _, ...entry }): Command => ({ ...entry, group: 'Trace' }));
  }, [
    view,
    actions,
    navigation,
    selection,
    viewName,
    isOnMessages,
    isSelected,
    isMarked,
    hasRows,
    pickedTwo,
    pair,
    parent,
    child,
  ]);
  useCommands(commands);
  return null;
}

/** The keys of the way between a message and its HTTP exchange; in the table `E` alone does it too. */
export const EXCHANGE_KEYS = 'Mod+E';

const titles = {
  exchange: 'Go to the HTTP exchange of the selected row',
  message: 'Go back from the HTTP exchange to the message',
} as const;

/** Offers the way between the selected message and its HTTP exchange, while there is one. */
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
