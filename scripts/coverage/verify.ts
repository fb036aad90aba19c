import type { RanTest } from '../tally.ts';
import type { CoverageMap, NamedTest } from './parse.ts';

/** Texts of test files by path, for tests that need only be written. */
export type Written = ReadonlyMap<string, string>;

/**
 * What is wrong with the map, one sentence each: ids twice or missing, a count that is not what its heading
 * promises, a named test that did not run, or did not pass on every host, or that could be another one of the same
 * name. Specs in `written` are searched for the title instead.
 */
export function findFaults(map: CoverageMap, ran: readonly RanTest[], written: Written | null): string[] {
  return [...map.unreadable, ...countFaults(map), ...idFaults(map), ...testFaults(map, ran, written)];
}

function countFaults({ groups }: CoverageMap): string[] {
  return groups
    .filter(({ promised, rows }) => promised !== rows.length)
    .map(({ title, promised, rows }) => `${title}: ${rows.length} rows, its heading says ${promised}`);
}

function idFaults({ groups }: CoverageMap): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  let previous = { letter: '', number: 0 };
  for (const { id } of groups.flatMap((group) => group.rows)) {
    if (seen.has(id)) faults.push(`${id} is there twice`);
    seen.add(id);
    const [letter = '', digits] = id.split('-');
    const number = Number(digits);
    const start = letter === previous.letter ? previous.number + 1 : 1;
    if (!gaps.has(id) && number !== start)
      faults.push(`${id} does not follow ${previous.letter}-${previous.number}`);
    previous = { letter, number };
  }
  return faults;
}

/** Ids that begin a new run of numbers, because the list they come from leaves room between its parts. */
const gaps: ReadonlySet<string> = new Set(['P-20', 'P-40']);

function testFaults({ groups }: CoverageMap, ran: readonly RanTest[], written: Written | null): string[] {
  const found = new Map<string, Map<string, RanTest['state'][]>>();
  for (const { file, titles, state } of ran) {
    const whole = titles.join(' › ');
    for (let from = 0; from < titles.length; from++) {
      const name = nameOf({ file, title: titles.slice(from).join(' › ') });
      const tests = found.get(name) ?? new Map<string, RanTest['state'][]>();
      // The same test on another host is no namesake, and neither is what ran under one title for several values.
      tests.set(whole, [...(tests.get(whole) ?? []), state]);
      found.set(name, tests);
    }
  }
  return groups
    .flatMap(({ rows }) => rows)
    .flatMap(({ id, tests }) =>
      tests.flatMap((test) => {
        const text = written?.get(test.file);
        if (text !== undefined) {
          const times = timesWritten(text, test);
          if (times === 0) return [`${id}: no such test: ${nameOf(test)}`];
          return times > 1 && !test.title.includes(' › ')
            ? [`${id}: ${times} tests have this name: ${nameOf(test)}`]
            : [];
        }
        const named = found.get(nameOf(test));
        if (named === undefined) return [`${id}: no such test ran: ${nameOf(test)}`];
        if (named.size > 1) return [`${id}: ${named.size} tests have this name: ${nameOf(test)}`];
        const [states = []] = named.values();
        return states.every((state) => state === 'passed' || state === 'flaky')
          ? []
          : [`${id}: its test did not pass: ${nameOf(test)}`];
      }),
    );
}

/** How often a spec has a test of this title. Its groups are left to the run, because their titles may be computed. */
function timesWritten(text: string, { title }: NamedTest): number {
  const last = title.split(' › ').at(-1) ?? '';
  const quoted = last.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return text.match(new RegExp(String.raw`\btest\(\s*(['"\`])${quoted}\1`, 'g'))?.length ?? 0;
}

const nameOf = ({ file, title }: NamedTest): string => `${file} › ${title}`;
