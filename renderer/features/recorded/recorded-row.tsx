import { Ellipsis, FolderOpen } from 'lucide-react';
import { formatBytes, formatCount, formatQuantity } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { ContextMenu, Menu } from '#ui/menu.tsx';
import { visibleLine } from '#ui/visible.ts';
import { endAsking } from './asked.ts';
import { DeletionConfirmation } from './deletion.tsx';
import { type Entry, labelOf } from './entries.ts';
import { entryActions, showEntry } from './entry-actions.tsx';
import { RenameField } from './rename-field.tsx';
import { fullTime, shortCount, shortTime } from './words.ts';

/** One recorded trace: which server, its errors, when and how many rows. */
export function RecordedRow({
  entry,
  now,
  isSelected,
  isTabStop,
  asked,
  onFocus,
  onRenamed,
}: {
  readonly entry: Entry;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
  /** What the user is asked about it. */
  readonly asked: 'delete' | 'rename' | null;
  readonly onFocus: () => void;
  /** Its name was edited; its path is this now. */
  readonly onRenamed: (path: string) => void;
}) {
  const { file, opened } = entry;
  const label = visibleLine(labelOf(file));
  if (asked === 'rename') {
    return (
      <li>
        <RenameField
          file={file}
          onDone={(path) => {
            endAsking('rename');
            // The row comes back in place of the field first.
            requestAnimationFrame(() => onRenamed(path));
          }}
          onLeave={() => endAsking('rename')}
        />
      </li>
    );
  }
  const actions = entryActions(entry);
  return (
    <ContextMenu entries={actions}>
      <li className="group relative">
        <DeletionConfirmation
          file={file}
          open={asked === 'delete'}
          onClose={() => endAsking('delete')}
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
                'flex h-7 w-full items-center gap-2 px-3.5 text-left focus-visible:rounded-none',
                isSelected ? 'bg-hover shadow-[inset_2px_0_var(--accent)]' : 'hover:bg-hover',
              )}
            >
              <span className={cx('min-w-0 truncate', file.fault !== null && 'text-faint')}>{label}</span>
              {opened !== null && !isSelected && (
                <span className="shrink-0 text-accent">
                  <FolderOpen aria-hidden className="size-3" />
                  <span className="sr-only"> open </span>
                </span>
              )}
              <span className="ml-auto flex shrink-0 gap-1.5 text-xs whitespace-pre text-faint group-focus-within:invisible group-hover:invisible">
                <Facts entry={entry} now={now} />
              </span>
            </button>
          }
        />
        <div className="absolute top-0.5 right-1.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-[state=open]:opacity-100">
          <Menu
            entries={actions}
            align="start"
            trigger={
              <IconButton
                size="small"
                label={`Actions for the trace ${visibleLine(file.name)}`}
                tabIndex={isTabStop ? 0 : -1}
              >
                <Ellipsis aria-hidden className="size-3.5" />
              </IconButton>
            }
          />
        </div>
      </li>
    </ContextMenu>
  );
}

function Facts({ entry: { file, session }, now }: { readonly entry: Entry; readonly now: number }) {
  if (file.fault !== null) return <span>{faultWord(file.fault.code)}</span>;
  const rows = file.rows === null ? '' : ` · ${shortCount(file.rows)}`;
  return (
    <>
      {(file.errors ?? 0) > 0 && (
        <span className="text-err">
          {shortCount(file.errors ?? 0)} err<span className="sr-only">ors</span>
        </span>
      )}
      <span>
        {session === null ? shortTime(file.createdAt, now) : <span className="text-in">live</span>}
        {rows}
      </span>
    </>
  );
}

/** Why a file cannot be opened, in few words. */
function faultWord(code: string): string {
  if (code === 'trace-too-new') return 'newer version';
  if (code === 'trace-header-damaged') return 'damaged';
  if (code === 'no-trace') return 'not a trace';
  return 'cannot be read';
}

function titleOf({ file, session, opened }: Entry): string {
  const facts = [
    session === null ? `recorded ${fullTime(file.createdAt)}` : 'being recorded',
    file.rows === null ? null : `${formatCount(file.rows)} rows`,
    (file.errors ?? 0) > 0 ? formatQuantity(file.errors ?? 0, 'error') : null,
    formatBytes(file.size),
    opened === null ? null : 'open',
  ];
  const about = file.fault === null ? facts.filter(Boolean).join(' · ') : file.fault.what;
  return visibleLine(`${about} · ${file.path}`);
}
