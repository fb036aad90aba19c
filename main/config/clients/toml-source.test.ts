import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import type { JsonNode } from './jsonc.ts';
import { TomlEdit } from './toml-edit.ts';
import { readToml } from './toml-source.ts';

function valueOf(node: JsonNode | null): unknown {
  if (node === null) return undefined;
  if (node.type === 'object')
    return Object.fromEntries(node.members.map(({ key, node: value }) => [key, valueOf(value)]));
  return node.type === 'array' ? node.elements.map(valueOf) : node.value;
}

/** The texts of all values with the texts at their places. */
function placesOf(text: string, node: JsonNode | null): [unknown, string][] {
  if (node === null) return [];
  if (node.type === 'object') return node.members.flatMap((member) => placesOf(text, member.node));
  if (node.type === 'array') return node.elements.flatMap((element) => placesOf(text, element));
  return [[node.value, text.slice(node.offset, node.end)]];
}

const all = String.raw`# a comment with [brackets] and "quotes"
title = "a \"b\" # c" # no value
'literal key' = 'C:\path # no comment'
a."b.c".d = true
long = """
one "two" \
  three"""""
raw = '''it's ''quoted'''''
numbers = [1_000, -0.5, 0xff, 9007199254740993, 1979-05-27 07:32:00Z,
  # in a list
  07:32:00,
]
inline = { x = { y = [ { z = "deep" } ] }, "w.v" = 1 }

[table.inner]
k = 1
[table]
k = 2
[[list]]
k = 3
[list.sub]
k = 4
[[list]]
k = 5
`;

describe('TOML', () => {
  test('is read with the place of each value, whatever it is written like', () => {
    const { root, problems, placeOf } = readToml(all);
    expect(problems).toEqual([]);
    expect(valueOf(root)).toEqual({
      title: 'a "b" # c',
      'literal key': String.raw`C:\path # no comment`,
      a: { 'b.c': { d: true } },
      long: 'one "two" three""',
      raw: "it's ''quoted''",
      numbers: [1000, -0.5, 255, '9007199254740993', '1979-05-27 07:32:00Z', '07:32:00'],
      inline: { x: { y: [{ z: 'deep' }] }, 'w.v': 1 },
      table: { inner: { k: 1 }, k: 2 },
      list: [{ k: 3, sub: { k: 4 } }, { k: 5 }],
    });
    const written = placesOf(all, root).map(([, text]) => text);
    expect(written).toContain('"deep"');
    expect(written).toContain('0xff');
    expect(written).toContain('1979-05-27 07:32:00Z');
    expect(written.filter((text) => /^[1-5]$/.test(text))).toEqual(['1', '1', '2', '3', '4', '5']);
    const list = root?.type === 'object' ? root.members.find(({ key }) => key === 'list') : undefined;
    const second = list?.node.type === 'array' ? list.node.elements[1] : undefined;
    expect(placeOf(second?.offset ?? 0)).toEqual({
      line: all.split('\n').lastIndexOf('[[list]]') + 1,
      column: 1,
    });
  });

  test('that the library writes is read with all values at their places', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    const key = fc.string({ maxLength: 5 });
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(scalar, { maxLength: 3 }),
        tie('table'),
        fc.array(tie('table'), { maxLength: 2 }),
      ),
      table: fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    })).table;
    fc.assert(
      fc.property(value, (table) => {
        const text = stringify(table);
        const { root, problems } = readToml(text);
        expect(problems).toEqual([]);
        for (const [read, written] of placesOf(text, root)) {
          if (typeof read === 'boolean' || typeof read === 'number') expect(written).toBe(String(read));
          else expect(written).toMatch(/^["'].*["']$/s);
        }
      }),
    );
  });

  test.each([
    ['a = 1\nb = \n', 2, /invalid value|unfinished/i],
    ['[a]\nk = "x"\n[a]\n', 3, /redefine/],
    ['[a]\nk = 1\nk = 2\n', 3, /redefine/],
    ['a = [[[[', 1, /./],
    [`a = ${'['.repeat(5000)}`, 1, /nested/],
  ])('%j names the line of its error and quotes nothing of it', (text, line, what) => {
    const { problems } = readToml(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line, what: expect.stringMatching(what) });
    expect(problems[0]?.what).not.toContain('\n');
  });

  test('with an error is read up to the table before it', () => {
    const { root, problems } = readToml('[s.a]\ncommand = "x"\n[s.b]\ncommand = url = "y"\n');
    expect(problems[0]?.line).toBe(4);
    expect(valueOf(root)).toEqual({ s: { a: { command: 'x' } } });
  });

  test('that stands for very much is refused', () => {
    const deep = `${Array.from({ length: 400 }, () => 'a').join('.')} = 1`;
    expect(readToml(deep).problems[0]?.what).toMatch(/more than/);
    const many = Array.from({ length: 51_000 }, (_, index) => `k${index} = 1`).join('\n');
    expect(readToml(many).problems[0]?.what).toMatch(/more than 50,000/);
  });
});

const servers = `# first
[s.one] # of one
command = "x"
args = [
  "a", # of a
  "b",
]

[s.one.env]
K = "v" # of K

[s]
two = { url = "u" }
three.command = "z" # dotted
`;

const edited = (change: (edit: TomlEdit) => void, text = servers): string => {
  const edit = new TomlEdit(text);
  change(edit);
  return edit.text;
};

describe('an edit of TOML', () => {
  test.each<[string, (edit: TomlEdit) => void, string, string]>([
    [
      'replaces a value',
      (edit) => edit.set(['s', 'one', 'command'], 'y "z"'),
      'command = "x"',
      String.raw`command = "y \"z\""`,
    ],
    ['replaces an element', (edit) => edit.set(['s', 'one', 'args', 1], 'c'), '"b",', '"c",'],
    [
      'adds an element below the others',
      (edit) => edit.append(['s', 'one', 'args'], 'c'),
      '"b",',
      '"b",\n  "c",',
    ],
    [
      'adds a line to a table',
      (edit) => edit.set(['s', 'one', 'env', 'L'], 'w'),
      '# of K',
      '# of K\nL = "w"',
    ],
    [
      'adds a member of an inline table',
      (edit) => edit.set(['s', 'two', 'headers', 'A'], 'b'),
      '{ url = "u" }',
      '{ url = "u", headers = { A = "b" } }',
    ],
    [
      'adds a dotted key',
      (edit) => edit.set(['s', 'three', 'args'], ['a']),
      '# dotted',
      '# dotted\nthree.args = ["a"]',
    ],
    ['removes a line', (edit) => edit.remove(['s', 'one', 'command']), 'command = "x"\n', ''],
    ['removes an element', (edit) => edit.remove(['s', 'one', 'args', 1]), ' # of a\n  "b",', ', # of a'],
    [
      'removes a table with a header',
      (edit) => edit.remove(['s', 'one', 'env']),
      '[s.one.env]\nK = "v" # of K\n',
      '',
    ],
    ['removes nothing that is not there', (edit) => edit.remove(['s', 'no', 'env']), '', ''],
  ])('%s and leaves the rest', (name, change, from, to) => {
    const after = edited(change);
    if (name !== 'removes an element') expect(after).toBe(servers.replace(from, to));
    expect(readToml(after).problems).toEqual([]);
  });

  test('adds a server with a header for each of its tables', () => {
    const added = edited((edit) => edit.set(['s', 'a.b'], { command: 'x', env: { K: 'v' }, args: [] }));
    expect(added).toBe(`${servers}\n[s."a.b"]\ncommand = "x"\nargs = []\n\n[s."a.b".env]\nK = "v"\n`);
    expect(edited((edit) => edit.set(['s', 'a'], { url: 'u' }), '')).toBe('[s.a]\nurl = "u"\n');
    const list = edited((edit) => edit.set(['list'], [{ name: 'a' }]), '[other]\nk = 1\n');
    expect(list).toBe('[other]\nk = 1\n\n[[list]]\nname = "a"\n');
    expect(edited((edit) => edit.append(['list'], { name: 'b', env: { K: 'v' } }), list)).toBe(
      `${list}\n[[list]]\nname = "b"\n\n[list.env]\nK = "v"\n`,
    );
    expect(edited((edit) => edit.set(['k'], 1), '[other]\n')).toBe('k = 1\n[other]\n');
    expect(edited((edit) => edit.set(['s', 'b'], { url: 'u' }), 's = { a = { url = "v" } }\n')).toBe(
      's = { a = { url = "v" }, b = { url = "u" } }\n',
    );
  });

  test('in any place of any document changes exactly this value, or nothing', () => {
    const key = fc.constantFrom('a', 'b', 'c.d');
    const document = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(1, 'x', true),
        tie('table'),
        fc.array(fc.constantFrom(1, 2), { maxLength: 2 }),
      ),
      table: fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    })).table;
    const change = fc.option(fc.constantFrom<unknown[]>('new', { d: 1 }, ['y']));
    let changes = 0;
    fc.assert(
      fc.property(document, fc.array(key, { minLength: 1, maxLength: 3 }), change, (before, path, value) => {
        const edit = new TomlEdit(stringify(before));
        try {
          if (value === null) edit.remove(path);
          else edit.set(path, value);
        } catch (error) {
          if (!(error instanceof FaultError)) throw error;
          expect(edit.text).toBe(stringify(before));
          return;
        }
        changes++;
        expect(valueOf(readToml(edit.text).root)).toEqual(applied(before, path, value));
      }),
      { numRuns: 500 },
    );
    expect(changes).toBeGreaterThan(250);
  });
});

/** What a change means for a value. */
function applied(before: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const isTable = typeof before === 'object' && before !== null && !Array.isArray(before);
  const table: Record<string, unknown> = isTable ? { ...before } : {};
  if (value !== null) table[key] = applied(table[key], rest, value);
  else if (!isTable || !Object.hasOwn(table, key)) return before;
  else if (rest.length === 0) delete table[key];
  else table[key] = applied(table[key], rest, value);
  return table;
}
