import type { RanTest } from '../tally.ts';
import type { CoverageMap, NamedTest } from './parse.ts';

/** Texts of test files by path, for tests that need only be written. */
export type Written = ReadonlyMap<string, string>;

/**
 * What is wrong with the map, one sentence each: ids twice or missing, a count that is not what its heading
 * promises, a named test that did not run. Specs in `written` are searched for the title instead.
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
  const states = new Map<string, RanTest['state'][]>();
  for (const { file, titles, state } of ran) {
    for (let from = 0; from < titles.length; from++) {
      const name = nameOf({ file, title: titles.slice(from).join(' › ') });
      states.set(name, [...(states.get(name) ?? []), state]);
    }
  }
  return groups
    .flatMap(({ rows }) => rows)
    .flatMap(({ id, tests }) =>
      tests.flatMap((test) => {
        const text = written?.get(test.file);
        const lastTitle = test.title.split(' › ').at(-1) ?? '';
        if (text !== undefined)
          return text.includes(lastTitle) ? [] : [`${id}: no such test: ${nameOf(test)}`];
        const found = states.get(nameOf(test)) ?? [];
        if (found.length === 0) return [`${id}: no such test ran: ${nameOf(test)}`];
        return found.includes('passed') ? [] : [`${id}: its test did not pass: ${nameOf(test)}`];
      }),
    );
}

const nameOf = ({ file, title }: NamedTest): string => `${file} › ${title}`;
