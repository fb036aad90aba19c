import { stripVTControlCharacters } from 'node:util';
import { truncate } from '#shared/format.ts';

/** Characters of a headline. */
const MAX_HEADLINE = 200;

/** The line of a stack trace that names the error, of each common language. */
const crashLines: readonly RegExp[] = [
  // Node, also after "Uncaught"; Java and .NET.
  /^(?:Uncaught |Exception in thread "[^"\n]*" |Unhandled exception\. )?((?:[\w.$]*(?:Error|Exception)\b)[^\n]*)\n(?:[^\n]*\n){0,3}?\s+at /gm,
  // Python: the first line after the frames that is not indented.
  /^Traceback \(most recent call last\):\n(?:[ \t]+[^\n]*\n)+(\S[^\n]*)/gm,
  /^(panic: [^\n]+)/gm,
  /^(thread '[^\n]* panicked at [^\n]+(?:\n[^\n]+)?)/gm,
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
