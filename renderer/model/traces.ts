import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Fault } from '#shared/contract/fault.ts';
import type { OpenedTrace, TraceFileView } from '#shared/contract/traces.ts';
import { faultOf } from './connection.ts';
import { selectOpened, selectServer, useSelection } from './selection.ts';

interface TraceFiles {
  /** Where the app keeps traces; empty until the engine has told. */
  readonly folder: string;
  /** The newest first; null until the engine has told. */
  readonly files: readonly TraceFileView[] | null;
  /** Why the files cannot be listed. */
  readonly fault: Fault | null;
  /** Traces opened from files, by what the contract knows them by. */
  readonly opened: Readonly<Record<string, OpenedTrace>>;
}

/** The trace files there are and those that are open, as the engine last told. */
export const useTraces = create<TraceFiles>()(() => ({
  folder: '',
  files: null,
  fault: null,
  opened: {},
}));

const keep = (...opened: readonly OpenedTrace[]) =>
  useTraces.setState((now) => ({
    opened: { ...now.opened, ...Object.fromEntries(opened.map((trace) => [trace.sessionId, trace])) },
  }));

/** Fetches the list of trace files again. Never rejects: why it cannot be had is kept with it. */
export async function refreshTraceFiles(): Promise<void> {
  try {
    useTraces.setState({ ...(await call('traces/list', {})), fault: null });
  } catch (error) {
    useTraces.setState({ fault: faultOf(error) });
  }
}

/** Follows what is open, and the list of files. Rejects when the engine is not there. */
export async function followTraces(): Promise<void> {
  on('traces/opened-changed', (opened) => keep(opened));
  on('traces/closed', ({ sessionId }) => forget(sessionId));
  on('traces/show', ({ sessionId }) => selectOpened(sessionId));
  on('traces/changed', () => void refreshTraceFiles());
  const [opened] = await Promise.all([call('traces/opened', {}), refreshTraceFiles()]);
  keep(...opened);
}

/** Opens a trace file and shows it. Rejects with why it cannot be opened. */
export async function openTrace(path: string): Promise<void> {
  const opened = await call('traces/open', { path });
  keep(opened);
  selectOpened(opened.sessionId);
}

/** Lets an opened trace go; the file stays. */
export async function closeTrace(sessionId: string): Promise<void> {
  await call('traces/close', { sessionId });
  forget(sessionId);
}

/** Gives a file of the data folder another name. Rejects with why it cannot have it. */
export async function renameTrace(path: string, name: string): Promise<TraceFileView> {
  const renamed = await call('traces/rename', { path, name });
  // The notice of it may take a moment.
  useTraces.setState(({ files }) => ({
    files: files?.map((file) => (file.path === path ? renamed : file)) ?? null,
  }));
  return renamed;
}

/** Deletes a file of the data folder for good. Rejects with why it cannot be deleted. */
export async function deleteTrace(path: string): Promise<void> {
  await call('traces/delete', { path });
  useTraces.setState(({ files }) => ({ files: files?.filter((file) => file.path !== path) ?? null }));
}

/** What was on screen before comes back when the trace on screen goes. */
function forget(sessionId: string): void {
  useTraces.setState(({ opened: { [sessionId]: _, ...others } }) => ({ opened: others }));
  const { openedId, serverId } = useSelection.getState();
  if (openedId === sessionId) selectServer(serverId);
}

/** The opened trace on screen; null when a server is. */
export function useCurrentTrace(): OpenedTrace | null {
  const openedId = useSelection((selection) => selection.openedId);
  return useTraces(({ opened }) => (openedId === null ? null : (opened[openedId] ?? null)));
}
