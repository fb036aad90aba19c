import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ComparisonRule } from '#shared/contract/comparison.ts';
import { ValueComparer } from './value-differences.ts';

const compare = (recorded: unknown, other: unknown, ...rules: ComparisonRule[]) =>
  new ValueComparer(rules, { matches: (pattern, text) => new RegExp(pattern, 'u').test(text) }).compare(
    JSON.stringify(recorded),
    JSON.stringify(other),
    { moments: { recorded: Date.UTC(2026, 0, 1, 10, 0, 5), other: Date.UTC(2026, 0, 2, 10, 2, 10) } },
  );

/** The differences as `path kind`, and what was ignored as `path why`. */
function compared(recorded: unknown, other: unknown, ...rules: ComparisonRule[]) {
  const { differences, ignored } = compare(recorded, other, ...rules);
  return {
    differences: differences.map(({ path, kind }) => `${path} ${kind}`),
    ignored: ignored.map(({ path, why }) => `${path} ${why}`),
  };
}
const nothing = { differences: [], ignored: [] };

describe('two values', () => {
  test.each([
    [{ a: 1 }, { a: 2 }, '$.a changed'],
    [{ a: 1 }, {}, '$.a removed'],
    [{}, { a: 1 }, '$.a added'],
    [{ a: 1 }, { a: '1' }, '$.a type'],
    [{ a: {} }, { a: [] }, '$.a type'],
    [{ a: null }, { a: false }, '$.a type'],
    [[1, 2, 3], [3, 2, 1], '$ order'],
    [[1, 2], [1, 2, 3], '$[2] added'],
    [[1, 2, 3], [1, 2], '$[2] removed'],
    [{ a: [{ b: 'x' }] }, { a: [{ b: 'y' }] }, '$.a[0].b changed'],
    ['text', 'other', '$ changed'],
  ])('%j and %j: %s', (recorded, other, difference) => {
    expect(compared(recorded, other)).toEqual({ differences: [difference], ignored: [] });
  });

  test('are equal in any order of their members', () => {
    expect(compared({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toEqual(nothing);
  });

  test('are compared digit by digit, beyond what a number can hold', () => {
    const differ = new ValueComparer([]).compare('{"id":9007199254740993}', '{"id":9007199254740992}');
    expect(differ.differences).toEqual([
      { path: '$.id', kind: 'changed', recorded: '9007199254740993', other: '9007199254740992' },
    ]);
    expect(new ValueComparer([]).compare('[1.50]', '[1.5]').differences).toEqual([]);
  });

  test('inside a string that holds JSON are compared as JSON', () => {
    const block = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value, null, 2) }] });
    expect(compared(block({ a: 1, b: [2] }), block({ b: [2], a: 1 }))).toEqual(nothing);
    expect(compared(block({ a: { b: 1 } }), block({ a: { b: 2 } })).differences).toEqual([
      '$.content[0].text.a.b changed',
    ]);
    expect(compared({ text: '{no json' }, { text: '{no json either' }).differences).toEqual([
      '$.text changed',
    ]);
  });

  test('nested too deeply are compared as a whole', () => {
    const nested = (inner: string) => `${'['.repeat(300)}${inner}${']'.repeat(300)}`;
    const comparer = new ValueComparer([]);
    expect(comparer.compare(nested('1'), nested('1')).differences).toEqual([]);
    expect(comparer.compare(nested('1'), nested('2')).differences).toMatchObject([
      { path: '$', kind: 'changed' },
    ]);
  });
});

describe('noise', () => {
  test.each([
    ['time', { at: '2026-01-01T10:00:00Z' }, { at: '2026-01-02T11:02:05.5+01:00' }],
    ['time', { text: 'done at 2026-01-01 10:00:00' }, { text: 'done at 2026-01-02 10:02:07' }],
    ['time', { date: 'Thu, 01 Jan 2026 10:00:00 GMT' }, { date: 'Fri, 02 Jan 2026 10:02:03 GMT' }],
    ['time', { text: 'created at 2:00:01 PM' }, { text: 'created at 2:02:05 PM' }],
    ['time', { createdAt: 1_767_261_600_000 }, { createdAt: 1_767_348_126_123 }],
    ['time', { updated: 1_767_261_600 }, { updated: 1_767_348_126 }],
    [
      'id',
      { n: 'job 0b2f4d3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b' },
      { n: 'job 1b2f4d3e-1c2d-4e5f-8a9b-0c1d2e3f4a5c' },
    ],
    ['id', { requestId: '01HZX3V9Q2K7M5N8' }, { requestId: '01HZX3W0A1B2C3D4' }],
    ['cursor', { nextCursor: 'b3' }, { nextCursor: 'x7' }],
    [
      'secret',
      { t: '[secret header, 8 characters, 0011aabb]' },
      { t: '[secret header, 9 characters, ffee0011]' },
    ],
    ['meta', { _meta: { build: 'a' } }, { _meta: { build: 'b' } }],
  ])('of the kind %s is ignored and listed', (why, recorded, other) => {
    const { differences, ignored } = compare(recorded, other);
    expect(differences).toEqual([]);
    expect(ignored.map((one) => one.why)).toEqual([why]);
    const [name = ''] = Object.keys(recorded);
    if (name === '_meta') return;
    expect(ignored).toMatchObject([
      {
        recorded: JSON.stringify(Reflect.get(recorded, name)),
        other: JSON.stringify(Reflect.get(other, name)),
      },
    ]);
  });

  test.each([
    ['a time that became a word', { at: '2026-01-01T10:00:00Z' }, { at: 'never' }],
    ['a time that is gone', { at: '2026-01-01T10:00:00Z' }, {}],
    ['a number that is no time', { createdAt: 5 }, { createdAt: 6 }],
    ['a name that only ends like an id', { paid: 'yes' }, { paid: 'no' }],
    ['an id that became readable', { id: '01HZX3V9Q2K7M5N8' }, { id: 'first' }],
    ['another type inside _meta', { _meta: { build: 'a' } }, { _meta: { build: 1 } }],
    ['words beside a time', { text: 'ok 2026-01-01T10:00:00Z' }, { text: 'bad 2026-01-01T10:00:01Z' }],
  ])('is not %s', (_, recorded, other) => {
    expect(compare(recorded, other).differences).toHaveLength(1);
  });
});

describe('rules', () => {
  test('ignore what differs, what is gone and what is new', () => {
    const rule: ComparisonRule = { path: '$..build', compare: 'ignore' };
    expect(compared({ build: 1, a: { build: 2 } }, { a: { build: 3 } }, rule)).toEqual({
      differences: [],
      ignored: ['$.build rule', '$.a.build rule'],
    });
    expect(compared({}, { build: 1 }, rule)).toEqual({ differences: [], ignored: ['$.build rule'] });
  });

  test.each<[ComparisonRule, unknown, unknown, boolean]>([
    [{ path: '$.a', compare: 'type' }, { a: 1 }, { a: 2 }, true],
    [{ path: '$.a', compare: 'type' }, { a: 1 }, { a: 'x' }, false],
    [{ path: '$.a', compare: 'regex', pattern: '^x\\d$' }, { a: 'x1' }, { a: 'x2' }, true],
    [{ path: '$.a', compare: 'regex', pattern: '^x\\d$' }, { a: 'x1' }, { a: 'y2' }, false],
    [{ path: '$.a', compare: 'tolerance', tolerance: 0.5 }, { a: 1 }, { a: 1.4 }, true],
    [{ path: '$.a', compare: 'tolerance', tolerance: 0.5 }, { a: 1 }, { a: 1.6 }, false],
    [{ path: '$.a', compare: 'unordered' }, { a: [1, 2] }, { a: [2, 1] }, true],
    [{ path: '$.a', compare: 'unordered' }, { a: [1, 2] }, { a: [2, 2] }, false],
    [{ path: '$.a', compare: 'exact' }, { a: '2026-01-01T10:00:00Z' }, { a: '2026-01-01T10:00:01Z' }, false],
    [{ path: '$', compare: 'exact', subset: true }, { a: 1 }, { a: 1, b: 2 }, true],
    [{ path: '$', compare: 'exact', subset: true }, { a: 1, b: 2 }, { a: 1 }, false],
  ])('%j for %j and %j: %s', (rule, recorded, other, isFine) => {
    expect(compare(recorded, other, rule).differences.length === 0).toBe(isFine);
  });

  test('with a pattern that takes too long are not met, and the pattern is tried once', () => {
    const tried: string[] = [];
    const comparer = new ValueComparer([{ path: '$[*]', compare: 'regex', pattern: '(a+)+$' }], {
      matches: (_, text) => {
        tried.push(text);
        return null;
      },
    });
    const { differences } = comparer.compare('["a","b"]', '["c","d"]');
    expect(differences.map(({ path }) => path)).toEqual(['$[0]', '$[1]']);
    expect(tried).toEqual(['c']);
  });

  test('of two for one path the last decides', () => {
    const ignored: ComparisonRule = { path: '$..a', compare: 'ignore' };
    const exact: ComparisonRule = { path: '$.a', compare: 'exact' };
    expect(compared({ a: 1, b: { a: 1 } }, { a: 2, b: { a: 2 } }, ignored, exact)).toEqual({
      differences: ['$.a changed'],
      ignored: ['$.b.a rule'],
    });
  });
});

/** JSON values without strings or numbers that could be taken for noise. */
const plainJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.integer({ min: -1000, max: 1000 }),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('red', 'green', 'blue'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 4 }),
  ),
})).value;

test('a value equals itself, and a changed leaf is the only difference', () => {
  fc.assert(
    fc.property(plainJson, fc.nat(), (value, seed) => {
      expect(compared(value, structuredClone(value))).toEqual(nothing);
      const leaves = leavesOf(value);
      const leaf = leaves[seed % Math.max(1, leaves.length)];
      if (leaf === undefined) return;
      const changed = withValue(value, leaf, 'another word');
      const { differences } = compare(value, changed);
      expect(differences).toHaveLength(1);
    }),
  );
});

type Path = readonly (string | number)[];

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function withValue(value: unknown, path: Path, to: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return to;
  const copy: unknown = structuredClone(value);
  if (typeof copy === 'object' && copy !== null)
    Reflect.set(copy, step, withValue(Reflect.get(copy, step), rest, to));
  return copy;
}

test('values that take more than the budget are a difference that was not compared, never equal', () => {
  const rules = Array.from({ length: 1000 }, (_, index) => ({
    path: `$..x${index}`,
    compare: 'ignore' as const,
  }));
  const list = (last: number): string =>
    JSON.stringify(Array.from({ length: 3000 }, (_, index) => ({ a: index === 2999 ? last : index })));
  const ignored = Array.from({ length: 3000 }, (_, index) => ({ a: index + 10_000 }));
  const { differences } = new ValueComparer(rules).compare(list(1), JSON.stringify(ignored));
  expect(differences.at(-1)).toMatchObject({ path: '$', kind: 'not-compared' });
});
