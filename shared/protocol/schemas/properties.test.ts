import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { revisions } from '../revisions.ts';
import { schemaTypes } from './index.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { alternativesOf, memberOf, errorsOf } from './kit.ts';

type Path = readonly (string | number)[];

/** One way to spoil a value at one place: take a key out of it, or put something wrong there. */
interface Fault {
  readonly path: Path;
  readonly put?: unknown;
}

/** A valid value of a type, with every fault that can be put into it. */
interface Sample {
  readonly value: unknown;
  readonly faults: readonly Fault[];
}

const nonsense = 'no such value';

const leaf = (values: fc.Arbitrary<unknown>, ...wrong: unknown[]): fc.Arbitrary<Sample> =>
  values.map((value) => ({ value, faults: wrong.map((put) => ({ path: [], put })) }));

const within = (key: string | number, { faults }: Sample): Fault[] =>
  faults.map((fault) => ({ ...fault, path: [key, ...fault.path] }));

const key = fc.string({ maxLength: 8 }).filter((name) => name !== '__proto__');

function ofNumber(type: z.ZodNumber): fc.Arbitrary<Sample> {
  const limits: Record<string, number> = {};
  for (const check of type._zod.def.checks ?? []) {
    const { check: kind, value } = check._zod.def as unknown as { check: string; value: number };
    limits[kind] = value;
  }
  const { greater_than: min, less_than: max, multiple_of: step } = limits;
  const range = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  const wrong: unknown[] = ['1', null];
  if (min !== undefined) wrong.push(min - 1);
  if (max !== undefined) wrong.push(max + 1);
  if (step === 1) return leaf(fc.integer(range), ...wrong, 1.5);
  return leaf(fc.double({ ...range, noNaN: true, noDefaultInfinity: true }), ...wrong);
}

function ofObject(type: z.ZodObject): fc.Arbitrary<Sample> {
  const shape: Record<string, z.ZodType> = type.shape;
  const fields = Object.entries(shape).map(([name, field]) => {
    const isOptional = field instanceof z.ZodOptional;
    const inner = isOptional ? (field.unwrap() as z.ZodType) : field;
    return fc.tuple(fc.constant(name), fc.constant(isOptional), sampleOf(inner), fc.boolean());
  });
  // Every object is open, so a valid one may have keys that nobody knows.
  const unknown = fc.dictionary(
    key.map((name) => `x-${name}`),
    fc.jsonValue({ maxDepth: 1 }),
    { maxKeys: 1 },
  );
  return fc.tuple(fc.tuple(...fields), unknown).map(([present, more]) => {
    const value: Record<string, unknown> = { ...more };
    const faults: Fault[] = [
      { path: [], put: nonsense },
      { path: [], put: [] },
    ];
    for (const [name, isOptional, sample, isThere] of present) {
      if (isOptional && !isThere) continue;
      value[name] = sample.value;
      if (!isOptional) faults.push({ path: [name] });
      faults.push(...within(name, sample));
    }
    return { value, faults };
  });
}

/**
 * Keys by which alternatives are told apart. A fault there makes another alternative of the value, so that other
 * faults follow; which one is chosen is in schemas.test.ts.
 */
const deciding = new Set(
  'text blob mode enum enumNames oneOf items task content role action roots model resultType inputRequests requestState'.split(
    ' ',
  ),
);

function decides({ path: [name, ...below], put }: Fault): boolean {
  // An object put where an object or a list was may be the other alternative.
  if (name === undefined) return put !== nonsense;
  if (typeof name === 'number' || !deciding.has(name)) return false;
  if (below.length > 0) return name === 'items' && below.length === 1;
  // Of these two a value that nobody knows is told as such.
  return !(put === nonsense && (name === 'mode' || name === 'resultType'));
}

const ofAlternatives = (options: readonly z.ZodType[]): fc.Arbitrary<Sample> =>
  fc.oneof(...options.map(sampleOf)).map(({ value, faults }) => ({
    value,
    faults: faults.filter((fault) => !decides(fault)),
  }));

const samples = new WeakMap<z.ZodType, fc.Arbitrary<Sample>>();

function sampleOf(type: z.ZodType): fc.Arbitrary<Sample> {
  const known = samples.get(type);
  if (known !== undefined) return known;
  const made = derive(type);
  samples.set(type, made);
  return made;
}

/** Reads off a type what its values are. */
function derive(type: z.ZodType): fc.Arbitrary<Sample> {
  const options = alternativesOf(type);
  if (options !== null) return ofAlternatives(options);
  if (type instanceof z.ZodObject) return ofObject(type);
  if (type instanceof z.ZodNumber) return ofNumber(type);
  if (type instanceof z.ZodString) return leaf(fc.string({ unit: 'grapheme', maxLength: 5 }), 7, null, {});
  if (type instanceof z.ZodBoolean) return leaf(fc.boolean(), 'true', null);
  if (type instanceof z.ZodLiteral) return leaf(fc.constantFrom(...type.values), nonsense, null);
  if (type instanceof z.ZodEnum) return leaf(fc.constantFrom(...type.options), nonsense, 3);
  if (type instanceof z.ZodUnknown) return leaf(fc.jsonValue({ maxDepth: 2 }));
  if (type instanceof z.ZodNullable) {
    const inner = sampleOf(type.unwrap() as z.ZodType);
    const orNull = fc.oneof(inner, fc.constant<Sample>({ value: null, faults: [] }));
    return orNull.map(({ value, faults }) => ({ value, faults: faults.filter(({ put }) => put !== null) }));
  }
  if (type instanceof z.ZodArray) {
    return fc
      .array(sampleOf(memberOf(type) ?? (type.element as z.ZodType)), { maxLength: 2 })
      .map((items) => ({
        value: items.map(({ value }) => value),
        faults: [{ path: [], put: {} }, ...items.flatMap((item, index) => within(index, item))],
      }));
  }
  if (type instanceof z.ZodRecord) {
    return fc
      .dictionary(key, sampleOf(memberOf(type) ?? (type.valueType as z.ZodType)), { maxKeys: 2 })
      .map((entries) => ({
        value: Object.fromEntries(Object.entries(entries).map(([name, { value }]) => [name, value])),
        faults: [
          { path: [], put: [] },
          ...Object.entries(entries).flatMap(([name, entry]) => within(name, entry)),
        ],
      }));
  }
  if (type instanceof z.ZodUnion) {
    const members = type.options as z.ZodType[];
    const isOfObjects = members.every((member) => member instanceof z.ZodObject);
    if (isOfObjects) return fc.oneof(...members.map(sampleOf));
    return fc
      .oneof(...members.map(sampleOf))
      .map(({ value }) => ({ value, faults: [{ path: [], put: null }] }));
  }
  throw new Error(`No values are known for a ${type.type}.`);
}

function spoil(value: unknown, { path, put }: Fault): unknown {
  if (path.length === 0) return put;
  const spoiled = structuredClone(value);
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((at, name) => Reflect.get(at as object, name), spoiled) as object;
  const last = path.at(-1)!;
  if (put === undefined) Reflect.deleteProperty(holder, last);
  else Object.assign(holder, { [last]: put });
  return spoiled;
}

describe.each(revisions.map(({ id }) => id))('of %s', (revision) => {
  test.each([...schemaTypes(revision)])('%s is told from what is not it', (_, type) => {
    let spoiled = 0;
    fc.assert(
      fc.property(sampleOf(type), fc.infiniteStream(fc.nat()), ({ value, faults }, dice) => {
        expect(errorsOf(type, value)).toEqual([]);
        for (let turn = 0; turn < Math.min(4, faults.length); turn++) {
          const fault = faults.at(dice.next().value % faults.length);
          if (fault === undefined) continue;
          const errors = errorsOf(type, spoil(value, fault));
          expect(errors.map(({ pointer }) => pointer)).toEqual([pointerOf(fault.path)]);
          spoiled++;
        }
      }),
      { numRuns: 15 },
    );
    expect(spoiled).toBeGreaterThan(0);
  });
});
