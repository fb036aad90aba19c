import type { ComponentProps } from 'react';
import { call } from '#bridge';
import { editAndResend, resendableRow } from '#model/composer.ts';
import { OPEN_KEYS, openInPane, openInPaneLabel, paneOfMessage } from '#model/message-panes.ts';
import { isReplayableRow, proposeReplay } from '#model/replay.ts';
import { TOOLS_CALL } from '#shared/protocol/methods.ts';
import { printValue } from '#shared/trace/filter/index.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import type { ContextMenu, MenuEntry } from '#ui/menu.tsx';
import { reportFault, toastNote } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { copyEntries } from '../copy/copy-menu.tsx';
import { addTerm } from '../filter/filter-text.tsx';
import { toggleMark } from '../selection/marks.tsx';
import type { TraceView } from '../trace-view.ts';
import { canWrap, kindLabels } from './row-labels.ts';
import type { TableActions } from './table-keys.ts';

/** What can be done with the selected rows. */
export function rowMenu(
  view: TraceView,
  actions: TableActions,
): ComponentProps<typeof ContextMenu>['entries'] {
  const { sessionId, selection } = view;
  const { selectedRow } = selection;
  if (selectedRow === null) return [{ label: 'No row is selected', disabled: true, onSelect: () => {} }];
  const resendable = resendableRow(selectedRow);
  const isSeveral = selection.picks.count > 0;
  const inPane = paneOfMessage(selectedRow);
  return [
    {
      label: inPane === null ? 'Open in its pane' : openInPaneLabel(inPane),
      shortcut: OPEN_KEYS,
      disabled: inPane === null,
      onSelect: () => {
        if (inPane !== null) reportFault(openInPane(sessionId, inPane));
      },
    },
    {
      label: 'Edit and resend',
      shortcut: 'Alt+Shift+R',
      disabled: resendable === null,
      onSelect: () => {
        if (resendable !== null) reportFault(editAndResend(sessionId, resendable));
      },
    },
    {
      label: 'Compare with the previous call',
      ...(isToolCall(selectedRow) && { detail: selectedRow.summary }),
      disabled: !isToolCall(selectedRow),
      onSelect: () => comparePrevious(view, actions.onCompare),
    },
    {
      label: isSeveral ? 'Replay the selected calls…' : 'Replay this call…',
      disabled: !isSeveral && !isReplayableRow(selectedRow),
      onSelect: () => proposeReplay(sessionId, { of: 'rows', rows: [...selection.rows] }),
    },
    {
      label: 'Replay from here…',
      onSelect: () => proposeReplay(sessionId, { of: 'from', row: selectedRow.row }),
    },
    null,
    ...termsOf(selectedRow, view.server).map(
      ({ label, detail, term }): MenuEntry => ({
        label,
        detail,
        onSelect: () => view.setFilter(addTerm(view.filterText, term)),
      }),
    ),
    { label: 'Hide rows like this', detail: hidingTermOf(selectedRow), onSelect: () => hideAlike(view) },
    null,
    { label: 'Copy as JSON lines', shortcut: 'Mod+C', onSelect: actions.onCopy },
    { label: 'Copy as', entries: copyEntries(sessionId, selectedRow) },
    ...(canWrap(selectedRow)
      ? [
          {
            label: view.wrapped === null ? 'Wrap the line' : 'Show it on one line',
            shortcut: 'W' as const,
            onSelect: () => view.toggleWrap(),
          },
        ]
      : []),
    {
      label: selectedRow.mark === null ? 'Bookmark' : 'Remove the mark',
      shortcut: 'Alt+M',
      onSelect: () => toggleMark(view, actions.onNote),
    },
    { label: 'Write a note…', shortcut: 'Alt+Shift+M', onSelect: actions.onNote },
  ];
}

const isToolCall = ({ kind, method, direction }: TraceRow): boolean =>
  kind === 'request' && method === TOOLS_CALL && direction === 'out';

/** Filters that list rows like this one. */
function termsOf(row: TraceRow, server: string | null): { label: string; detail: string; term: string }[] {
  const { method, id, summary } = row;
  const terms = [];
  if (isToolCall(row) && summary !== '')
    terms.push({ label: 'Filter by this tool', detail: summary, term: printValue('tool', summary) });
  if (method === null)
    terms.push({ label: 'Filter by this kind', detail: kindLabels[row.kind].text, term: `kind:${row.kind}` });
  else terms.push({ label: 'Filter by this method', detail: method, term: printValue('method', method) });
  if (id !== null) {
    const plain = id.startsWith('"') ? String(JSON.parse(id)) : id;
    terms.push({ label: 'Filter by this id', detail: `id ${id}`, term: printValue('id', plain) });
  }
  if (server !== null)
    terms.push({ label: 'Filter by this session', detail: server, term: printValue('session', server) });
  return terms;
}

/** The filter that leaves out rows like this one: of its tool, else its method, else its kind. */
export function hidingTermOf(row: TraceRow): string {
  if (isToolCall(row) && row.summary !== '') return `-${printValue('tool', row.summary)}`;
  return row.method === null ? `-kind:${row.kind}` : `-${printValue('method', row.method)}`;
}

/** Leaves out rows like the selected one. */
export function hideAlike(view: TraceView): void {
  const { selectedRow } = view.selection;
  if (selectedRow !== null) view.setFilter(addTerm(view.filterText, hidingTermOf(selectedRow)));
}

/** Whether the selected row is a call that can be compared with the previous one of the same tool. */
export const canComparePrevious = ({ selection }: TraceView): boolean =>
  selection.selectedRow !== null && selection.picks.count === 0 && isToolCall(selection.selectedRow);

/** Compares the selected call with the previous one of the same tool. */
export function comparePrevious(view: TraceView, onCompare: () => void): void {
  reportFault(selectPrevious(view).then((isFound) => (isFound ? onCompare() : undefined)));
}

async function selectPrevious({ sessionId, selection }: TraceView): Promise<boolean> {
  const { selectedRow } = selection;
  if (selectedRow === null) return false;
  const text = `kind:request dir:out ${printValue('tool', selectedRow.summary)}`;
  const from = selectedRow.row;
  const { row } = await call('trace/seek', { sessionId, filterId: null, from, step: -1, text });
  if (row === null) toastNote(`No call of ${visibleLine(selectedRow.summary)} before ${rowNumber(from)}`);
  else selection.pick([row, from]);
  return row !== null;
}
