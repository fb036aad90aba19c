import { z } from 'zod';
import { isObject } from '../jsonrpc.ts';

export const text = z.string();
export const flag = z.boolean();
export const number = z.number();
/** Whole, and however large: `z.int()` would stop at 2^53. */
export const integer = z.number().multipleOf(1);
/** From 0 to 1, both included. */
export const fraction = z.number().min(0).max(1);
/** A request id or a progress token. */
export const textOrInteger = z.union([text, integer]);
export const texts = z.array(text);

/** An object of which nothing is known; also the value of most capabilities. */
export const anyObject = z.looseObject({});
/** Whatever JSON has, as long as it is there. */
export const anything = z.unknown();
export const objectsByKey = z.record(text, anyObject);
export const textsByKey = z.record(text, text);

/** Why a value is none of the alternatives: a key without one of the values that tell them apart, or none at all. */
export type NoChoice = { readonly key: string; readonly expected: string[] } | { readonly message: string };

const alternatives = new WeakMap<z.ZodType, readonly z.ZodType[]>();

/** The alternatives of a type that {@link chosen} made; null for any other type. */
export function alternativesOf(type: z.ZodType): readonly z.ZodType[] | null {
  return alternatives.get(type) ?? null;
}

/**
 * One of several types, told apart by looking at the value, so that a fault is named where it is and not as
 * "fits none of them". For what one key can tell apart, `z.discriminatedUnion` does the same.
 */
export function chosen(
  options: readonly z.ZodType[],
  choose: (value: unknown) => z.ZodType | NoChoice,
): z.ZodType {
  const type = z.unknown().check((context) => {
    const { value, issues } = context;
    const choice = choose(value);
    if ('key' in choice) {
      issues.push({ code: 'invalid_value', values: choice.expected, path: [choice.key], input: value });
      return;
    }
    if ('message' in choice) {
      issues.push({ code: 'custom', message: choice.message, input: value });
      return;
    }
    // As zod runs a type inside another one, so that the faults keep their place in the whole value.
    const outcome = choice._zod.run({ value, issues: [] }, { async: false });
    if (outcome instanceof Promise) throw new Error('A type of the protocol never waits.');
    issues.push(...outcome.issues);
  });
  alternatives.set(type, options);
  return type;
}

/** One of several objects; `choose` sees only objects. */
export function chosenObject(
  options: readonly z.ZodType[],
  choose: (value: Readonly<Record<string, unknown>>) => z.ZodType | NoChoice,
): z.ZodType {
  return chosen(options, (value) => (isObject(value) ? choose(value) : anyObject));
}

/** One or a list of them. */
export function oneOrMore(type: z.ZodType): z.ZodType {
  const list = z.array(type);
  return chosen([type, list], (value) => (Array.isArray(value) ? list : type));
}
