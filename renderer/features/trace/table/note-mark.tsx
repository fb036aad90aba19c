import { Bookmark, NotebookPen } from 'lucide-react';
import { visibleLine } from '#ui/visible.ts';

/** The mark of a row: a bookmark, or a note with its text as the tooltip. */
export function NoteMark({ note }: { readonly note: string }) {
  if (note === '') {
    return <Bookmark role="img" aria-label="bookmark" className="size-3 fill-current text-accent" />;
  }
  const text = visibleLine(note);
  return (
    <span title={text}>
      <NotebookPen role="img" aria-label={`note: ${text}`} className="size-3 text-accent" />
    </span>
  );
}
