import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { SearchField } from '#ui/search-field.tsx';
import { MOST_MATCHES } from './json-search.ts';
import type { Find } from './use-find.ts';

/** Where to type what to find in the message, and how many times it is there. */
export function FindBar({ find, onClose }: { readonly find: Find; readonly onClose: () => void }) {
  const fieldRef = useRef<HTMLInputElement>(null);
  useEffect(() => fieldRef.current?.focus(), []);
  const onKeyDown = (press: KeyboardEvent) => {
    if (press.key === 'Escape') {
      press.stopPropagation();
      if (find.text === '') onClose();
    } else if (press.key === 'Enter') {
      press.preventDefault();
      find.step(press.shiftKey ? -1 : 1);
    }
  };
  return (
    <div
      role="search"
      aria-label="In the message"
      className="flex shrink-0 items-center gap-1 border-b border-line p-1"
    >
      <SearchField
        ref={fieldRef}
        label="Find in the message"
        value={find.text}
        onChange={find.setText}
        onKeyDown={onKeyDown}
        mono
        className="min-w-0 flex-1"
      />
      <span role="status" className="shrink-0 px-1 text-sm text-mute tabular-nums">
        {wordsOf(find)}
      </span>
      <IconButton label="Previous match" shortcut="Shift+Enter" size="small" onClick={() => find.step(-1)}>
        <ChevronUp aria-hidden className="size-3.5" />
      </IconButton>
      <IconButton label="Next match" shortcut="Enter" size="small" onClick={() => find.step(1)}>
        <ChevronDown aria-hidden className="size-3.5" />
      </IconButton>
      <IconButton label="Close the search" size="small" onClick={onClose}>
        <X aria-hidden className="size-3.5" />
      </IconButton>
    </div>
  );
}

function wordsOf({ text, matches, current, isDone }: Find): string {
  if (text === '') return '';
  const count = `${formatCount(matches.length)}${matches.length >= MOST_MATCHES ? '+' : ''}`;
  if (current !== null) return `${formatCount(current + 1)} of ${count}`;
  if (!isDone) return `${count}…`;
  return matches.length === 0 ? 'none' : formatQuantity(matches.length, 'match', 'matches');
}
