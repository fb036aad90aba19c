import { Ellipsis } from 'lucide-react';
import { openLoad } from '#model/tests-pane.ts';
import { showRowOfSession, useBeginOf } from '#model/traces.ts';
import type { CallFailure, CallOutcome, TestFile } from '#shared/contract/saved-calls.ts';
import { formatDuration, formatQuantity } from '#shared/format.ts';
import { argumentsInLine, paramsInLine } from '#shared/json/in-line.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { Chip, type Tone } from '#ui/chip.tsx';
import { Menu } from '#ui/menu.tsx';
import { EarlierSession } from '#ui/earlier-session.tsx';
import { ParamsPreview } from '#ui/params-preview.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';

type ListedCall = TestFile['calls'][number];

const outcomeLabels: Readonly<Record<CallOutcome['state'], readonly [label: string, tone: Tone]>> = {
  passed: ['Passed', 'ok'],
  failed: ['Failed', 'error'],
  flaky: ['Flaky', 'warn'],
  skipped: ['Skipped', 'warn'],
};

/** A saved call with its last outcome. */
export function SavedCallRow({
  call: { kind, name, tool, method, arguments: args },
  outcome,
  sessionId,
  path,
  isRunning,
  isEdited,
  onRun,
  onAccept,
  onEdit,
  onOpen,
  onRemove,
}: {
  readonly call: ListedCall;
  readonly outcome: CallOutcome | null;
  /** The session on screen; null if there is none. */
  readonly sessionId: string | null;
  readonly path: string;
  readonly isRunning: boolean;
  readonly isEdited: boolean;
  /** Null if it cannot run now. */
  readonly onRun: (() => void) | null;
  /** Null if there is no answer to accept. */
  readonly onAccept: (() => void) | null;
  /** Null for a step that is no call, which is edited in the file. */
  readonly onEdit: (() => void) | null;
  /** Null if it calls no tool. */
  readonly onOpen: (() => void) | null;
  readonly onRemove: () => void;
}) {
  const begun = useBeginOf(outcome?.sessionId ?? '');
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
        <span className="flex min-w-24 flex-1 items-baseline gap-2">
          <span className="max-w-full shrink-0 truncate">
            {shown}
            {name !== (tool ?? method) && (
              <span className="mono text-sm text-faint"> {visibleLine(tool ?? method)}</span>
            )}
          </span>
          {/* A step that is no call has no arguments. */}
          {kind === undefined && (
            <ParamsPreview text={tool === null ? paramsInLine(args, undefined) : argumentsInLine(args)} />
          )}
        </span>
        {outcome !== null && outcome.sessionId !== sessionId && !isRunning && (
          <EarlierSession begun={begun} />
        )}
        {outcome?.duration != null && (
          <span className="mono text-sm text-mute">{formatDuration(outcome.duration)}</span>
        )}
        {outcome !== null && outcome.requestRow !== null && (
          <RowLink
            row={outcome.requestRow}
            onOpen={(row) => reportFault(showRowOfSession(outcome.sessionId, row))}
          />
        )}
        {onAccept !== null && (
          <Button size="small" aria-label={`Accept the answer to ${shown}`} onClick={onAccept}>
            Accept
          </Button>
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
            ...(onEdit === null ? [] : [{ label: 'Edit expectations', onSelect: onEdit }]),
            ...(onOpen === null ? [] : [{ label: 'Open in the form', onSelect: onOpen }]),
            { label: 'Run many times…', onSelect: () => openLoad({ of: 'file', name }) },
            null,
            { label: 'Remove from the file', tone: 'danger', onSelect: onRemove },
          ]}
        />
      </div>
      {outcome !== null && !isRunning && <Failures outcome={outcome} path={path} />}
    </li>
  );
}

/** What was not as expected, each with its place in the file; what was ignored, and what was changed. */
function Failures({ outcome, path }: { readonly outcome: CallOutcome; readonly path: string }) {
  const { failures, warnings, ignored, updated, attempts, state, reason } = outcome;
  const fileName = path.split(/[/\\]/).at(-1) ?? path;
  const failed = attempts.filter((attempt) => attempt.state === 'failed').length;
  const notes = [
    ...(reason === null ? [] : [reason]),
    ...(state === 'flaky' ? [`${failed} of ${formatQuantity(attempts.length, 'attempt')} failed`] : []),
    ...(updated.length === 0 ? [] : [`Changed in the file: ${updated.join(', ')}`]),
  ];
  const paths = [...new Set(ignored.map(({ path: at, why }) => `${at} (${why})`))];
  if (failures.length + warnings.length + notes.length + paths.length === 0) return null;
  return (
    <ul aria-label="Details of the outcome" className="mt-0.5 ml-18 flex flex-col text-sm">
      {notes.map((note) => (
        <li key={note} className="break-words text-mute">
          {visibleLine(note)}
        </li>
      ))}
      {failures.map((failure) => (
        <Failure key={keyOf(failure)} failure={failure} fileName={fileName} tone="text-err" />
      ))}
      {warnings.map((warning) => (
        <Failure key={keyOf(warning)} failure={warning} fileName={fileName} tone="text-warn" />
      ))}
      {paths.length > 0 && (
        <li className="truncate text-faint" title={visibleLine(paths.join(', '))}>
          Ignored: {visibleLine(paths.join(', '))}
        </li>
      )}
    </ul>
  );
}

const keyOf = ({ line, column, message }: CallFailure): string => `${line}:${column} ${message}`;

/** One of them, with all that the server said if the message has not all of it. */
function Failure({
  failure: { line, column, message, quote },
  fileName,
  tone,
}: {
  readonly failure: CallFailure;
  readonly fileName: string;
  readonly tone: 'text-err' | 'text-warn';
}) {
  const said = quote === undefined || message.includes(quote.trim()) ? null : quote.trimEnd();
  return (
    <li className="break-words">
      <span className={tone}>{visibleLine(message)}</span>{' '}
      <span className="mono text-xs text-faint">
        {visibleLine(fileName)}:{line}:{column}
      </span>
      {said !== null && (
        <pre
          tabIndex={0}
          aria-label="What the server said"
          className="mono max-h-40 overflow-auto text-xs [overflow-wrap:anywhere] whitespace-pre-wrap text-mute"
        >
          <VisibleText text={said} />
        </pre>
      )}
    </li>
  );
}
