import { stripVTControlCharacters } from 'node:util';
import { truncate } from '#shared/format.ts';
import { replaceHidden } from '#shared/hidden-characters.ts';

/** Characters of a headline. */
const MAX_HEADLINE = 200;

/** The line of a stack trace that names the error, of each common language. */
const crashLines: readonly RegExp[] = [
  // Node, also after "Uncaught"; Java and .NET. The frames follow, which other lines with these words do not have.
  /^(?:Uncaught |Exception in thread "[^"\r\n]{0,200}" |Unhandled exception\. )?([\w.$]{0,200}(?:Error|Exception)(?![\w.$]).*)$/gm,
  // Python: the first line after the frames that is not indented.
  /^Traceback \(most recent call last\):\n(?:[ \t].*\n)+(\S.*)/gm,
  /^(panic: .+)/gm,
  /^(thread '.* panicked at .+(?:\n.+)?)/gm,
];

/** The error that ended a server, from the last stack trace that it printed, on one line; null without a stack trace. */
export function crashIn(output: string): string | null {
  const [last] = crashLines
    .flatMap((pattern, place) =>
      [...output.matchAll(pattern)].filter(
        ({ 0: found, index }) => place !== 0 || hasFrame(output, index + found.length),
      ),
    )
    .toSorted((one, other) => other.index - one.index);
  const line = last?.[1];
  if (line === undefined) return null;
  // It is shown as a headline.
  const readable = stripVTControlCharacters(line).replaceAll(/\s+/g, ' ');
  return truncate(
    replaceHidden(readable, () => ''),
    MAX_HEADLINE,
  );
}

/** Whether one of the next lines is a frame. */
function hasFrame(output: string, from: number): boolean {
  let at = from;
  for (let line = 0; line < MAX_BEFORE_FRAMES; line++) {
    at = output.indexOf('\n', at) + 1;
    if (at === 0) return false;
    FRAME.lastIndex = at;
    if (FRAME.test(output)) return true;
  }
  return false;
}

const FRAME = /[ \t]+at /y;
/** Lines up to the first frame. */
const MAX_BEFORE_FRAMES = 4;
