import type { JsonLines } from '#ui/json-lines.ts';

/** The key on a line as it is meant, escapes resolved; null where there is none. */
export function keyOf(lines: JsonLines, line: number): string | null {
  const { keyFrom, keyEnd } = lines.line(line);
  if (keyFrom < 0) return null;
  const written = lines.raw.slice(keyFrom, keyEnd);
  if (!written.includes('\\')) return written.slice(1, -1);
  try {
    return String(JSON.parse(written));
  } catch {
    // Cut off in the middle.
    return written.slice(1);
  }
}

/** The pointer to the value of a line (RFC 6901); empty for the whole. */
export function pointerTo(lines: JsonLines, line: number): string {
  const parts: string[] = [];
  let at = lines.isClose(line) ? lines.mate(line) : line;
  for (let parent = lines.parent(at); parent !== null; parent = lines.parent(at)) {
    const key = keyOf(lines, at) ?? String(lines.place(at));
    parts.unshift(`/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    at = parent;
  }
  return parts.join('');
}

/** The line a pointer leads to, or that of the nearest value around it when that is not there. */
export function lineAtPointer(lines: JsonLines, pointer: string): number {
  let line = 0;
  for (const part of pointer.split('/').slice(1)) {
    const child = childOf(lines, line, part.replaceAll('~1', '/').replaceAll('~0', '~'));
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
    // Of duplicate keys the last counts, as JSON.parse has it.
    if (!isArray && keyOf(lines, line) === part) found = line;
  }
  return found;
}
