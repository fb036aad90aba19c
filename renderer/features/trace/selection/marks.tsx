import { Bookmark } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { call } from '#bridge';
import { offerUndo } from '#model/undo.ts';
import { MAX_NOTE } from '#shared/contract/trace.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { TextArea } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { reportFault } from '#ui/toaster.tsx';
import type { TraceView } from '../trace-view.ts';

/** A mark is a bookmark, with a note or without: the text of the note, empty without one. */

/** Bookmarks the selected row, or removes its bookmark. Opens a note instead of deleting it with one key. */
export function toggleMark({ sessionId, selection }: TraceView, openNote: () => void): void {
  const { selectedRow } = selection;
  if (selectedRow === null) return;
  if (selectedRow.mark === null) reportFault(setMark(sessionId, selectedRow.row, ''));
  else if (selectedRow.mark === '') reportFault(setMark(sessionId, selectedRow.row, null));
  else openNote();
}

/** Bookmarks rows; existing marks stay as they are. */
export async function bookmarkRows(sessionId: string, rows: readonly number[]): Promise<void> {
  const marked = new Set((await call('trace/marks', { sessionId })).map(({ row }) => row));
  for (const row of rows) if (!marked.has(row)) await setMark(sessionId, row, '');
}

/** Sets the mark of a row; null removes it. */
const setMark = (sessionId: string, row: number, mark: string | null): Promise<unknown> =>
  call('trace/mark', { sessionId, row, note: mark });

/** Removes the mark of a row, and offers to undo that if it has a text. */
async function removeNote(sessionId: string, row: number, mark: string | null): Promise<void> {
  await setMark(sessionId, row, null);
  if (mark !== null && mark !== '')
    offerUndo(`Removed the note on row #${rowNumber(row)}`, () => setMark(sessionId, row, mark));
}

/** Adds or removes a bookmark. Nothing for a row with a note, which is edited and deleted in its form. */
export function BookmarkButton({
  sessionId,
  row: { row, mark },
}: {
  readonly sessionId: string;
  readonly row: TraceRow;
}) {
  if (mark !== null && mark !== '') return null;
  const isMarked = mark !== null;
  return (
    <IconButton
      label={isMarked ? 'Remove the bookmark' : 'Bookmark this row'}
      size="small"
      pressed={isMarked}
      onClick={() => reportFault(setMark(sessionId, row, isMarked ? null : ''))}
    >
      <Bookmark aria-hidden className={cx('size-3.5', isMarked && 'fill-accent text-accent')} />
    </IconButton>
  );
}

/** The note of a marked row in the detail, to read and to edit. */
export function NoteLine({ sessionId, row }: { readonly sessionId: string; readonly row: TraceRow }) {
  const [isEditing, setEditing] = useState(false);
  const { mark } = row;
  if (mark === null) return null;
  if (isEditing) {
    return (
      <NoteForm
        sessionId={sessionId}
        row={row}
        label="Note"
        onDone={() => setEditing(false)}
        className="border-b border-line bg-raise p-3"
      />
    );
  }
  return (
    <div
      role="note"
      aria-label="Note"
      className="flex items-start gap-2 border-b border-line bg-raise px-3 py-1.5"
    >
      <Bookmark aria-hidden className="mt-1 size-3 shrink-0 fill-accent text-accent" />
      {mark === '' ? (
        <span className="min-w-0 flex-1 text-mute">Bookmarked.</span>
      ) : (
        <PlainText text={mark} className="min-w-0 flex-1" />
      )}
      <Button size="small" variant="quiet" className="-my-0.5" onClick={() => setEditing(true)}>
        {mark === '' ? 'Add a note' : 'Edit'}
      </Button>
    </div>
  );
}

/** The note of the selected row, to edit at the table. `top`: pixels below the table's upper edge. */
export function NotePopover({
  view,
  top,
  onClose,
}: {
  readonly view: TraceView;
  readonly top: number;
  readonly onClose: () => void;
}) {
  // The note stays with the row it was opened at, even when the selection moves.
  const [row] = useState(view.selection.selectedRow);
  if (row === null) return null;
  const label = `Note on row ${rowNumber(row.row)}`;
  return (
    <Popover
      label={label}
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      className="w-[340px]"
      anchor={<span aria-hidden className="absolute left-16 size-0" style={{ top }} />}
    >
      <NoteForm sessionId={view.sessionId} row={row} label={label} onDone={onClose} />
    </Popover>
  );
}

function NoteForm({
  sessionId,
  row: { row, mark },
  label,
  onDone,
  className,
}: {
  readonly sessionId: string;
  readonly row: TraceRow;
  readonly label: string;
  readonly onDone: () => void;
  readonly className?: string;
}) {
  const [note, setNote] = useState(mark ?? '');
  const save = (next: string | null) => {
    reportFault(next === null ? removeNote(sessionId, row, mark) : setMark(sessionId, row, next));
    onDone();
  };
  const onSubmit = (submit: FormEvent) => {
    submit.preventDefault();
    save(note.trim());
  };
  const onKeyDown = (press: KeyboardEvent) => {
    const saves = press.key === 'Enter' && (press.ctrlKey || press.metaKey);
    if (!saves && press.key !== 'Escape') return;
    press.preventDefault();
    press.stopPropagation();
    if (saves) save(note.trim());
    else onDone();
  };
  return (
    // The keys work wherever the focus is in the form.
    <form aria-label={label} onSubmit={onSubmit} onKeyDown={onKeyDown} className={className}>
      <TextArea label={label} hint="kept in the trace" value={note} onChange={setNote} maxLength={MAX_NOTE} />
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" size="small" shortcut="Mod+Enter">
          Save note
        </Button>
        <Button size="small" onClick={onDone}>
          Cancel
        </Button>
        {mark !== null && (
          <Button size="small" variant="quiet" className="ml-auto" onClick={() => save(null)}>
            Remove the mark
          </Button>
        )}
      </div>
    </form>
  );
}
