import { describe, expect, test } from 'vitest';
import type { CatalogEntry } from '#shared/contract/catalog.ts';
import { withoutReferences } from '#replay/lock/resolve-references.ts';
import { SchemaValidator } from '#session/validator.ts';
import { type Catalog, catalogChanges } from './catalog-changes.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * What a change means to a client that sends values: nothing, other descriptions, more or fewer values, or something that cannot be
 * decided. `other`: fewer and more.
 */
type Meaning = 'same' | 'described' | 'widened' | 'narrowed' | 'changed' | 'other';

/** An object with these members. */
const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });
/** Arguments with one of this schema. */
const argument = (schema: unknown, more: Schema = {}): Schema => object({ m: schema }, more);
const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const text = { type: 'string' };
const node = (more: Schema): Schema => object({ next: nullable({ $ref: '#/$defs/Node' }), ...more });
const tree = (more: Schema): Schema => argument({ $ref: '#/$defs/Node' }, { $defs: { Node: node(more) } });
const cat = object({ kind: { const: 'cat' }, lives: { type: 'integer' } }, { required: ['kind'] });
const dog = object({ kind: { const: 'dog' }, name: text }, { required: ['kind'] });
const dogNamed = object({ kind: { const: 'dog' }, name: text }, { required: ['kind', 'name'] });

const pairs: [name: string, before: Schema, after: Schema, meaning: Meaning][] = [
  // The same in another writing.
  ['a reference', argument({ $ref: '#/$defs/a' }, { $defs: { a: text } }), argument(text), 'same'],
  [
    'a reference to a reference',
    argument({ $ref: '#/$defs/a' }, { $defs: { a: { $ref: '#/$defs/b' }, b: text } }),
    argument(text),
    'same',
  ],
  [
    'a reference by an anchor',
    argument({ $ref: '#a' }, { $defs: { x: { $anchor: 'a', ...text } } }),
    argument(text),
    'same',
  ],
  [
    'another name of a definition',
    argument({ $ref: '#/$defs/A' }, { $defs: { A: text } }),
    argument({ $ref: '#/$defs/B' }, { $defs: { B: text } }),
    'same',
  ],
  [
    'definitions of both drafts',
    argument({ $ref: '#/definitions/A' }, { definitions: { A: cat } }),
    argument({ $ref: '#/$defs/A' }, { $defs: { A: cat } }),
    'same',
  ],
  [
    'a reference in allOf',
    argument({ allOf: [{ $ref: '#/$defs/A' }] }, { $defs: { A: cat } }),
    argument(cat),
    'same',
  ],
  [
    'a reference with a description',
    argument({ $ref: '#/$defs/A', description: 'x' }, { $defs: { A: text } }),
    argument({ ...text, description: 'x' }),
    'same',
  ],
  [
    'a reference with a limit',
    argument({ $ref: '#/$defs/A', maxLength: 5 }, { $defs: { A: text } }),
    argument({ ...text, maxLength: 5 }),
    'same',
  ],
  [
    'a recursive type under another name',
    argument({ $ref: '#/$defs/A' }, { $defs: { A: object({ next: { $ref: '#/$defs/A' } }) } }),
    argument({ $ref: '#/$defs/B' }, { $defs: { B: object({ next: { $ref: '#/$defs/B' } }) } }),
    'same',
  ],
  ['a recursive type with null', tree({ v: text }), tree({ v: { anyOf: [text] } }), 'same'],
  [
    'null in a list of types',
    argument({ type: ['string', 'null'], minLength: 2 }),
    argument(nullable({ ...text, minLength: 2 })),
    'same',
  ],
  ['null first', argument({ anyOf: [{ type: 'null' }, text] }), argument(nullable(text)), 'same'],
  ['an object or null', argument({ ...cat, type: ['object', 'null'] }), argument(nullable(cat)), 'same'],
  [
    'a list or null',
    argument({ type: ['array', 'null'], items: text }),
    argument(nullable({ type: 'array', items: text })),
    'same',
  ],
  ['nullable of OpenAPI', argument({ ...text, nullable: true }), argument(nullable(text)), 'same'],
  [
    'an enumeration with null',
    argument({ enum: ['a', 'b', null] }),
    argument(nullable({ enum: ['a', 'b'] })),
    'same',
  ],
  [
    'an enumeration with null and a type',
    argument({ type: ['string', 'null'], enum: ['a', null] }),
    argument(nullable({ ...text, const: 'a' })),
    'same',
  ],
  [
    'a format or null',
    argument({ type: ['string', 'null'], format: 'uri' }),
    argument(nullable({ ...text, format: 'uri' })),
    'same',
  ],
  [
    'one of two types',
    argument({ oneOf: [text, { type: 'number' }] }),
    argument({ type: ['string', 'number'] }),
    'same',
  ],
  [
    'oneOf for anyOf of types',
    argument({ oneOf: [text, { type: 'boolean' }] }),
    argument({ anyOf: [text, { type: 'boolean' }] }),
    'same',
  ],
  [
    'oneOf for anyOf of unlike objects',
    argument({ oneOf: [cat, dog] }),
    argument({ anyOf: [dog, cat] }),
    'same',
  ],
  [
    'alternatives in alternatives',
    argument({ anyOf: [{ anyOf: [cat, dog] }, text] }),
    argument({ anyOf: [text, cat, dog] }),
    'same',
  ],
  ['an alternative twice', argument({ anyOf: [cat, dog, cat] }), argument({ anyOf: [cat, dog] }), 'same'],
  [
    'an alternative that is never valid',
    argument({ anyOf: [cat, false, dog] }),
    argument({ anyOf: [cat, dog] }),
    'same',
  ],
  ['an alternative that is always valid', argument({ anyOf: [text, {}] }), argument({}), 'same'],
  [
    'an alternative that another includes',
    argument({ anyOf: [{ type: 'integer' }, { type: 'number' }] }),
    argument({ type: 'number' }),
    'same',
  ],
  [
    'constants for an enumeration',
    argument({ oneOf: [{ const: 1 }, { const: 2 }] }),
    argument({ enum: [1, 2] }),
    'same',
  ],
  [
    'constants with titles',
    argument({
      anyOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'B' },
      ],
    }),
    argument({ enum: ['b', 'a'] }),
    'same',
  ],
  ['a constant for an enumeration of one', argument({ const: 'a' }), argument({ enum: ['a'] }), 'same'],
  ['a constant with its type', argument({ const: 'a' }), argument({ ...text, const: 'a' }), 'same'],
  ['values in another order', argument({ enum: ['a', 'b'] }), argument({ enum: ['b', 'a'] }), 'same'],
  ['a value twice', argument({ enum: ['a', 'b', 'a'] }), argument({ enum: ['a', 'b'] }), 'same'],
  [
    'values that their type excludes',
    argument({ ...text, enum: ['a', 1] }),
    argument({ enum: ['a'] }),
    'same',
  ],
  [
    'values that a limit excludes',
    argument({ enum: ['a', 'abc'], maxLength: 2 }),
    argument({ enum: ['a'] }),
    'same',
  ],
  [
    'a limit that all values meet',
    argument({ enum: ['ab', 'cd'], minLength: 1 }),
    argument({ enum: ['ab', 'cd'] }),
    'same',
  ],
  ['both values of a boolean', argument({ type: 'boolean' }), argument({ enum: [true, false] }), 'same'],
  ['nothing but null', argument({ type: 'null' }), argument({ const: null }), 'same'],
  [
    'types in another order',
    argument({ type: ['string', 'null'] }),
    argument({ type: ['null', 'string'] }),
    'same',
  ],
  ['a list of one type', argument({ type: ['string'] }), argument(text), 'same'],
  ['number and integer', argument({ type: ['number', 'integer'] }), argument({ type: 'number' }), 'same'],
  [
    'every type',
    argument({ type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }),
    argument({}),
    'same',
  ],
  [
    'an exclusive maximum of integers',
    argument({ type: 'integer', exclusiveMaximum: 10 }),
    argument({ type: 'integer', maximum: 9 }),
    'same',
  ],
  [
    'a fraction as the minimum of integers',
    argument({ type: 'integer', minimum: 0.5 }),
    argument({ type: 'integer', minimum: 1 }),
    'same',
  ],
  ['a multiple of one', argument({ type: 'integer', multipleOf: 1 }), argument({ type: 'integer' }), 'same'],
  [
    'the largest integers',
    argument({ type: 'integer', minimum: 0 }),
    argument({ type: 'integer', minimum: 0, maximum: 9_007_199_254_740_991 }),
    'same',
  ],
  [
    'a minimum beside a stricter one',
    argument({ type: 'number', minimum: 0, exclusiveMinimum: 1 }),
    argument({ type: 'number', exclusiveMinimum: 1 }),
    'same',
  ],
  ['a limit of another type', argument({ ...text, minimum: 3, items: text }), argument(text), 'same'],
  [
    'no least number of members',
    argument(object({}), {}),
    argument(object({}, { minProperties: 0 })),
    'same',
  ],
  [
    'items that need not differ',
    argument({ type: 'array', uniqueItems: false }),
    argument({ type: 'array' }),
    'same',
  ],
  ['any items', argument({ type: 'array', items: {} }), argument({ type: 'array' }), 'same'],
  ['any items, by true', argument({ type: 'array', items: true }), argument({ type: 'array' }), 'same'],
  ['any pattern', argument({ ...text, pattern: '' }), argument(text), 'same'],
  ['no members', argument({ type: 'object', properties: {} }), argument({ type: 'object' }), 'same'],
  [
    'described further members',
    argument({ type: 'object', additionalProperties: true }),
    argument({ type: 'object', additionalProperties: { $comment: 'any' } }),
    'same',
  ],
  [
    'no patterns of members',
    argument({ type: 'object', patternProperties: {} }),
    argument({ type: 'object' }),
    'same',
  ],
  [
    'no dependencies',
    argument({ type: 'object', dependentRequired: { a: [] } }),
    argument({ type: 'object' }),
    'same',
  ],
  ['any name', argument({ type: 'object', propertyNames: {} }), argument({ type: 'object' }), 'same'],
  ['an if alone', argument({ if: { type: 'string' } }), argument({}), 'same'],
  [
    'no element needs to match',
    argument({ type: 'array', contains: text, minContains: 0 }),
    argument({ type: 'array' }),
    'same',
  ],
  ['an empty allOf', argument({ ...text, allOf: [] }), argument(text), 'same'],
  [
    'limits in allOf',
    argument({ allOf: [text, { minLength: 1 }, { maxLength: 5 }] }),
    argument({ ...text, minLength: 1, maxLength: 5 }),
    'same',
  ],
  [
    'allOf in another order',
    argument({ allOf: [{ pattern: 'a' }, { pattern: 'b' }] }),
    argument({ allOf: [{ pattern: 'b' }, { pattern: 'a' }] }),
    'same',
  ],
  [
    'members in allOf',
    argument({ allOf: [object({ a: text }), object({ b: text }, { required: ['b'] })] }),
    argument(object({ a: text, b: text }, { required: ['b'] })),
    'same',
  ],
  [
    'an identifier',
    argument(text, { $id: 'https://a.test/one' }),
    argument(text, { $id: 'https://a.test/two', $comment: 'x' }),
    'same',
  ],
  [
    'a dialect',
    argument(text, { $schema: 'http://json-schema.org/draft-07/schema#' }),
    argument(text),
    'same',
  ],
  ['a keyword that nobody knows', argument({ ...text, 'x-order': 1 }), argument(text), 'same'],
  [
    'a definition that nobody uses',
    argument(text, { $defs: { A: text } }),
    argument(text, { $defs: { A: { type: 'number' } } }),
    'same',
  ],
  ['not deprecated', argument({ ...text, deprecated: false }), argument(text), 'same'],
  [
    'a tuple of both drafts',
    argument({ type: 'array', items: [text, { type: 'number' }], additionalItems: false }),
    argument({ type: 'array', prefixItems: [text, { type: 'number' }], items: false }),
    'same',
  ],
  [
    'a tuple that ends with anything',
    argument({ type: 'array', prefixItems: [text] }),
    argument({ type: 'array', prefixItems: [text, {}] }),
    'same',
  ],
  [
    'a required member twice',
    argument(text, { required: ['m', 'm'] }),
    argument(text, { required: ['m'] }),
    'same',
  ],
  ['a schema that is never valid', argument(false), argument({ enum: [] }), 'same'],

  // Other descriptions.
  [
    'a description of an alternative',
    argument({ anyOf: [{ ...cat, description: 'a' }, dog] }),
    argument({ anyOf: [{ ...cat, description: 'b' }, dog] }),
    'described',
  ],
  [
    'a description inside of an alternative',
    argument({
      anyOf: [
        cat,
        object({ kind: { const: 'dog', description: 'new' }, name: text }, { required: ['kind'] }),
      ],
    }),
    argument({ anyOf: [cat, dog] }),
    'described',
  ],
  [
    'a description of an alternative of a oneOf',
    argument({ oneOf: [{ minimum: 1 }, { maximum: 5 }] }),
    argument({ oneOf: [{ minimum: 1, description: 'a' }, { maximum: 5 }] }),
    'described',
  ],
  [
    'a title of a value',
    argument({
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'B' },
      ],
    }),
    argument({
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'Bee' },
      ],
    }),
    'described',
  ],
  [
    'a description of a type',
    argument({ anyOf: [{ ...text, description: 'a' }, { type: 'number' }] }),
    argument({ anyOf: [{ ...text, description: 'b' }, { type: 'number' }] }),
    'described',
  ],
  [
    'a description in a definition',
    argument({ $ref: '#/$defs/A' }, { $defs: { A: { ...text, description: 'a' } } }),
    argument({ $ref: '#/$defs/A' }, { $defs: { A: { ...text, description: 'b' } } }),
    'described',
  ],
  [
    'a description in a recursive type',
    tree({ v: { ...text, description: 'a' } }),
    tree({ v: { ...text, description: 'b' } }),
    'described',
  ],
  [
    'a description in allOf',
    argument({ allOf: [{ ...cat, description: 'a' }] }),
    argument({ allOf: [{ ...cat, description: 'b' }] }),
    'described',
  ],
  [
    'a description of items',
    argument({ type: 'array', items: { ...text, title: 'A' } }),
    argument({ type: 'array', items: { ...text, title: 'B' } }),
    'described',
  ],
  [
    'a description of further members',
    argument({ type: 'object', additionalProperties: { ...text, title: 'A' } }),
    argument({ type: 'object', additionalProperties: { ...text, title: 'B' } }),
    'described',
  ],
  [
    'a description of a pattern of members',
    argument({ type: 'object', patternProperties: { '^x': { ...text, title: 'A' } } }),
    argument({ type: 'object', patternProperties: { '^x': { ...text, title: 'B' } } }),
    'described',
  ],
  [
    'a description inside of not',
    argument({ not: { const: 1, title: 'A' } }),
    argument({ not: { const: 1, title: 'B' } }),
    'described',
  ],
  [
    'a description of a branch',
    argument({ if: text, then: { minLength: 1, title: 'A' } }),
    argument({ if: text, then: { minLength: 1, title: 'B' } }),
    'described',
  ],
  [
    'a default of an alternative',
    argument(nullable({ ...cat, default: {} })),
    argument(nullable(cat)),
    'described',
  ],
  ['a default', argument({ ...text, default: 'a' }), argument({ ...text, default: 'b' }), 'described'],
  ['deprecated', argument(text), argument({ ...text, deprecated: true }), 'described'],
  ['examples', argument({ ...text, examples: ['a'] }), argument({ ...text, examples: ['b'] }), 'described'],

  // More values.
  ['one more value', argument({ enum: ['a'] }), argument({ enum: ['a', 'b'] }), 'widened'],
  [
    'one more constant',
    argument({ anyOf: [{ const: 'a' }] }),
    argument({ anyOf: [{ const: 'a' }, { const: 'b' }] }),
    'widened',
  ],
  ['null too', argument(cat), argument(nullable(cat)), 'widened'],
  [
    'one more alternative',
    argument({ anyOf: [cat, text] }),
    argument({ anyOf: [cat, text, dog] }),
    'widened',
  ],
  ['alternatives for one', argument(cat), argument({ anyOf: [cat, dog] }), 'widened'],
  [
    'any of several instead of one',
    argument({ oneOf: [{ minimum: 1 }, { maximum: 5 }] }),
    argument({ anyOf: [{ minimum: 1 }, { maximum: 5 }] }),
    'widened',
  ],
  [
    'more values in an alternative',
    argument({ anyOf: [dogNamed, cat] }),
    argument({ anyOf: [cat, dog] }),
    'widened',
  ],
  ['values for a type', argument({ enum: ['a', 'b'] }), argument(text), 'widened'],
  [
    'values that fit the limits',
    argument({ enum: ['ab', 'abc'] }),
    argument({ ...text, minLength: 2 }),
    'widened',
  ],
  ['numbers for integers', argument({ type: 'integer' }), argument({ type: 'number' }), 'widened'],
  ['a lower minimum', argument({ minimum: 2 }), argument({ minimum: 1 }), 'widened'],
  [
    'the limit itself',
    argument({ type: 'number', exclusiveMinimum: 1 }),
    argument({ type: 'number', minimum: 1 }),
    'widened',
  ],
  [
    'half of the multiple',
    argument({ type: 'number', multipleOf: 10 }),
    argument({ type: 'number', multipleOf: 5 }),
    'widened',
  ],
  [
    'no more allOf',
    argument({ allOf: [{ pattern: 'a' }, { pattern: 'b' }] }),
    argument({ pattern: 'a' }),
    'widened',
  ],
  [
    'fewer dependencies',
    object({ a: {}, b: {} }, { dependentRequired: { a: ['b'] } }),
    object({ a: {}, b: {} }),
    'widened',
  ],
  ['no not', argument({ not: { const: 1 } }), argument({}), 'widened'],
  ['a limit less in a recursive type', tree({ v: { ...text, maxLength: 5 } }), tree({ v: text }), 'widened'],
  [
    'a wider branch',
    argument({ if: text, then: { minLength: 5 } }),
    argument({ if: text, then: { minLength: 1 } }),
    'widened',
  ],
  [
    'a longer tuple',
    argument({ type: 'array', prefixItems: [text], items: false }),
    argument({ type: 'array', prefixItems: [text, text], items: false }),
    'widened',
  ],
  [
    'wider names',
    argument({ type: 'object', propertyNames: { maxLength: 5 } }),
    argument({ type: 'object', propertyNames: { maxLength: 9 } }),
    'widened',
  ],

  // Fewer values.
  [
    'fewer values in an alternative',
    argument({ anyOf: [cat, dog] }),
    argument({ anyOf: [dogNamed, cat] }),
    'narrowed',
  ],
  [
    'fewer values in an alternative of unlike ones',
    argument({ oneOf: [cat, dog] }),
    argument({ oneOf: [cat, dogNamed] }),
    'narrowed',
  ],
  ['one alternative for several', argument({ anyOf: [cat, dog] }), argument(cat), 'narrowed'],
  [
    'an alternative less',
    argument({ anyOf: [cat, dog, text] }),
    argument({ anyOf: [cat, text] }),
    'narrowed',
  ],
  ['no more null', argument(nullable(cat)), argument(cat), 'narrowed'],
  [
    'a referenced alternative that narrows',
    argument(nullable({ $ref: '#/$defs/A' }), { $defs: { A: dog } }),
    argument(nullable({ $ref: '#/$defs/A' }), { $defs: { A: dogNamed } }),
    'narrowed',
  ],
  [
    'a referenced item that narrows',
    argument({ type: 'array', items: { $ref: '#/$defs/A' } }, { $defs: { A: dog } }),
    argument({ type: 'array', items: { $ref: '#/$defs/A' } }, { $defs: { A: dogNamed } }),
    'narrowed',
  ],
  [
    'a referenced member that narrows',
    argument({ type: 'object', additionalProperties: { $ref: '#/$defs/A' } }, { $defs: { A: dog } }),
    argument({ type: 'object', additionalProperties: { $ref: '#/$defs/A' } }, { $defs: { A: dogNamed } }),
    'narrowed',
  ],
  [
    'a referenced branch that narrows',
    argument({ if: cat, then: { $ref: '#/$defs/A' } }, { $defs: { A: dog } }),
    argument({ if: cat, then: { $ref: '#/$defs/A' } }, { $defs: { A: dogNamed } }),
    'narrowed',
  ],
  [
    'a referenced part that narrows',
    argument({ allOf: [{ $ref: '#/$defs/A' }, { maxProperties: 5 }] }, { $defs: { A: dog } }),
    argument({ allOf: [{ $ref: '#/$defs/A' }, { maxProperties: 5 }] }, { $defs: { A: dogNamed } }),
    'narrowed',
  ],
  ['a limit in a recursive type', tree({ v: text }), tree({ v: { ...text, maxLength: 5 } }), 'narrowed'],
  [
    'a limit beside a reference',
    argument({ $ref: '#/$defs/A' }, { $defs: { A: text } }),
    argument({ $ref: '#/$defs/A', maxLength: 5 }, { $defs: { A: text } }),
    'narrowed',
  ],
  [
    'integers for numbers',
    argument({ type: ['number', 'null'] }),
    argument({ type: ['integer', 'null'] }),
    'narrowed',
  ],
  ['a constant for a type', argument(text), argument({ const: 'a' }), 'narrowed'],
  ['one value of a boolean', argument({ type: 'boolean' }), argument({ const: true }), 'narrowed'],
  [
    'not the limit itself',
    argument({ type: 'number', minimum: 1 }),
    argument({ type: 'number', exclusiveMinimum: 1 }),
    'narrowed',
  ],
  [
    'an exclusive maximum of integers that narrows',
    argument({ type: 'integer', maximum: 10 }),
    argument({ type: 'integer', exclusiveMaximum: 10 }),
    'narrowed',
  ],
  [
    'twice the multiple',
    argument({ type: 'integer', multipleOf: 5 }),
    argument({ type: 'integer', multipleOf: 10 }),
    'narrowed',
  ],
  [
    'a part more',
    argument({ allOf: [{ pattern: 'a' }] }),
    argument({ allOf: [{ pattern: 'a' }, { pattern: 'b' }] }),
    'narrowed',
  ],
  [
    'a part that needs a member',
    argument({ allOf: [object({ a: text })] }),
    argument({ allOf: [object({ a: text }), { required: ['a'] }] }),
    'narrowed',
  ],
  [
    'one of several instead of any',
    argument({ anyOf: [{ minimum: 1 }, { maximum: 5 }] }),
    argument({ oneOf: [{ minimum: 1 }, { maximum: 5 }] }),
    'narrowed',
  ],
  ['a not', argument({}), argument({ not: { const: 1 } }), 'narrowed'],
  [
    'an element that must match',
    argument({ type: 'array' }),
    argument({ type: 'array', contains: text }),
    'narrowed',
  ],
  [
    'an element that must match more',
    argument({ type: 'array', contains: text }),
    argument({ type: 'array', contains: { ...text, minLength: 1 } }),
    'narrowed',
  ],
  [
    'a member of a pattern that narrows',
    argument({ type: 'object', patternProperties: { '^x': text } }),
    argument({ type: 'object', patternProperties: { '^x': { ...text, minLength: 1 } } }),
    'narrowed',
  ],
  [
    'a shorter tuple',
    argument({ type: 'array', prefixItems: [text, text], items: false }),
    argument({ type: 'array', prefixItems: [text], items: false }),
    'narrowed',
  ],
  [
    'narrower names',
    argument({ type: 'object', propertyNames: { maxLength: 9 } }),
    argument({ type: 'object', propertyNames: { maxLength: 5 } }),
    'narrowed',
  ],
  [
    'no further members in an alternative',
    argument(nullable(cat)),
    argument(nullable({ ...cat, additionalProperties: false })),
    'narrowed',
  ],
  [
    'a dependency more',
    object({ a: {}, b: {}, c: {} }, { dependentRequired: { a: ['b'] } }),
    object({ a: {}, b: {}, c: {} }, { dependentRequired: { a: ['b', 'c'] } }),
    'narrowed',
  ],
  [
    'a dependent schema that narrows',
    object({ a: {} }, { dependentSchemas: { a: { maxProperties: 5 } } }),
    object({ a: {} }, { dependentSchemas: { a: { maxProperties: 2 } } }),
    'narrowed',
  ],
  [
    'unique items in an alternative',
    argument(nullable({ type: 'array' })),
    argument(nullable({ type: 'array', uniqueItems: true })),
    'narrowed',
  ],
  ['a condition', argument({}), argument({ if: text, then: { minLength: 1 } }), 'narrowed'],
  [
    'an else',
    argument({ if: text, then: { minLength: 1 } }),
    argument({ if: text, then: { minLength: 1 }, else: { type: 'null' } }),
    'narrowed',
  ],
  ['never valid', argument(text), argument(false), 'narrowed'],

  // Both, or not decided.
  [
    'another type of an alternative',
    argument(nullable(text)),
    argument(nullable({ type: 'integer' })),
    'other',
  ],
  [
    'another discriminator',
    argument({ anyOf: [cat, dog] }),
    argument({ anyOf: [cat, object({ kind: { const: 'fox' } }, { required: ['kind'] })] }),
    'other',
  ],
  ['another value', argument({ enum: ['a', 'b'] }), argument({ enum: ['a', 'c'] }), 'other'],
  ['another pattern', argument({ ...text, pattern: '^a' }), argument({ ...text, pattern: '^b' }), 'changed'],
  ['another format', argument({ ...text, format: 'uri' }), argument({ ...text, format: 'email' }), 'changed'],
  [
    'another multiple',
    argument({ type: 'integer', multipleOf: 4 }),
    argument({ type: 'integer', multipleOf: 6 }),
    'changed',
  ],
  ['another not', argument({ not: text }), argument({ not: { type: 'number' } }), 'changed'],
  [
    'a reference inside of not',
    argument({ not: { $ref: '#/$defs/A' } }, { $defs: { A: dog } }),
    argument({ not: { $ref: '#/$defs/A' } }, { $defs: { A: dogNamed } }),
    'changed',
  ],
  [
    'another condition',
    argument({ if: text, then: { minLength: 1 } }),
    argument({ if: { type: 'number' }, then: { minLength: 1 } }),
    'changed',
  ],
  [
    'another alternative of a oneOf that overlap',
    argument({ oneOf: [{ minimum: 1 }, { maximum: 5 }] }),
    argument({ oneOf: [{ minimum: 3 }, { maximum: 5 }] }),
    'changed',
  ],
  [
    'another remote reference',
    argument({ $ref: 'https://a.test/x' }),
    argument({ $ref: 'https://a.test/y' }),
    'changed',
  ],
];

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
  test.each(pairs)('%s', (__, before, after, meaning) => {
    const [was, is] = [write(before), write(after)];
    const isHarmless = meaning === 'widened' || meaning === 'narrowed';
    const input = changesOf('inputSchema', was, is);
    const output = changesOf('outputSchema', was, is);
    const [ofInput, ofOutput] = expected[meaning];
    expect(worstOf(input.classes, isHarmless), input.texts.join()).toBe(ofInput);
    expect(worstOf(output.classes, isHarmless), output.texts.join()).toBe(ofOutput);
  });

  test.each(pairs.filter(([, , , meaning]) => meaning !== 'other'))(
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
  expect(pairs.length).toBeGreaterThanOrEqual(120);
  expect(new Set(pairs.map(([name]) => name)).size).toBe(pairs.length);
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
