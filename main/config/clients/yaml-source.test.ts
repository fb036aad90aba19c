import { describe, expect, test } from 'vitest';
import type { JsonNode } from './jsonc.ts';
import { readYaml } from './yaml-source.ts';

function valueOf(node: JsonNode | null): unknown {
  if (node === null) return undefined;
  if (node.type === 'object')
    return Object.fromEntries(node.members.map(({ key, node: value }) => [key, valueOf(value)]));
  return node.type === 'array' ? node.elements.map(valueOf) : node.value;
}

describe('YAML', () => {
  test('is read with the place of each value, numbers as they are written', () => {
    const text =
      'a: &x\n  - one # first\n  - 1.10\nb: *x\n"c d": { e: yes, f: true, g: null, h: }\ni: |\n  two\n  lines\n1: 2\n';
    const { root, problems, placeOf } = readYaml(text);
    expect(problems).toEqual([]);
    expect(valueOf(root)).toEqual({
      a: ['one', '1.10'],
      b: ['one', '1.10'],
      'c d': { e: 'yes', f: true, g: null, h: null },
      i: 'two\nlines\n',
      '1': '2',
    });
    const member = root?.type === 'object' ? root.members.find(({ key }) => key === 'c d') : undefined;
    expect(placeOf(member?.node.offset ?? 0)).toEqual({ line: 5, column: 8 });
  });

  test.each([
    ['a: [1\nb: 2\n', /YAML/],
    ['a: 1\n\tb: 2\n', /YAML/],
    ['a: *missing\n', /no &missing before/],
    ['a: 1\n---\nb: 2\n', /^A second document begins here/],
  ])('%j names the line of its error', (text, what) => {
    const { problems } = readYaml(text);
    expect(problems[0]?.what).toMatch(what);
    expect(problems[0]?.what).not.toContain('\n');
  });

  test('whose aliases stand for very much, or for themselves, is refused', () => {
    const levels = Array.from(
      { length: 9 },
      (_, index) =>
        `l${index + 1}: &l${index + 1} [${Array.from({ length: 9 }, () => `*l${index}`).join(', ')}]`,
    );
    expect(readYaml(['l0: &l0 x', ...levels].join('\n')).problems[0]?.what).toMatch(
      /with what its aliases repeat/,
    );
    expect(readYaml('a: &a\n  b: *a\n').problems[0]?.what).toMatch(/nested/);
    expect(readYaml('['.repeat(20_000)).problems[0]?.what).toMatch(/nested|YAML/);
  });
});

test.each([
  ['an alias', 'a: &a {x: 1, y: 1}\nb:\n  <<: *a\n  y: 2\n'],
  ['a list of aliases', 'a: &a {x: 1}\nc: &c {x: 3, y: 3}\nb:\n  <<: [*a, *c]\n  y: 2\n'],
])('a map has the members that %s merges into it, after its own', (_, text) => {
  const { root, problems } = readYaml(text);
  expect(problems).toEqual([]);
  expect(valueOf(root)).toMatchObject({ b: { x: '1', y: '2' } });
});
