import { describe, expect, test } from 'vitest';
import { argument, cat, dog, dogNamed, type Meaning, schemaPairs } from '#fixtures/replay/schema-pairs.ts';
import type { CatalogEntry } from '#shared/contract/catalog.ts';
import type { Schema } from '#shared/json-schema/schema.ts';
import { withoutReferences } from '#replay/lock/resolve-references.ts';
import { SchemaValidator } from '#session/validator.ts';
import { type Catalog, catalogChanges } from './catalog-changes.ts';

const validator = new SchemaValidator();
const catalogOf = (member: string, schema: Schema): Catalog => {
  const raw = JSON.stringify({ name: 't', inputSchema: { type: 'object' }, [member]: schema });
  const tool: CatalogEntry = { usable: false, name: 't', error: '', raw };
  const lists = { tool: [tool], resource: null, template: null, prompt: null };
  return { revision: null, capabilities: null, lists };
};

/** The classes and the kinds of the changes, as rules name them. */
function changesOf(member: 'inputSchema' | 'outputSchema', before: Schema, after: Schema) {
  const changes = catalogChanges(catalogOf(member, before), catalogOf(member, after), [], (schema, value) =>
    validator.validateText(schema, value),
  );
  return { classes: new Set(changes.map((change) => change.class)), texts: changes.map(({ rule }) => rule) };
}

/** The worst class of a change of arguments, and of the same change of a result. */
const expected: Readonly<Record<Meaning, readonly [input: string, output: string]>> = {
  same: ['none', 'none'],
  described: ['behavior', 'behavior'],
  widened: ['harmless', 'breaking'],
  narrowed: ['breaking', 'harmless'],
  changed: ['unknown', 'unknown'],
  other: ['breaking', 'breaking'],
};

function worstOf(classes: ReadonlySet<string>, harmless: boolean): string {
  for (const one of ['breaking', 'unknown']) if (classes.has(one)) return one;
  if (classes.size === 0) return 'none';
  return harmless ? 'harmless' : classes.has('behavior') ? 'behavior' : 'compatible';
}

const resolved = (schema: Schema): Schema => JSON.parse(withoutReferences(JSON.stringify(schema))) as Schema;

describe.each([
  ['as the server lists them', (schema: Schema) => schema],
  ['as a lock file has them', resolved],
])('schemas %s', (_, write) => {
  test.each(schemaPairs)('%s', (__, before, after, meaning) => {
    const [was, is] = [write(before), write(after)];
    const isHarmless = meaning === 'widened' || meaning === 'narrowed';
    const input = changesOf('inputSchema', was, is);
    const output = changesOf('outputSchema', was, is);
    const [ofInput, ofOutput] = expected[meaning];
    expect(worstOf(input.classes, isHarmless), input.texts.join()).toBe(ofInput);
    expect(worstOf(output.classes, isHarmless), output.texts.join()).toBe(ofOutput);
  });

  test.each(schemaPairs.filter(([, , , meaning]) => meaning !== 'other'))(
    '%s, backwards',
    (__, before, after, meaning) => {
      const turned = {
        same: meaning,
        described: meaning,
        changed: meaning,
        other: meaning,
        widened: 'narrowed',
        narrowed: 'widened',
      } as const;
      const back = turned[meaning];
      const { classes, texts } = changesOf('inputSchema', write(after), write(before));
      expect(worstOf(classes, back === 'widened' || back === 'narrowed'), texts.join()).toBe(
        expected[back][0],
      );
    },
  );
});

test('the table has 120 pairs or more, each with a name of its own', () => {
  expect(schemaPairs.length).toBeGreaterThanOrEqual(120);
  expect(new Set(schemaPairs.map(([name]) => name)).size).toBe(schemaPairs.length);
});

test('a change within an alternative points at its place', () => {
  const before = argument({ anyOf: [cat, dog] });
  const after = argument({ anyOf: [cat, dogNamed] });
  const [change] = catalogChanges(
    catalogOf('inputSchema', before),
    catalogOf('inputSchema', after),
    [],
    () => ({ state: 'valid' }),
  );
  expect(change).toMatchObject({
    rule: 'argument-required',
    pointer: '/inputSchema/properties/m/anyOf/1/required',
  });
});
