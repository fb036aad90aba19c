import { useEffect, useState } from 'react';
import type { FindingSeverity } from '#shared/trace/row.ts';
import { findingSeverities } from '#shared/trace/row.ts';
import { useSignal } from '../frame-signal.ts';
import type { LineNote } from './json-layout.ts';
import { JsonOutline } from './json-outline.ts';
import { lineAtPointer } from './json-pointer.ts';

/** Something to say of a value. */
export interface PointerNote {
  /** Where it stands (RFC 6901). */
  readonly pointer: string;
  readonly severity: FindingSeverity;
  readonly text: string;
}

/** The outline of a text, read a little at a time, with notes at the lines they are about. */
export function useOutline(raw: string, isCut: boolean, notes: readonly PointerNote[]): JsonOutline {
  const [kept, setKept] = useState(() => new JsonOutline(raw, isCut, null));
  let outline = kept;
  if (kept.lines.raw !== raw || kept.lines.isCut !== isCut) {
    outline = new JsonOutline(raw, isCut, kept);
    setKept(outline);
  }
  useSignal(outline.signal);
  useEffect(() => {
    outline.readOn();
    return () => outline.close();
  }, [outline]);
  const { isDone } = outline.lines;
  useEffect(() => {
    if (isDone) outline.setNotes(notesByLine(outline, notes));
  }, [outline, isDone, notes]);
  return outline;
}

function notesByLine({ lines }: JsonOutline, notes: readonly PointerNote[]): Map<number, LineNote[]> {
  const byLine = new Map<number, LineNote[]>();
  for (const { pointer, ...note } of notes) {
    const line = lineAtPointer(lines, pointer);
    byLine.set(line, [...(byLine.get(line) ?? []), note]);
  }
  for (const ofLine of byLine.values()) ofLine.sort(bySeverity);
  return byLine;
}

const bySeverity = (a: LineNote, b: LineNote): number =>
  findingSeverities.indexOf(a.severity) - findingSeverities.indexOf(b.severity);
