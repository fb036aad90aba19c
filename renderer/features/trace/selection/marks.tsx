import { Bookmark } from 'lucide-react';
import { type KeyboardEvent, useState, type FormEvent } from 'react';
import { call } from '#bridge';
import { MAX_NOTE } from '#shared/contract/trace.ts';
import { type TraceRow, rowNumber } from '#shared/trace/row.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { TextArea } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { reportFailure } from '#ui/toaster.tsx';
import type { TraceView } from '../trace-view.ts';

const setMark = (sessionId: string, { row }: TraceRow, note: string | null): void =>
  reportFailure(call('trace/mark', { sessionId, row, note }));

/** Puts a bookmark on the row or takes it away. A note is not thrown away by one click, but where it is written. */
export function BookmarkButton({ sessionId, row }: { readonly sessionId: string; readonly row: TraceRow }) {
  if (row.mark !== null && row.mark !== '') return null;
  const isMarked = row.mark !== null;
  return (
    <IconButton
      label={isMarked ? 'Remove the bookmark' : 'Bookmark this row'}
      size="small"
      pressed={isMarked}
      onClick={() => setMark(sessionId, row, isMarked ? null : '')}
    >
      <Bookmark aria-hidden className={`size-3.5 ${isMarked ? 'fill-accent text-accent' : ''}`} />
    </IconButton>
  );
}

/** The note of a marked row, to read and to write. */
export function NoteLine({ sessionId, row }: { readonly sessionId: string; readonly row: TraceRow }) {
  const [isEditing, setEditing] = useState(false);
  const { mark } = row;
  if (mark === null) return null;
  if (isEditing) return <NoteEditor sessionId={sessionId} row={row} onDone={() => setEditing(false)} />;
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

function NoteEditor({
  sessionId,
  row,
  onDone,
}: {
  readonly sessionId: string;
  readonly row: TraceRow;
  readonly onDone: () => void;
}) {
  const [note, setNote] = useState(row.mark ?? '');
  const keep = (next: string | null) => {
    setMark(sessionId, row, next);
    onDone();
  };
  const onKeyDown = (press: KeyboardEvent) => {
    const isKept = press.key === 'Enter' && (press.ctrlKey || press.metaKey);
    if (!isKept && press.key !== 'Escape') return;
    press.preventDefault();
    press.stopPropagation();
    if (isKept) keep(note.trim());
    else onDone();
  };
  return (
    // The keys of the form, wherever in it the focus is.
    <form
      aria-label="Note"
      onSubmit={(submit) => {
        submit.preventDefault();
        keep(note.trim());
      }}
      onKeyDown={onKeyDown}
      className="border-b border-line bg-raise p-3"
    >
      <TextArea label="Note" hint="kept in the trace" value={note} onChange={setNote} maxLength={MAX_NOTE} />
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" size="small" shortcut="Mod+Enter">
          Save note
        </Button>
        <Button size="small" onClick={onDone}>
          Cancel
        </Button>
        <Button size="small" variant="quiet" className="ml-auto" onClick={() => keep(null)}>
          Remove the mark
        </Button>
      </div>
    </form>
  );
}

/** Puts a mark on a row; null takes it away. */
const markRow = (sessionId: string, row: number, note: string | null): Promise<unknown> =>
  call('trace/mark', { sessionId, row, note });

/** Puts a bookmark on the selected row or takes it away. A note is not thrown away by one key: it is opened. */
export function toggleMark({ sessionId, selection }: TraceView, openNote: () => void): void {
  const { facts } = selection;
  if (facts === null) return;
  if (facts.mark === null) reportFailure(markRow(sessionId, facts.row, ''));
  else if (facts.mark === '') reportFailure(markRow(sessionId, facts.row, null));
  else openNote();
}

/** Puts a bookmark on rows; marks that are there stay. */
export async function bookmarkRows(sessionId: string, rows: readonly number[]): Promise<void> {
  const marked = new Set((await call('trace/marks', { sessionId })).map(({ row }) => row));
  for (const row of rows) if (!marked.has(row)) await markRow(sessionId, row, '');
}

/** The note of a row, to write and to take away. Anchored at the row, `top` pixels below the table's upper edge. */
export function NotePopover({
  view,
  top,
  onClose,
}: {
  readonly view: TraceView;
  readonly top: number;
  readonly onClose: () => void;
}) {
  // Whatever is selected meanwhile, the note is for the row it was opened at.
  const [row] = useState(view.selection.facts);
  if (row === null) return null;
  return (
    <Popover
      label={`Note on row ${rowNumber(row.row)}`}
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      className="w-[340px]"
      anchor={<span aria-hidden className="absolute left-16 size-0" style={{ top }} />}
    >
      <NoteForm sessionId={view.sessionId} row={row} onDone={onClose} />
    </Popover>
  );
}

function NoteForm({
  sessionId,
  row: { row, mark },
  onDone,
}: {
  readonly sessionId: string;
  readonly row: TraceRow;
  readonly onDone: () => void;
}) {
  const [note, setNote] = useState(mark ?? '');
  const keep = (next: string | null) => {
    reportFailure(markRow(sessionId, row, next));
    onDone();
  };
  const onSubmit = (submit: FormEvent) => {
    submit.preventDefault();
    keep(note.trim());
  };
  const onKeyDown = (press: KeyboardEvent) => {
    if (press.key !== 'Enter' || !(press.ctrlKey || press.metaKey)) return;
    press.preventDefault();
    press.stopPropagation();
    keep(note.trim());
  };
  return (
    <form onSubmit={onSubmit} onKeyDown={onKeyDown}>
      <TextArea
        label={`Note on row ${rowNumber(row)}`}
        hint="kept in the trace"
        value={note}
        onChange={setNote}
        maxLength={MAX_NOTE}
      />
      <div className="mt-2 flex items-center gap-2">
        <Button type="submit" variant="primary" shortcut="Mod+Enter">
          Save note
        </Button>
        <Button onClick={onDone}>Cancel</Button>
        {mark !== null && (
          <Button variant="quiet" className="ml-auto" onClick={() => keep(null)}>
            Remove the mark
          </Button>
        )}
      </div>
    </form>
  );
}
