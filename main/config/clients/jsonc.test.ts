import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonEdit } from './json-edit.ts';
import { type JsonNode, readJsonc } from './jsonc.ts';

/** The value of a node, as JSON.parse gives it. */
function valueOf(node: JsonNode | null): unknown {
  if (node === null) return undefined;
  if (node.type === 'object')
    return Object.fromEntries(node.members.map(({ key, node: value }) => [key, valueOf(value)]));
  return node.type === 'array' ? node.elements.map(valueOf) : node.value;
}

describe('JSON with comments', () => {
  test('is read like JSON without them, and each value knows its place', () => {
    const text = '\ufeff// one\n{ /* two */ "a": [1, true, null,], // "not": a key\n "b\\u0021": "//", }';
    const { root, error } = readJsonc(text);
    expect(error).toBeNull();
    expect(valueOf(root)).toEqual({ a: [1, true, null], 'b!': '//' });
    const [first] = root?.type === 'object' ? root.members : [];
    expect(text.slice(first?.offset, first?.end)).toBe('"a": [1, true, null,]');
  });

  test('any JSON is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 2, '\t'), (json, space) => {
        const value: unknown = JSON.parse(json);
        const { root, error } = readJsonc(JSON.stringify(value, null, space));
        expect(error).toBeNull();
        // Through JSON, because of "__proto__" and -0.
        expect(JSON.stringify(valueOf(root))).toBe(JSON.stringify(JSON.parse(JSON.stringify(value))));
      }),
    );
  });

  test.each([
    ['{"a": 1 "b": 2}', 8, 'A "," is missing before this.'],
    ['{"a" 1}', 5, 'A ":" is missing'],
    ['{a: 1}', 1, 'A key in quotation marks is missing'],
    ['{"a": yes}', 6, 'This word is not a JSON value'],
    ['{"a": }', 6, 'A value is missing'],
    ['{"a": "b', 8, 'not closed: its quotation mark'],
    ['{"a": "C:\\Users"}', 10, 'begins no known escape'],
    ['{"a": [1, 2}', 11, 'A "," is missing'],
    ['{"a": 1', 7, 'A "}" is missing here: an object'],
    ['[1, 2', 5, 'A "]" is missing here: a list'],
    ['{} {}', 3, 'more text after the end'],
    ['{ /* ', 1, 'A comment is not closed'],
    ['['.repeat(5000), 101, 'nested too deeply'],
  ])('%.20s has an error at %i', (text, offset, what) => {
    const { error } = readJsonc(text);
    expect(error?.what).toContain(what);
    expect(error?.offset).toBe(offset);
  });

  test('what stands before an error is read', () => {
    expect(valueOf(readJsonc('{"a": {"b": 1}, "c": [2, oops').root)).toEqual({ a: { b: 1 }, c: [2] });
  });
});

const settings = `{
  // the first
  "servers": {
    "one": { "command": "x", "args": ["a", "b",], }, // of one
    /* before two */
    "two": {
      "url": "u" // no comma here
    }
  }, // the end
}
`;

function edited(change: (edit: JsonEdit) => void, text = settings): string {
  const edit = new JsonEdit(text);
  change(edit);
  return edit.text;
}

describe('an edit', () => {
  test('replaces a value and nothing around it', () => {
    expect(edited((edit) => edit.set(['servers', 'two', 'url'], 'v'))).toBe(settings.replace('"u"', '"v"'));
    expect(edited((edit) => edit.set(['servers', 'one', 'args', 1], 'c'))).toBe(
      settings.replace('"b"', '"c"'),
    );
  });

  test('adds a member below the last one and its comment, with the commas as they are', () => {
    expect(edited((edit) => edit.set(['servers', 'two', 'headers'], { A: '1' }))).toBe(
      settings.replace(
        '"u" // no comma here',
        '"u", // no comma here\n      "headers": {\n        "A": "1"\n      }',
      ),
    );
    expect(edited((edit) => edit.set(['servers', 'one', 'env', 'K'], 'v'))).toBe(
      settings.replace('["a", "b",],', '["a", "b",], "env": {"K":"v"},'),
    );
    expect(edited((edit) => edit.set(['inputs'], []))).toBe(
      settings.replace('// the end', '// the end\n  "inputs": [],'),
    );
  });

  test('fills an empty object, also one with a comment', () => {
    expect(edited((edit) => edit.set(['a', 'b'], 1), '{}\n')).toBe('{\n  "a": {\n    "b": 1\n  }\n}\n');
    expect(edited((edit) => edit.set(['a'], 1), '{ // none yet\r\n}')).toBe('{ // none yet\r\n  "a": 1\r\n}');
  });

  test('removes a member with its comma and leaves the comments', () => {
    // No trailing comma was there, so none is left.
    const rest = settings.replace('\n    "two": {\n      "url": "u" // no comma here\n    }', '');
    expect(edited((edit) => edit.remove(['servers', 'two']))).toBe(
      rest.replace('}, // of one', '} // of one'),
    );
    expect(edited((edit) => edit.remove(['servers', 'one', 'command']))).toContain('"one": { "args"');
    expect(edited((edit) => edit.remove(['servers', 'one', 'args', 1]))).toContain('"args": ["a",]');
    expect(edited((edit) => edit.remove(['a', 'b']))).toBe(settings);
  });

  test('in any place of any document changes exactly this value', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const document = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(1, 'x', null), tie('object'), tie('list')),
      object: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      list: fc.array(tie('value'), { maxLength: 3 }),
    })).object;
    fc.assert(
      fc.property(
        document,
        fc.array(key, { minLength: 1, maxLength: 3 }),
        fc.option(fc.constantFrom('new', { d: 1 })),
        fc.boolean(),
        (before, path, value, isOnOneLine) => {
          const plain = JSON.stringify(before, null, isOnOneLine ? 0 : 2);
          const text = isOnOneLine
            ? plain.replaceAll(',', ', /*c*/')
            : plain.replaceAll(/$(?!\n?$(?!\n))/gm, ' // c');
          const after = edited((edit) => (value === null ? edit.remove(path) : edit.set(path, value)), text);
          const { root, error } = readJsonc(after);
          expect(error).toBeNull();
          expect(valueOf(root)).toEqual(applied(before, path, value));
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** What the change means for the value. */
function applied(before: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  const isObject = typeof before === 'object' && before !== null && !Array.isArray(before);
  if (key === undefined) return value;
  const object: Record<string, unknown> = isObject ? { ...before } : {};
  if (value === null) {
    if (!isObject || !Object.hasOwn(object, key)) return before;
    if (rest.length === 0) delete object[key];
    else object[key] = applied(object[key], rest, value);
    return object;
  }
  object[key] = applied(object[key], rest, value);
  return object;
}
