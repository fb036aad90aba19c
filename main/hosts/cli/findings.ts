import type { Finding } from '#shared/contract/checks.ts';
import { MAX_FINDINGS_PER_PAGE } from '#shared/contract/checks.ts';
import { formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import type { HeadlessSession } from './headless-session.ts';
import { say, visibleText } from './output.ts';

/** A finding as JSON: `row` is the one it is shown at, counted from 0 as in the rows of `record --json`. */
export const findingJson = ({ rule, severity, text, pointer, revision, rows }: Finding) => ({
  rule,
  severity,
  text,
  pointer,
  revision,
  row: rows[0],
  rows,
});

/** A finding as one line: `error schema/invalid #12 /params/name: what is wrong`. */
export function findingText({ rule, severity, text, pointer, rows }: Finding): string {
  const place = [rowNumber(rows[0] ?? 0), ...(pointer ? [pointer] : [])].join(' ');
  return visibleText(`${severity} ${rule} ${place}: ${text}`);
}

/** The findings of a session from the `from`th on. */
export async function findingsOf(session: HeadlessSession, from = 0): Promise<Finding[]> {
  const all: Finding[] = [];
  for (;;) {
    const page = { from: from + all.length, count: MAX_FINDINGS_PER_PAGE };
    const { total, findings } = await session.request('checks/findings', page);
    all.push(...findings);
    if (findings.length === 0 || from + all.length >= total) return all;
  }
}

/** Limit of findings printed on stderr; the JSON and the filter `is:found` show all of them. */
const MAX_PRINTED = 100;

/** Prints findings on stderr, one per line. @param count the total number */
export function sayFindings(findings: readonly Finding[], count: number): void {
  if (count === 0) return;
  const said = findings.slice(0, MAX_PRINTED);
  const rest = count - said.length;
  const lines = said.map((finding) => `  ${findingText(finding)}`);
  const more = rest === 0 ? [] : [`  and ${formatQuantity(rest, 'finding')} more`];
  say([`${formatQuantity(count, 'finding')}:`, ...lines, ...more].join('\n'));
}
