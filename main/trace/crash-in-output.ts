import { stripVTControlCharacters } from 'node:util';
import { truncate } from '#shared/format.ts';

/** Characters of a headline. */
const MAX_HEADLINE = 200;

/** The line of a stack trace that names the error, of each common language. */
const crashLines: readonly RegExp[] = [
  // Node, also after "Uncaught"; Java and .NET.
  /^(?:Uncaught |Exception in thread "[^"\r\n]{0,200}" |Unhandled exception\. )?([\w.$]{0,200}(?:Error|Exception)(?![\w.$]).*)\n(?:.*\n){0,3}?[ \t]+at /gm,
  // Python: the first line after the frames that is not indented.
  /^Traceback \(most recent call last\):\n(?:[ \t].*\n)+(\S.*)/gm,
  /^(panic: .+)/gm,
  /^(thread '.* panicked at .+(?:\n.+)?)/gm,
];

/** The error that ended a server, from the last stack trace that it printed, on one line; null without a stack trace. */
export function crashIn(output: string): string | null {
  const [last] = crashLines
    .flatMap((pattern) => [...output.matchAll(pattern)])
    .toSorted((one, other) => other.index - one.index);
  const line = last?.[1];
  if (line === undefined) return null;
  // It is shown as a headline.
  const readable = stripVTControlCharacters(line)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '');
  return truncate(readable, MAX_HEADLINE);
}
