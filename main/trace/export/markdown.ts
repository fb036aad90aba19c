import { truncate } from '#shared/format.ts';
import { replaceHidden } from '#shared/hidden-characters.ts';

/** Characters of params, and of what an error says. */
const MAX_TEXT = 300;

/** A section of a report; empty without lines. */
export const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n## ${title}\n\n${lines.join('\n')}\n`;

/** Untrusted text as code on one line, which no character of it can end. */
export function inline(text: string, most = MAX_TEXT): string {
  const line = replaceHidden(truncate(text, most).replaceAll(/[ \t\r\n]+/g, ' '), escaped).trim();
  const fence = '`'.repeat(longestRun(line) + 1);
  const space = line === '' || line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** Untrusted lines as a block of code. */
export function fenced(lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.map((line) => replaceHidden(truncate(line, MAX_TEXT), escaped));
  const fence = '`'.repeat(Math.max(3, longestRun(shown.join('\n')) + 1));
  return [`${fence}text`, ...shown, fence];
}

const longestRun = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
