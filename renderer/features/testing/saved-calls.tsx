import { FilePlus, FolderOpen, Play, RotateCcw } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '#bridge';
import {
  editSavedCall,
  openInForm,
  type OpenSavedCall,
  useOutcomes,
  useTestFilePath,
  useTesting,
} from '#model/tests-pane.ts';
import { useShownSession } from '#model/selection.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { useUndo } from '#model/undo.ts';
import { useAction, useQuery } from '#model/use-query.ts';
import { type CallOutcome, type TestFile, testFileFault } from '#shared/contract/saved-calls.ts';
import { formatClock, formatQuantity } from '#shared/format.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, Input, SelectBox } from '#ui/field.tsx';
import { Menu } from '#ui/menu.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { SavedCallForm } from './saved-call-form.tsx';
import { SavedCallRow } from './saved-call-row.tsx';

type ListedCall = TestFile['calls'][number];

/** The calls of a test file with their last outcomes; one of them can be edited beside the list. */
export function SavedCalls({
  serverId,
  session,
  switcher,
}: {
  readonly serverId: string;
  /** Null unless it is ready. */
  readonly session: SessionStatus | null;
  /** Leads to the other tests. */
  readonly switcher: ReactNode;
}) {
  const [path, choosePath] = useTestFilePath(serverId);
  const [version, setVersion] = useState(0);
  const [isBusy, setBusy] = useState<number | 'all' | null>(null);
  const [times, setTimes] = useState<(typeof timeChoices)[number]>('1');
  const { latest, fault } = useQuery(`${path} ${version}`, () => call('saved-calls/read', { path }));
  const file = latest?.path === path || latest === null ? latest : null;
  const outcomes = useOutcomes(path);
  // Also one that is not ready: its trace is on screen.
  const shownId = useShownSession()?.id ?? null;
  const editing = useTesting((state) => (state.editing?.serverId === serverId ? state.editing : null));
  const reload = () => setVersion((before) => before + 1);

  const running = useAction(async (index: number | null) => {
    if (session === null) return;
    setBusy(index ?? 'all');
    try {
      const indexes = index === null ? null : [index];
      await call('saved-calls/run', {
        path,
        sessionId: session.id,
        indexes,
        variables: {},
        allowWrites: true,
        repeat: Number(times),
      });
    } finally {
      setBusy(null);
    }
  });
  const accepting = useAction(async (index: number, name: string) => {
    await call('saved-calls/accept', { path, index, name });
    // The form would write over what was accepted.
    if (editing?.index === index) editSavedCall(null);
    reload();
  });
  const removing = useAction(async (index: number, name: string) => {
    moveEditing(await call('saved-calls/remove', { path, index, name }), editing);
    reload();
  });
  useRestoredCall(async () => {
    moveEditing(await call('saved-calls/read', { path }), editing);
    reload();
  });
  const [isBySlowest, setBySlowest] = useState(false);
  const canRun = session !== null && isBusy === null;
  const calls = file?.calls ?? [];
  const durationOf = ({ one }: { readonly one: ListedCall }) => outcomes.get(one.name)?.duration ?? -1;
  const inFile = calls.map((one, index) => ({ one, index }));
  const listed = isBySlowest ? inFile.toSorted((a, b) => durationOf(b) - durationOf(a)) : inFile;
  const shownFault =
    fault ??
    (file !== null && file.errors.length > 0 ? testFileFault(file.path, file.errors) : null) ??
    running.fault ??
    accepting.fault ??
    removing.fault;

  const list = (
    <div className="flex h-full min-h-0 flex-col overflow-y-auto px-4 pt-2.5 pb-3">
      <div className="flex flex-wrap items-center gap-2 pb-2">
        {switcher}
        <PathField key={path} path={path} onChoose={choosePath} />
        <Button
          size="small"
          variant="primary"
          icon={<Play aria-hidden className="size-3" />}
          disabled={!canRun || calls.length === 0}
          onClick={() => void running.run(null)}
        >
          Run all
        </Button>
        <SelectBox
          aria-label="How often"
          size="small"
          className="w-24"
          value={times}
          options={timeChoices.map((value) => ({ value, label: value === '1' ? 'once' : `${value} times` }))}
          onChange={setTimes}
        />
        <FilesMenu path={path} version={version} onChoose={choosePath} />
        <IconButton size="small" label="Read the file again" onClick={reload}>
          <RotateCcw aria-hidden className="size-3.5" />
        </IconButton>
        {calls.length > 1 && outcomes.size > 0 && (
          <Checkbox label="Slowest first" checked={isBySlowest} onChange={setBySlowest} />
        )}
        <p role="status" className="text-sm text-mute">
          {summary(calls, outcomes, isBusy !== null, session === null)}
        </p>
      </div>
      {shownFault !== null && <FaultCard fault={shownFault} className="mb-2" />}
      {calls.length === 0 && shownFault === null && file !== null && (
        <EmptyState icon={<FilePlus />} title="No saved calls yet">
          Call a tool in the Tools pane and choose “Save call…” below its result.
        </EmptyState>
      )}
      <ul aria-label="Saved calls" className="flex flex-col">
        {listed.map(({ one, index }) => (
          <SavedCallRow
            key={one.name}
            call={one}
            outcome={outcomes.get(one.name) ?? null}
            sessionId={shownId}
            path={path}
            isRunning={isBusy === index || isBusy === 'all'}
            isEdited={editing?.index === index}
            onRun={canRun ? () => void running.run(index) : null}
            onAccept={
              isBusy === null && outcomes.get(one.name)?.canAccept === true
                ? () => void accepting.run(index, one.name)
                : null
            }
            onEdit={one.kind === undefined ? () => edit(serverId, index, one) : null}
            onOpen={one.tool === null ? null : () => openInForm(serverId, one.tool ?? '', one.arguments)}
            onRemove={() => void removing.run(index, one.name)}
          />
        ))}
      </ul>
    </div>
  );
  if (editing === null) return list;
  return (
    <Split id="saved-calls" direction="row" className="h-full">
      <SplitPanel id="saved-call-list" min={260}>
        {list}
      </SplitPanel>
      <SplitHandle label="Width of the saved calls" />
      <SplitPanel id="saved-call" size="50%" min={280}>
        <SavedCallForm
          key={`${editing.index === null} ${editing.call.name}`}
          editing={editing}
          path={path}
          file={file}
          onSaved={reload}
        />
      </SplitPanel>
    </Split>
  );
}

/** Calls back when a saved call that was removed may be back in its file. */
function useRestoredCall(onRestored: () => Promise<void>): void {
  const latest = useRef(onRestored);
  useEffect(() => {
    latest.current = onRestored;
  });
  const held = useUndo(({ offers }) => offers.length);
  const before = useRef(held);
  useEffect(() => {
    if (held < before.current) reportFault(latest.current());
    before.current = held;
  }, [held]);
}

/** Keeps the form at its call, whose place in the file may have changed; closes it if the call is gone. */
function moveEditing(file: TestFile, editing: OpenSavedCall | null): void {
  if (editing === null || editing.index === null) return;
  const index = file.calls.findIndex(({ name }) => name === editing.call.name);
  if (index !== editing.index) editSavedCall(index === -1 ? null : { ...editing, index });
}

function summary(
  calls: readonly ListedCall[],
  outcomes: ReadonlyMap<string, CallOutcome>,
  isRunning: boolean,
  isOffline: boolean,
): string {
  if (isRunning) return 'Running…';
  if (isOffline) return 'Connect to run them.';
  const known = calls.flatMap(({ name }) => outcomes.get(name) ?? []);
  if (known.length === 0) return calls.length === 0 ? '' : formatQuantity(calls.length, 'call');
  const count = (state: CallOutcome['state']) => known.filter((one) => one.state === state).length;
  const flaky = count('flaky') === 0 ? '' : `, ${count('flaky')} flaky`;
  const last = formatClock(Math.max(...known.map(({ at }) => at)));
  return `${count('passed')} passed, ${count('failed')} failed${flaky} · ${last}`;
}

const timeChoices = ['1', '5', '20'] as const;

/** Leads to the other test files in the folder. */
function FilesMenu({
  path,
  version,
  onChoose,
}: {
  readonly path: string;
  readonly version: number;
  readonly onChoose: (path: string) => void;
}) {
  const { latest } = useQuery(`${path} ${version}`, () => call('saved-calls/files', { path }));
  const names = latest ?? [];
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
  return (
    <Menu
      trigger={
        <IconButton size="small" label="Test files in this folder" disabled={names.length === 0}>
          <FolderOpen aria-hidden className="size-3.5" />
        </IconButton>
      }
      entries={names.map((name) => ({
        label: visibleLine(name),
        isChecked: name === path.slice(end),
        onSelect: () => onChoose(`${path.slice(0, end)}${name}`),
      }))}
    />
  );
}

/** The path of the test file; Enter or leaving the field reads it. */
function PathField({ path, onChoose }: { readonly path: string; readonly onChoose: (path: string) => void }) {
  const [entered, setEntered] = useState(path);
  const choose = () => {
    if (entered.trim() !== path && entered.trim() !== '') onChoose(entered.trim());
  };
  return (
    <form
      className="min-w-48 flex-1"
      onSubmit={(submit: FormEvent) => {
        submit.preventDefault();
        choose();
      }}
    >
      <Input
        aria-label="Test file"
        className="mono h-6"
        value={entered}
        onChange={({ target }) => setEntered(target.value)}
        onBlur={choose}
      />
    </form>
  );
}

function edit(serverId: string, index: number, { line: _, column: __, ...saved }: ListedCall): void {
  editSavedCall({ serverId, index, call: saved });
}
