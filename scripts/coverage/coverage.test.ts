import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../step.ts';
import type { RanTest } from '../tally.ts';
import { parseCoverageMap } from './parse.ts';
import { findFaults } from './verify.ts';

const table = (...rows: string[]) =>
  `## Frames (2)\n\n| id | statement | where | shown by |\n|---|---|---|---|\n${rows.join('\n')}\n`;
const first = '| R-001 | One | 2025-06-18 basic | main/a.test.ts › frames › cuts |';
const second = '| R-002 | Two | 2025-06-18 basic | — (later, probes) |';
const cuts: RanTest = { file: 'main/a.test.ts', titles: ['wire', 'frames', 'cuts'], state: 'passed' };

const faultsOf = (markdown: string, ran: RanTest[] = [cuts]) =>
  findFaults(parseCoverageMap(markdown), ran, null);

describe('the coverage map', () => {
  it('is fine when every id is there once and every named test passed', () => {
    expect(faultsOf(table(first, second))).toEqual([]);
  });

  it('takes several tests for one requirement', () => {
    const row = '| R-002 | Two | 2025-06-18 basic | main/a.test.ts › cuts<br>main/a.test.ts › joins |';
    expect(faultsOf(table(first, row))).toEqual(['R-002: no such test ran: main/a.test.ts › joins']);
  });

  it.each([
    ['in part (later, composer): ', 'later, composer'],
    ['in part (not run here: Windows): ', 'not run here'],
    ['', null],
  ])('tells why something is shown "%s"', (part, reason) => {
    const map = parseCoverageMap(table(first.replace('main/', `${part}main/`), second));
    expect(map.groups.flatMap(({ rows }) => rows.map((row) => row.reason))).toEqual([
      reason,
      'later, probes',
    ]);
    expect(findFaults(map, [cuts], null)).toEqual([]);
  });

  it.each(['—', '— (later)', 'in part: main/a.test.ts › cuts', 'in part (one day): main/a.test.ts › cuts'])(
    'takes no excuse for a reason: %s',
    (shownBy) => {
      const row = `| R-002 | Two | basic | ${shownBy} |`;
      expect(faultsOf(table(first, row))).toContain(`Gives no known reason: ${row}`);
    },
  );

  it.each([
    ['a test that did not run', [], 'R-001: no such test ran: main/a.test.ts › frames › cuts'],
    [
      'a test that failed',
      [{ ...cuts, state: 'failed' }],
      'R-001: its test did not pass: main/a.test.ts › frames › cuts',
    ],
    [
      'a test that was skipped',
      [{ ...cuts, state: 'skipped' }],
      'R-001: its test did not pass: main/a.test.ts › frames › cuts',
    ],
  ] satisfies [string, RanTest[], string][])('names %s', (_, ran, fault) => {
    expect(faultsOf(table(first, second), ran)).toEqual([fault]);
  });

  it('names a test of one host that failed on the other', () => {
    const row = '| R-002 | Two | 2025-06-18 basic | e2e/a.spec.ts › opens |';
    const opens: RanTest = { file: 'e2e/a.spec.ts', titles: ['opens'], state: 'passed' };
    expect(faultsOf(table(first, row), [cuts, opens, opens])).toEqual([]);
    expect(faultsOf(table(first, row), [cuts, opens, { ...opens, state: 'failed' }])).toEqual([
      'R-002: its test did not pass: e2e/a.spec.ts › opens',
    ]);
  });

  it('is not content with a namesake', () => {
    const row = '| R-002 | Two | 2025-06-18 basic | main/a.test.ts › cuts |';
    const namesake: RanTest = { file: 'main/a.test.ts', titles: ['wire', 'lines', 'cuts'], state: 'passed' };
    expect(faultsOf(table(first, row), [cuts, namesake])).toEqual([
      'R-002: 2 tests have this name: main/a.test.ts › cuts',
    ]);
    expect(faultsOf(table(first, second), [namesake])).toEqual([
      'R-001: no such test ran: main/a.test.ts › frames › cuts',
    ]);
  });

  it('names an id that is there twice, or missing, or a count that is not what the heading says', () => {
    expect(faultsOf(table(first, second, second))).toEqual([
      'Frames: 3 rows, its heading says 2',
      'R-002 is there twice',
      'R-002 does not follow R-2',
    ]);
    expect(faultsOf(table(first, '| R-003 | Three | basic | — (decided) |'))).toEqual([
      'R-003 does not follow R-1',
    ]);
  });

  it('names a row that it cannot read', () => {
    expect(faultsOf(table(first, '| R-002 | Two | — |'))).toContain(
      'Not four filled cells: | R-002 | Two | — |',
    );
    expect(faultsOf(table(first, '| R-002 | Two | basic | soon |'))).toContain(
      'Not `file › title`: | R-002 | Two | basic | soon |',
    );
  });

  it('looks for the title in the file where a test need only be written', () => {
    const map = parseCoverageMap(table('| R-001 | One | basic | e2e/a.spec.ts › opens |', second));
    expect(findFaults(map, [], new Map([['e2e/a.spec.ts', "test('opens', …"]]))).toEqual([]);
    expect(findFaults(map, [], new Map([['e2e/a.spec.ts', "test('closes', …"]]))).toEqual([
      'R-001: no such test: e2e/a.spec.ts › opens',
    ]);
    const inWords = "// it opens\ntest('opens twice', …";
    expect(findFaults(map, [], new Map([['e2e/a.spec.ts', inWords]]))).toEqual([
      'R-001: no such test: e2e/a.spec.ts › opens',
    ]);
    const twice = "test('opens', …\ntest('opens', …";
    expect(findFaults(map, [], new Map([['e2e/a.spec.ts', twice]]))).toEqual([
      'R-001: 2 tests have this name: e2e/a.spec.ts › opens',
    ]);
  });

  it('of this project reports no existing finding as missing', async () => {
    const [markdown, rules] = await Promise.all(
      ['docs/coverage.md', 'main/checks/rules.ts'].map((path) => readFile(join(projectRoot, path), 'utf8')),
    );
    const missing = [...(markdown?.matchAll(/later, lint rules: (?<names>[^;)]+)/g) ?? [])].flatMap(
      ({ groups }) => groups?.names?.split(', ') ?? [],
    );
    expect(missing.length).toBeGreaterThan(50);
    expect(missing.filter((name) => rules?.includes(`'${name}'`))).toEqual([]);
  });

  it('of this project has every requirement', async () => {
    const { groups, unreadable } = parseCoverageMap(
      await readFile(join(projectRoot, 'docs/coverage.md'), 'utf8'),
    );
    const ids = groups.flatMap((group) => group.rows.map((row) => row.id));
    expect(unreadable).toEqual([]);
    const count = (letter: string) => ids.filter((id) => id.startsWith(letter)).length;
    expect({ R: count('R'), P: count('P'), U: count('U') }).toEqual({ R: 368, P: 43, U: 24 });
  });
});
