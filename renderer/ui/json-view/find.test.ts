import { expect, test } from 'vitest';
import { JsonSearch, matchesWithin, MAX_MATCHES } from './find.tsx';

function found(raw: string, text: string): string[] {
  const search = new JsonSearch(raw, text);
  while (!search.isDone) search.read(0);
  return search.matches.map(({ from, end }) => raw.slice(from, end));
}

test('finds text whatever its case, and what only looks like a pattern as it is', () => {
  expect(found('{"Echo":"ECHO","a":"(.*)"}', 'echo')).toEqual(['Echo', 'ECHO']);
  expect(found('{"Echo":"ECHO","a":"(.*)"}', '(.*)')).toEqual(['(.*)']);
});

test('finds what JSON escapes by what is meant', () => {
  expect(found('{"a":"say \\"hi\\"\\n"}', 'say "hi"\n')).toEqual(['say \\"hi\\"\\n']);
});

test('finds matches across slices', () => {
  for (const before of [262_140, 262_143, 262_144, 524_286]) {
    expect(found(`"${'x'.repeat(before)}needle${'x'.repeat(10)}"`, 'needle')).toEqual(['needle']);
  }
  expect(found('a'.repeat(600_000), 'a'.repeat(3)).length).toBe(MAX_MATCHES);
});

test('tells which matches touch a stretch', () => {
  const search = new JsonSearch('aXbXcX', 'x');
  search.read(1000);
  expect(matchesWithin(search.matches, 2, 4)).toEqual({ first: 1, end: 2 });
  expect(matchesWithin(search.matches, 0, 1)).toEqual({ first: 0, end: 0 });
  expect(matchesWithin(search.matches, 0, 99)).toEqual({ first: 0, end: 3 });
});
