import { useCallback, useEffect, useMemo, useState } from 'react';
import { FrameSignal, useSignal } from '../frame-signal.ts';
import { firstWhere, JsonSearch, type Match } from './json-search.ts';

/** Milliseconds that searching may take of a frame. */
const SLICE_MS = 8;

export interface Find {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly matches: readonly Match[];
  /** All of the text was looked through. */
  readonly isDone: boolean;
  /** Which match is looked at; null before the first step. */
  readonly current: number | null;
  /** Goes to the next match, or the one before, and around at the end. */
  readonly step: (by: 1 | -1) => void;
}

/**
 * Searching within a text.
 *
 * @param startAt where in the text to begin
 * @param onReach a match is to be shown
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
    let timer = setTimeout(readOn);
    function readOn() {
      search?.read(SLICE_MS);
      signal.tell();
      if (search?.isDone === false) timer = setTimeout(readOn);
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
