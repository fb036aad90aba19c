import { Ellipsis, FilePlus, Play, RotateCcw } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '#bridge';
import { editSavedCall, openInForm, useOutcomes, useTestFilePath, useTesting } from '#model/tests-pane.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { useAction, useQuery } from '#model/use-query.ts';
import { type CallOutcome, type TestFile, testFileFault } from '#shared/contract/saved-calls.ts';
import { formatDuration, formatQuantity } from '#shared/format.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { Chip, type Tone } from '#ui/chip.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Input } from '#ui/field.tsx';
import { Menu } from '#ui/menu.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { visibleLine } from '#ui/visible.ts';
import { SavedCallForm } from './saved-call-form.tsx';

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
  const { latest, fault } = useQuery(`${path} ${version}`, () => call('saved-calls/read', { path }));
  const file = latest?.path === path || latest === null ? latest : null;
  const outcomes = useOutcomes(path);
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
      });
    } finally {
      setBusy(null);
    }
  });
  const removing = useAction(async (index: number, name: string) => {
    await call('saved-calls/remove', { path, index, name });
    // The places of the others may have changed.
    if (editing !== null && editing.index !== null) editSavedCall(null);
    reload();
  });
  const canRun = session !== null && isBusy === null;
  const calls = file?.calls ?? [];
  const shownFault =
    fault ??
    (file !== null && file.errors.length > 0 ? testFileFault(file.path, file.errors) : null) ??
    running.fault ??
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
        <IconButton size="small" label="Read the file again" onClick={reload}>
          <RotateCcw aria-hidden className="size-3.5" />
        </IconButton>
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
        {calls.map((one, index) => (
          <CallRow
            key={one.name}
            call={one}
            outcome={outcomes.get(one.name) ?? null}
            path={path}
            isRunning={isBusy === index || isBusy === 'all'}
            isEdited={editing?.index === index}
            onRun={canRun ? () => void running.run(index) : null}
            onEdit={() => {
              const { line: _, column: __, ...saved } = one;
              editSavedCall({ serverId, index, call: saved });
            }}
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
          key={`${editing.index} ${editing.call.name}`}
          editing={editing}
          path={path}
          file={file}
          onSaved={reload}
        />
      </SplitPanel>
    </Split>
  );
}

function summary(
  calls: readonly ListedCall[],
  outcomes: ReadonlyMap<string, CallOutcome>,
  isRunning: boolean,
  isOffline: boolean,
): string {
  if (isRunning) return 'Running…';
  if (isOffline) return 'Connect to run them.';
  const known = calls.flatMap(({ name }) => outcomes.get(name)?.state ?? []);
  if (known.length === 0) return calls.length === 0 ? '' : formatQuantity(calls.length, 'call');
  const count = (state: CallOutcome['state']) => known.filter((one) => one === state).length;
  return `${count('passed')} passed, ${count('failed')} failed`;
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

const outcomeLabels: Readonly<Record<CallOutcome['state'], readonly [label: string, tone: Tone]>> = {
  passed: ['Passed', 'ok'],
  failed: ['Failed', 'error'],
  flaky: ['Flaky', 'warn'],
  skipped: ['Skipped', 'warn'],
};

function CallRow({
  call: { name, tool, method },
  outcome,
  path,
  isRunning,
  isEdited,
  onRun,
  onEdit,
  onOpen,
  onRemove,
}: {
  readonly call: ListedCall;
  readonly outcome: CallOutcome | null;
  readonly path: string;
  readonly isRunning: boolean;
  readonly isEdited: boolean;
  /** Null if it cannot run now. */
  readonly onRun: (() => void) | null;
  readonly onEdit: () => void;
  /** Null if it calls no tool. */
  readonly onOpen: (() => void) | null;
  readonly onRemove: () => void;
}) {
  const [label, tone] = isRunning
    ? (['Running', 'neutral'] as const)
    : outcome === null
      ? (['Not run', 'neutral'] as const)
      : outcomeLabels[outcome.state];
  const shown = visibleLine(name);
  return (
    <li
      aria-label={`${shown}: ${label}`}
      aria-current={isEdited ? 'true' : undefined}
      className="border-t border-line py-1 aria-[current]:bg-hover"
    >
      <div className="flex flex-wrap items-center gap-x-2">
        <span className="w-16 shrink-0">
          <Chip tone={tone}>{label}</Chip>
        </span>
        <span className="min-w-0 flex-1 truncate">
          {shown} <span className="mono text-sm text-faint">{visibleLine(tool ?? method)}</span>
        </span>
        {outcome?.duration != null && (
          <span className="mono text-sm text-mute">{formatDuration(outcome.duration)}</span>
        )}
        {outcome !== null && outcome.requestRow !== null && (
          <RowLink
            row={outcome.requestRow}
            onOpen={() => selectTraceRow(outcome.sessionId, outcome.requestRow)}
          />
        )}
        <Button size="small" disabled={onRun === null} aria-label={`Run ${shown}`} onClick={() => onRun?.()}>
          Run
        </Button>
        <Menu
          trigger={
            <IconButton size="small" label={`More for ${shown}`}>
              <Ellipsis aria-hidden className="size-3.5" />
            </IconButton>
          }
          entries={[
            { label: 'Edit expectations', onSelect: onEdit },
            ...(onOpen === null ? [] : [{ label: 'Open in the form', onSelect: onOpen }]),
            null,
            { label: 'Remove from the file', tone: 'danger', onSelect: onRemove },
          ]}
        />
      </div>
      {outcome !== null && !isRunning && <Failures outcome={outcome} path={path} />}
    </li>
  );
}

/** What was not as expected, each with its place in the file. */
function Failures({ outcome, path }: { readonly outcome: CallOutcome; readonly path: string }) {
  const fileName = path.split(/[/\\]/).at(-1) ?? path;
  if (outcome.failures.length === 0 && outcome.reason === null) return null;
  return (
    <ul aria-label="What was not as expected" className="mt-0.5 ml-18 flex flex-col text-sm">
      {outcome.reason !== null && <li className="text-mute">{outcome.reason}</li>}
      {outcome.failures.map(({ line, column, message }) => (
        <li key={`${line}:${column} ${message}`} className="break-words">
          <span className="text-err">{visibleLine(message)}</span>{' '}
          <span className="mono text-xs text-faint">
            {visibleLine(fileName)}:{line}:{column}
          </span>
        </li>
      ))}
    </ul>
  );
}
