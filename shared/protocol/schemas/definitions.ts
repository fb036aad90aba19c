import { z } from 'zod';

/** A type of the protocol by its name, as the revision that is being built has it. */
export interface TypeOf {
  (name: string): z.ZodType;
  /** The schema of a definition that is a plain object, so that it can be extended. */
  object(name: string): z.ZodObject;
}

/**
 * How a revision defines a type. It names others through `type`, so that a later revision that redefines one of
 * them redefines this one too. `before` is the same type as the revision before would define it.
 */
export type Define = (type: TypeOf, before: () => z.ZodObject) => z.ZodType;

/** What the params and the result of a method are. A notification has no result. */
export interface MethodShape {
  readonly params: string;
  readonly result?: string;
}

/** What one revision changes: only the difference to the one before. */
export interface RevisionSchema {
  readonly types: Readonly<Record<string, Define>>;
  /** Types it no longer has. Older definitions that are still extended may go on naming them. */
  readonly removedTypes?: readonly string[];
  /** Methods whose params or result are of another type than before. */
  readonly shapes: Readonly<Record<string, MethodShape>>;
  /** What `data` of an error with this code is. */
  readonly errorData?: Readonly<Record<number, string>>;
  /** Codes whose `data` is not defined any more. */
  readonly retiredErrors?: readonly number[];
}

/** A revision, put together of its own changes and those of all before it. */
export interface BuiltSchema {
  readonly types: ReadonlyMap<string, z.ZodType>;
  readonly shapes: ReadonlyMap<string, MethodShape>;
  readonly errorData: ReadonlyMap<number, string>;
}

/** Puts a revision together from the changes of all revisions up to it, oldest first. */
export function buildSchema(upTo: readonly RevisionSchema[]): BuiltSchema {
  const definitions = new Map<string, Define[]>();
  const removed = new Set<string>();
  const shapes = new Map<string, MethodShape>();
  const errorData = new Map<number, string>();
  for (const revision of upTo) {
    for (const name of revision.removedTypes ?? []) removed.add(name);
    for (const code of revision.retiredErrors ?? []) errorData.delete(code);
    for (const [name, define] of Object.entries(revision.types)) {
      removed.delete(name);
      definitions.set(name, [...(definitions.get(name) ?? []), define]);
    }
    for (const [method, shape] of Object.entries(revision.shapes)) shapes.set(method, shape);
    for (const [code, name] of Object.entries(revision.errorData ?? {})) errorData.set(Number(code), name);
  }
  const types = buildTypes(definitions);
  for (const name of removed) types.delete(name);
  return { types, shapes, errorData };
}

function buildTypes(definitions: ReadonlyMap<string, readonly Define[]>): Map<string, z.ZodType> {
  const types = new Map<string, z.ZodType>();
  const byName = (name: string): z.ZodType => {
    const known = types.get(name);
    if (known !== undefined) return known;
    const built = build(name, definitions.get(name) ?? []);
    types.set(name, built);
    return built;
  };
  const typeOf: TypeOf = Object.assign(byName, { object: (name: string) => asObject(name, byName(name)) });
  const build = (name: string, steps: readonly Define[]): z.ZodType => {
    const define = steps.at(-1);
    if (define === undefined) throw new Error(`No revision defines the type ${name}.`);
    return define(typeOf, () => asObject(name, build(name, steps.slice(0, -1))));
  };
  for (const name of definitions.keys()) byName(name);
  return types;
}

function asObject(name: string, type: z.ZodType): z.ZodObject {
  if (type instanceof z.ZodObject) return type;
  throw new Error(`${name} is not an object, so it cannot be extended.`);
}

type Shape = Readonly<Record<string, z.ZodType>>;

/** Params of a request: what all of them have, and these. */
export const requestParams = (type: TypeOf, shape: Shape): z.ZodObject =>
  type.object('RequestParams').extend(shape);

/** Params of a notification: what all of them have, and these. */
export const notificationParams = (type: TypeOf, shape: Shape): z.ZodObject =>
  type.object('NotificationParams').extend(shape);

/** A result: what all of them have, and these. */
export const result = (type: TypeOf, shape: Shape): z.ZodObject => type.object('Result').extend(shape);

/** One of several objects that differ in the value of `key`; an unknown value is one fault, at that key. */
export function discriminatedBy(
  key: string,
  type: TypeOf,
  names: readonly [string, ...string[]],
): z.ZodDiscriminatedUnion<readonly [z.ZodObject, ...z.ZodObject[]]> {
  const [first, ...others] = names;
  return z.discriminatedUnion(key, [type.object(first), ...others.map((name) => type.object(name))]);
}
