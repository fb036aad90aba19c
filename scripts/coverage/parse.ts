/** One requirement of docs/coverage.md, or one threat of docs/security.md. */
export interface CoverageRow {
  readonly id: string;
  readonly statement: string;
  readonly place: string;
  /** The tests that show it; none where it is not built yet. */
  readonly tests: readonly NamedTest[];
  /** Why it is not shown, or in part only (`later, probes`); null where it is shown as a whole. */
  readonly reason: string | null;
}

export interface NamedTest {
  readonly file: string;
  /** Title of the test, with the titles of its groups before it where one alone would not say which. */
  readonly title: string;
}

export interface CoverageGroup {
  readonly title: string;
  /** The number of requirements that the heading promises. */
  readonly promised: number;
  readonly rows: readonly CoverageRow[];
}

export interface CoverageMap {
  readonly groups: readonly CoverageGroup[];
  /** Lines of a table that could not be read, with why. */
  readonly unreadable: readonly string[];
}

const HEADING = /^## (?<title>.+) \((?<promised>\d+)\)$/;
const ID = /^[RPUS]-\d{2,3}$/;
const REASON =
  '(?<reason>later, (?:lint rules|probes|composer|inbox|logs|authorization|replay)|decided|not run here)(?:: [^()]+)?';
const NOT_BUILT = new RegExp(`^— \\(${REASON}\\)$`);
const PARTIAL = new RegExp(`^in part \\(${REASON}\\): `);

/** Reads the tables of such a map: a heading `## Title (count)`, then rows of id, statement, place, tests. */
export function parseCoverageMap(markdown: string): CoverageMap {
  const groups: { title: string; promised: number; rows: CoverageRow[] }[] = [];
  const unreadable: string[] = [];
  for (const line of markdown.split('\n')) {
    const heading = HEADING.exec(line)?.groups;
    if (heading) groups.push({ title: heading.title ?? '', promised: Number(heading.promised), rows: [] });
    if (!/^\| *[A-Z]-/.test(line)) continue;
    const row = readRow(line);
    if (typeof row === 'string') unreadable.push(`${row}: ${line}`);
    else groups.at(-1)?.rows.push(row);
  }
  return { groups, unreadable };
}

function readRow(line: string): CoverageRow | string {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  const [id, statement, place, shownBy] = cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
  if (cells.length !== 4 || !id || !statement || !place || !shownBy) return 'Not four filled cells';
  if (!ID.test(id)) return 'Not an id';
  const row = { id, statement, place };
  const missing = NOT_BUILT.exec(shownBy)?.groups;
  if (missing) return { ...row, tests: [], reason: missing.reason ?? null };
  if (/^(?:—|in part)/.test(shownBy) && !PARTIAL.test(shownBy)) return 'Gives no known reason';
  const reason = PARTIAL.exec(shownBy)?.groups?.reason ?? null;
  const tests: NamedTest[] = [];
  for (const name of shownBy.replace(PARTIAL, '').split('<br>')) {
    const [file, ...title] = name.split(' › ').map((part) => part.trim());
    if (!file || title.length === 0) return 'Not `file › title`';
    tests.push({ file, title: title.join(' › ') });
  }
  return { ...row, tests, reason };
}
