import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useCallback, useMemo, useState } from 'react';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { SearchField } from '#ui/search-field.tsx';
import { FrameSignal, useSignal } from '../frame-signal.ts';

/** The search bar of the message, with the number of matches. */
export function FindBar({ find, onClose }: { readonly find: Find; readonly onClose: () => void }) {
  const fieldRef = useRef<HTMLInputElement>(null);
  useEffect(() => fieldRef.current?.focus(), []);
  const onKeyDown = (press: KeyboardEvent) => {
    // Keys with a modifier are commands of the window.
    if (press.ctrlKey || press.metaKey) return;
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
        {statusOf(find)}
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

function statusOf({ text, matches, current, isDone }: Find): string {
  if (text === '') return '';
  const count = `${formatCount(matches.length)}${matches.length >= MAX_MATCHES ? '+' : ''}`;
  if (current !== null) return `${formatCount(current + 1)} of ${count}`;
  if (!isDone) return `${count}…`;
  return matches.length === 0 ? 'none' : formatQuantity(matches.length, 'match', 'matches');
}

/** Milliseconds per frame that searching may take. */
const SLICE_MS = 8;

interface Find {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly matches: readonly Match[];
  /** Whether the whole text was searched. */
  readonly isDone: boolean;
  /** Index of the current match; null before the first step. */
  readonly current: number | null;
  /** Goes to the next or previous match, and wraps around. */
  readonly step: (by: 1 | -1) => void;
}

/**
 * Searches a text.
 *
 * @param startAt offset at which to begin
 * @param onReach shows a match
 */
export function useFind(raw: string, startAt: () => number, onReach: (match: Match) => void): Find {
  const [text, setText] = useState('');
  const [current, setCurrent] = useState<number | null>(null);
  const signal = useMemo(() => new FrameSignal(), []);
  useSignal(signal);
  const search = useMemo(() => {
    if (text === '') return null;
    const begun = new JsonSearch(raw, text);
    begun.read(SLICE_MS);
    return begun;
  }, [raw, text]);

  useEffect(() => {
    if (search === null || search.isDone) return;
    let timer = setTimeout(readRest);
    function readRest() {
      search?.read(SLICE_MS);
      signal.notify();
      if (search?.isDone === false) timer = setTimeout(readRest);
    }
    return () => clearTimeout(timer);
  }, [search, signal]);

  const matches = search?.matches ?? none;
  const go = useCallback(
    (found: readonly Match[], place: number) => {
      const match = found[place];
      if (match === undefined) return;
      setCurrent(place);
      onReach(match);
    },
    [onReach],
  );
  return {
    text,
    matches,
    isDone: search?.isDone ?? true,
    current: current !== null && current < matches.length ? current : null,
    setText: (wanted) => {
      setText(wanted);
      setCurrent(null);
    },
    step: (by) => {
      if (matches.length === 0) return;
      if (current !== null && current < matches.length) {
        go(matches, (current + by + matches.length) % matches.length);
        return;
      }
      const next = firstWhere(matches, (match) => match.from >= startAt());
      go(matches, by === 1 ? next % matches.length : (next - 1 + matches.length) % matches.length);
    },
  };
}

const none: readonly Match[] = [];

export const MAX_MATCHES = 10_000;
/** Characters searched between two checks of the clock. */
const SLICE = 256 * 1024;

export interface Match {
  readonly from: number;
  readonly end: number;
}

/** Finds a text in raw JSON, ignoring case: as it is, or escaped as in a JSON string. */
export class JsonSearch {
  readonly #raw: string;
  readonly #pattern: RegExp;
  readonly #longest: number;
  #from = 0;
  readonly matches: Match[] = [];

  constructor(raw: string, text: string) {
    this.#raw = raw;
    const written = JSON.stringify(text).slice(1, -1);
    const forms = written === text ? [text] : [text, written];
    this.#longest = written.length;
    this.#pattern = new RegExp(
      forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'),
      'gi',
    );
  }

  get isDone(): boolean {
    return this.#from >= this.#raw.length || this.matches.length >= MAX_MATCHES;
  }

  /** Searches for at most this long. */
  read(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (!this.isDone) {
      this.#readSlice();
      if (performance.now() >= end) return;
    }
  }

  #readSlice(): void {
    const sliceEnd = this.#from + SLICE;
    // A match may extend beyond the slice.
    const slice = this.#raw.slice(this.#from, sliceEnd + this.#longest);
    let next = sliceEnd;
    for (const { 0: found, index } of slice.matchAll(this.#pattern)) {
      const from = this.#from + index;
      if (from >= sliceEnd) break;
      this.matches.push({ from, end: from + found.length });
      next = Math.max(sliceEnd, from + found.length);
      if (this.matches.length >= MAX_MATCHES) break;
    }
    this.#from = next;
  }
}

/** The range of ordered matches that overlap a part of the text. */
export function matchesWithin(
  matches: readonly Match[],
  from: number,
  end: number,
): { first: number; end: number } {
  const first = firstWhere(matches, (match) => match.end > from);
  return {
    first,
    end: Math.max(
      first,
      firstWhere(matches, (match) => match.from >= end),
    ),
  };
}

/** Index of the first match for which `holds` is true; it must be true for all later ones. */
function firstWhere(matches: readonly Match[], holds: (match: Match) => boolean): number {
  let low = 0;
  let high = matches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const match = matches[middle];
    if (match !== undefined && !holds(match)) low = middle + 1;
    else high = middle;
  }
  return low;
}
