import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { MAX_NOTE } from '#shared/contract/trace.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { Button } from '#ui/button.tsx';
import { TextArea } from '#ui/field.tsx';
import { Popover } from '#ui/popover.tsx';
import { reportFailure } from '#ui/toaster.tsx';
import type { TraceView } from '../trace-view.ts';
import { markRow } from './mark-row.ts';

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
