import {
  FolderOpen,
  Copy,
  FileDown,
  FolderSearch,
  GitCompare,
  Pencil,
  ServerCog,
  SquareArrowOutUpRight,
  Trash2,
  X,
} from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { faultOf } from '#model/faults.ts';
import { isOnDesktop, showInFolder } from '#model/desktop.ts';
import { openExport } from '#model/exports.ts';
import { openMockForm } from '#model/mocks.ts';
import { compareShownWith, proposeComparison } from '#model/replay.ts';
import { selectOpened } from '#model/selection.ts';
import { closeTrace, openedFrom, renameTrace } from '#model/traces.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { formatBytes, formatCount, formatMinute, formatQuantity } from '#shared/format.ts';
import { copyText } from '#ui/clipboard.ts';
import { cx } from '#ui/cx.ts';
import { FieldError, Input } from '#ui/field.tsx';
import { ContextMenu, RowMenu, type MenuEntries, type MenuEntry } from '#ui/menu.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { closePrompt, openPrompt, type Entry, labelOf, shortCount, shortTime } from './entries.ts';
import { DeletionConfirmation } from './deletion.tsx';
import { openPath } from './opening.ts';

/** One recorded trace below its server and day: the time, or its name if it was renamed, its errors and number of rows. */
export function RecordedRow({
  entry,
  isSelected,
  isTabStop,
  hasOther,
  prompt,
  onFocus,
  onRenamed,
}: {
  readonly entry: Entry;
  readonly isSelected: boolean;
  /** Whether another trace is on screen, to compare it with. */
  readonly hasOther: boolean;
  readonly isTabStop: boolean;
  /** The open prompt about it. */
  readonly prompt: 'delete' | 'rename' | null;
  readonly onFocus: () => void;
  /** The name was edited; `path` is the new path. */
  readonly onRenamed: (path: string) => void;
}) {
  const { file, opened } = entry;
  const label = visibleLine(labelOf(file));
  // A file that was named by the app is below the name already.
  const isNamed = label !== file.server;
  if (prompt === 'rename') {
    return (
      <li>
        <RenameField
          file={file}
          onDone={(path) => {
            closePrompt('rename');
            // The row must replace the field first.
            requestAnimationFrame(() => onRenamed(path));
          }}
          onLeave={() => closePrompt('rename')}
        />
      </li>
    );
  }
  const actions = entryActions(entry, hasOther);
  return (
    <ContextMenu entries={actions}>
      <li className="group relative">
        <DeletionConfirmation
          file={file}
          open={prompt === 'delete'}
          onClose={() => closePrompt('delete')}
          side="right"
          anchor={
            <button
              type="button"
              data-trace={file.path}
              tabIndex={isTabStop ? 0 : -1}
              aria-current={isSelected || undefined}
              title={titleOf(entry)}
              onFocus={onFocus}
              onClick={() => void showEntry(entry)}
              className={cx(
                'flex min-h-6 w-full items-center gap-2 py-0.5 pr-3.5 pl-6 text-left focus-visible:rounded-none',
                isSelected ? 'bg-hover shadow-[inset_2px_0_var(--accent)]' : 'hover:bg-hover',
              )}
            >
              <span className={cx('min-w-0 wrap-anywhere', file.fault !== null && 'text-faint')}>
                <span className={cx(!isNamed && 'sr-only')}>{label}</span>{' '}
                <span className="tabular-nums">{shortTime(file.createdAt)}</span>
              </span>
              {opened !== null && !isSelected && (
                <span className="shrink-0 text-accent">
                  <FolderOpen aria-hidden className="size-3" />
                  <span className="sr-only"> open </span>
                </span>
              )}
              <span className="ml-auto flex shrink-0 gap-1.5 text-xs whitespace-pre text-faint group-focus-within:invisible group-hover:invisible">
                <Facts entry={entry} />
              </span>
            </button>
          }
        />
        <RowMenu
          label={`Actions for the trace ${visibleLine(file.name)}`}
          entries={actions}
          isTabStop={isTabStop}
        />
      </li>
    </ContextMenu>
  );
}

function Facts({ entry: { file } }: { readonly entry: Entry }) {
  if (file.fault !== null) return <span>{faultLabel(file.fault.code)}</span>;
  return (
    <>
      {(file.errors ?? 0) > 0 && (
        <span className="text-err">
          {shortCount(file.errors ?? 0)} err<span className="sr-only">ors</span>
        </span>
      )}
      {file.rows !== null && (
        <span>
          {shortCount(file.rows)}
          <span className="sr-only"> rows</span>
        </span>
      )}
    </>
  );
}

/** Short reason why a file cannot be opened. */
function faultLabel(code: string): string {
  if (code === 'trace-too-new') return 'newer version';
  if (code === 'trace-header-damaged') return 'damaged';
  if (code === 'no-trace') return 'not a trace';
  return 'cannot be read';
}

function titleOf({ file, opened }: Entry): string {
  const facts = [
    `recorded ${formatMinute(file.createdAt)}`,
    file.rows === null ? null : `${formatCount(file.rows)} rows`,
    (file.errors ?? 0) > 0 ? formatQuantity(file.errors ?? 0, 'error') : null,
    formatBytes(file.size),
    opened === null ? null : 'open',
  ];
  const about = file.fault === null ? facts.filter(Boolean).join(' · ') : file.fault.what;
  return visibleLine(`${about} · ${file.path}`);
}

/** Edits the name of a trace in place of its row. Enter saves, Escape cancels. */
function RenameField({
  file,
  onDone,
  onLeave,
}: {
  readonly file: TraceFileView;
  /** The focus moves to the row of this path. */
  readonly onDone: (path: string) => void;
  /** The focus moved elsewhere. */
  readonly onLeave: () => void;
}) {
  const [name, setName] = useState(file.name);
  const [message, setMessage] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const isEnding = useRef(false);
  const errorId = useId();
  useEffect(() => {
    // A closing menu restores the focus first.
    const frame = requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.select();
    });
    return () => cancelAnimationFrame(frame);
  }, []);

  const keep = async (then: (path: string) => void) => {
    if (isEnding.current) return;
    isEnding.current = true;
    const newName = name.trim();
    try {
      if (newName === '' || newName === file.name) return then(file.path);
      then((await renameTrace(file.path, newName)).path);
    } catch (error) {
      const { what, next } = faultOf(error);
      setMessage([what, next].filter(Boolean).join(' '));
      isEnding.current = false;
    }
  };
  return (
    <div className="px-2 py-0.5">
      <Input
        ref={field}
        aria-label={`New name of ${file.name}`}
        aria-invalid={message === null ? undefined : true}
        aria-describedby={message === null ? undefined : errorId}
        value={name}
        onChange={({ target }) => setName(target.value)}
        onBlur={() => void keep(onLeave)}
        onKeyDown={(press) => {
          if (press.key === 'Enter') void keep(onDone);
          else if (press.key === 'Escape') {
            isEnding.current = true;
            onDone(file.path);
          } else return;
          press.preventDefault();
        }}
        className="h-6 px-1.5"
      />
      {message !== null && <FieldError id={errorId}>{message}</FieldError>}
    </div>
  );
}

/** Shows an entry. Never rejects. */
async function showEntry({ file, opened }: Entry): Promise<boolean> {
  if (opened !== null) selectOpened(opened.sessionId);
  else return openPath(file.path);
  return true;
}

/** The menu of an entry. */
function entryActions(entry: Entry, hasOther: boolean): MenuEntries {
  const { file, opened, isOurs } = entry;
  const { path } = file;
  const entries: readonly (MenuEntry | null | false)[] = [
    file.fault === null && {
      label: 'Open',
      icon: <SquareArrowOutUpRight />,
      onSelect: () => void showEntry(entry),
    },
    opened !== null && {
      label: 'Close',
      icon: <X />,
      onSelect: () => reportFault(closeTrace(opened.sessionId)),
    },
    file.fault === null && {
      label: 'Export…',
      icon: <FileDown />,
      onSelect: () => void exportEntry(entry),
    },
    file.fault === null && {
      label: 'Compare with…',
      icon: <GitCompare />,
      onSelect: () => void compareEntry(entry),
    },
    file.fault === null &&
      hasOther && {
        label: 'Compare the trace on screen with this one',
        icon: <GitCompare />,
        onSelect: () => compareShownWith(path),
      },
    file.fault === null && {
      label: 'Serve as a mock…',
      icon: <ServerCog />,
      onSelect: () => openMockForm(path),
    },
    file.fault === null && null,
    isOurs && {
      label: 'Rename…',
      icon: <Pencil />,
      shortcut: 'F2',
      onSelect: () => openPrompt({ what: 'rename', path }),
    },
    isOnDesktop() && {
      label: 'Show in folder',
      icon: <FolderSearch />,
      onSelect: () => reportFault(showInFolder(path)),
    },
    { label: 'Copy the path', icon: <Copy />, onSelect: () => void copyText(path) },
    isOurs && null,
    isOurs && {
      label: 'Delete…',
      icon: <Trash2 />,
      tone: 'danger',
      shortcut: 'Delete',
      onSelect: () => openPrompt({ what: 'delete', path }),
    },
  ];
  return entries.filter((one) => one !== false);
}

async function compareEntry(entry: Entry): Promise<void> {
  if (!(await showEntry(entry))) return;
  const sessionId = openedFrom(entry.file.path);
  if (sessionId !== undefined) proposeComparison(sessionId);
}

async function exportEntry(entry: Entry): Promise<void> {
  if (!(await showEntry(entry))) return;
  const sessionId = openedFrom(entry.file.path);
  if (sessionId !== undefined) openExport(sessionId);
}
