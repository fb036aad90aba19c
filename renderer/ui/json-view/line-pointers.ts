import { pointerOf, pointerPath } from '#shared/json/pointer.ts';
import type { JsonLines } from '#ui/json-lines.ts';

/** The unescaped key of a line; null without one. */
export function keyOf(lines: JsonLines, line: number): string | null {
  const { keyFrom, keyEnd } = lines.line(line);
  if (keyFrom < 0) return null;
  const written = lines.raw.slice(keyFrom, keyEnd);
  if (!written.includes('\\')) return written.slice(1, -1);
  try {
    return String(JSON.parse(written));
  } catch {
    // Truncated.
    return written.slice(1);
  }
}

/** The pointer to the value of a line (RFC 6901); empty for the root. */
export function pointerTo(lines: JsonLines, line: number): string {
  const path: string[] = [];
  let at = lines.isClose(line) ? lines.mate(line) : line;
  for (let parent = lines.parent(at); parent !== null; parent = lines.parent(at)) {
    path.unshift(keyOf(lines, at) ?? String(lines.place(at)));
    at = parent;
  }
  return pointerOf(path);
}

/** The line of a pointer, or of its nearest existing ancestor. */
export function lineAtPointer(lines: JsonLines, pointer: string): number {
  let line = 0;
  for (const part of pointerPath(pointer)) {
    const child = childOf(lines, line, part);
    if (child === null) return line;
    line = child;
  }
  return line;
}

function childOf(lines: JsonLines, parent: number, part: string): number | null {
  if (!lines.isOpen(parent)) return null;
  const isArray = lines.kind(parent) === 'open-array';
  let found: number | null = null;
  for (let line = parent + 1; line < lines.count && !lines.isClose(line); line = lines.next(line)) {
    if (isArray && String(lines.place(line)) === part) return line;
    // The last of duplicate keys wins, as in JSON.parse.
    if (!isArray && keyOf(lines, line) === part) found = line;
  }
  return found;
}
