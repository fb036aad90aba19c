import { useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { call } from '#bridge';
import type { Call } from '#shared/contract/calls.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { memberText } from '#shared/json/members.ts';
import { PROMPTS_GET, RESOURCES_READ, TOOLS_CALL } from '#shared/protocol/methods.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { addRecordedCalls, promptOf } from './calls.ts';
import { useCommands } from './commands.ts';
import { goToEntry } from './inbox.ts';
import type { PaneName } from './pane-names.ts';
import { focusTrace, selectPane, selectTraceRow, showResource, useSelection } from './selection.ts';
import { useSessions } from './sessions.ts';
import { goToTask } from './tasks.ts';

/** The panes that show messages of the trace in their own way. */
export type MessagePane = Extract<PaneName, 'tools' | 'resources' | 'prompts' | 'inbox' | 'tasks'>;

interface ShownIn {
  readonly pane: MessagePane;
  /** Who sends the message; null for either side. */
  readonly sender: 'client' | 'server' | null;
}

/** The pane that shows a message or its response, by its method. */
const shownIn: Readonly<Record<string, ShownIn>> = {
  [TOOLS_CALL]: { pane: 'tools', sender: 'client' },
  [RESOURCES_READ]: { pane: 'resources', sender: 'client' },
  'resources/subscribe': { pane: 'resources', sender: 'client' },
  'resources/unsubscribe': { pane: 'resources', sender: 'client' },
  'notifications/resources/updated': { pane: 'resources', sender: 'server' },
  [PROMPTS_GET]: { pane: 'prompts', sender: 'client' },
  'sampling/createMessage': { pane: 'inbox', sender: 'server' },
  'elicitation/create': { pane: 'inbox', sender: 'server' },
  'roots/list': { pane: 'inbox', sender: 'server' },
  'tasks/get': { pane: 'tasks', sender: null },
  'tasks/result': { pane: 'tasks', sender: null },
  'tasks/cancel': { pane: 'tasks', sender: null },
  'tasks/list': { pane: 'tasks', sender: null },
  'notifications/tasks/status': { pane: 'tasks', sender: null },
  'notifications/tasks': { pane: 'tasks', sender: null },
};

/** A message in its pane. */
export interface MessageInPane {
  readonly pane: MessagePane;
  /** The row of the message; of a response, that of its request. */
  readonly row: number;
  /** Who sent the message in that row. */
  readonly sender: 'client' | 'server';
}

/** Where the window shows the message of a row besides the trace; null if no pane does. */
export function paneOfMessage({
  row,
  kind,
  method,
  direction,
  pair,
  status,
}: TraceRow): MessageInPane | null {
  const isResponse = kind === 'result' || kind === 'error';
  if (method === null || (!isResponse && kind !== 'request' && kind !== 'notification')) return null;
  // In the modern era questions come in a result (MCP 2026-07-28 multi-round-trip requests).
  if (isResponse && status === 'input-required') return { pane: 'inbox', row, sender: 'server' };
  const shown = Object.hasOwn(shownIn, method) ? shownIn[method] : undefined;
  const sender = (direction === 'out') === isResponse ? 'server' : 'client';
  const message = isResponse ? pair : row;
  if (shown === undefined || message === null) return null;
  if (shown.sender !== null && shown.sender !== sender) return null;
  return { pane: shown.pane, row: message, sender };
}

const paneLabels: Readonly<Record<MessagePane, string>> = {
  tools: 'Tools',
  resources: 'Resources',
  prompts: 'Prompts',
  inbox: 'Inbox',
  tasks: 'Tasks',
};

/** Such as `Open in Tools`. */
export const openInPaneLabel = ({ pane }: MessageInPane): string => `Open in ${paneLabels[pane]}`;

/**
 * Finds messages in their panes, and returns how to show each there. Each rejects with a fault if its pane does not have the
 * message.
 */
const openers: Readonly<
  Record<MessagePane, (sessionId: string, message: MessageInPane) => Promise<() => void>>
> = {
  async tools(sessionId, { row }) {
    const opened = await callOf(sessionId, row);
    const { entries } = await call('catalog/tools', { sessionId });
    if (!entries.some((entry) => entry.usable && entry.tool.name === opened.tool))
      throw notInPane(`The tool ${opened.tool} is not in the list of the server, so Tools cannot show it.`);
    return () => handOver(opened, 'tools');
  },
  async prompts(sessionId, { row }) {
    const opened = await callOf(sessionId, row);
    const { entries } = await call('catalog/prompts', { sessionId });
    const name = promptOf(opened);
    if (!entries.some((entry) => entry.usable && entry.prompt.name === name))
      throw notInPane(`The prompt ${name} is not in the list of the server, so Prompts cannot show it.`);
    return () => handOver(opened, 'prompts');
  },
  async resources(sessionId, { row }) {
    const read = await call('calls/of-row', { sessionId, row });
    const uri = await paramOf(sessionId, row, 'uri');
    if (uri === null) throw notInPane(`The message in row ${rowNumber(row)} names no resource.`);
    return () => {
      showResource(useSessions.getState().sessions[sessionId]?.serverId ?? sessionId, uri);
      if (read !== null) handOver(read, 'resources');
      else selectPane('resources');
    };
  },
  async inbox(sessionId, { row }) {
    const entry = (await call('inbox/list', { sessionId })).find((one) => one.row === row);
    if (entry === undefined)
      throw notInPane(`The question in row ${rowNumber(row)} is not in the Inbox: it was not put to you.`);
    return () => goToEntry(sessionId, entry.id);
  },
  async tasks(sessionId, { row, sender }) {
    const id = await paramOf(sessionId, row, 'taskId');
    if (id === null) return () => selectPane('tasks');
    const tasks = await call('tasks/list', { sessionId });
    const { method } = (await call('trace/rows-by-number', { sessionId, rows: [row] }))[0] ?? {};
    // A notification comes from who executes the task, a request goes to it.
    const isNotified = method?.startsWith('notifications/') === true;
    const owner = (sender === 'server') === isNotified ? 'server' : 'client';
    const task = tasks.find((one) => one.id === id && one.owner === owner);
    if (task === undefined) throw notInPane(`The task ${id} is not known in this session.`);
    return () => goToTask(sessionId, owner, id);
  },
};

/** Between the selected row of the trace and its pane. */
export const OPEN_KEYS = 'Alt+O';
const SHOW_KEYS = 'Alt+Shift+O';

/** Opens a message of the trace on screen in its pane. Rejects with a fault if the pane does not have it. */
export async function openInPane(sessionId: string, message: MessageInPane): Promise<void> {
  const before = useSelection.getState();
  const show = await openers[message.pane](sessionId, message);
  const { serverId, openedId } = useSelection.getState();
  // Nothing happens to what the user has gone to in the meantime.
  if (serverId === before.serverId && openedId === before.openedId) show();
}

async function callOf(sessionId: string, row: number): Promise<Call> {
  const found = await call('calls/of-row', { sessionId, row });
  if (found === null) throw notInPane(`Row ${rowNumber(row)} belongs to no call.`);
  return found;
}

/** A string in the params of a message; null if it has none. */
async function paramOf(sessionId: string, row: number, name: string): Promise<string | null> {
  const { text } = await call('trace/detail', { sessionId, row });
  const param = memberText(text ?? '', ['params', name]);
  return param?.startsWith('"') === true ? String(JSON.parse(param)) : null;
}

const notInPane = (what: string): FaultError =>
  new FaultError({
    code: 'not-in-pane',
    what,
    next: 'Its detail in the trace has all of it.',
  } satisfies Fault);

/** The call that was opened from the trace last, until its pane has taken it. */
const useOpened = create<{ readonly opened: Call | null }>()(() => ({ opened: null }));

function handOver(opened: Call, pane: MessagePane): void {
  addRecordedCalls(opened.sessionId, [opened]);
  useOpened.setState({ opened });
  selectPane(pane);
}

/** Hands over the call of this method that was opened from the trace, until `take` returns true. */
export function useOpenedCall(sessionId: string, method: string, take: (opened: Call) => boolean): void {
  const opened = useOpened((state) => state.opened);
  useEffect(() => {
    if (opened === null || opened.sessionId !== sessionId || opened.method !== method) return;
    if (take(opened)) useOpened.setState({ opened: null });
  });
}

/** Registers the command back from a pane: it selects the row of what the pane shows. @param row null for none */
export function useShowInTrace(sessionId: string, row: number | null): void {
  const show = (shown: number) => {
    selectTraceRow(sessionId, shown);
    focusTrace();
  };
  useShowInTraceBy(row === null ? null : () => show(row), `${sessionId} ${row}`);
}

/**
 * The same for a pane that opens another trace first.
 *
 * @param show null for none
 * @param key names what is shown
 */
export function useShowInTraceBy(show: (() => void) | null, key: string): void {
  useCommands(
    useMemo(
      () =>
        show === null
          ? []
          : [
              {
                id: 'trace.show-from-pane',
                title: 'Show in the trace what the pane shows',
                group: 'Trace',
                shortcut: SHOW_KEYS,
                keywords: ['row', 'message', 'back'],
                run: show,
              },
            ],
      // oxlint-disable-next-line react/exhaustive-deps -- a new closure for the same row is the same command
      [key],
    ),
  );
}
