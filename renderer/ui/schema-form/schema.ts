import { isObject } from '#shared/protocol/jsonrpc.ts';
import { pointerOf, pointerPath } from '#shared/json/pointer.ts';

/** An untrusted JSON Schema of a server. */
export type Schema = Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is Schema => isObject(value);

/** The schemas of a list such as `anyOf`; empty if it is not a list. */
export const schemasOf = (value: unknown): readonly Schema[] =>
  Array.isArray(value) ? value.filter(isSchema) : [];

/** The values of `type`, which may be a string or a list. */
export function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((name) => typeof name === 'string') : [];
}

/** Resolves a `$ref` within the document, by JSON Pointer, `$anchor` or `$id`; undefined for any other target. */
export function resolveRef(ref: unknown, root: Schema): Schema | undefined {
  if (typeof ref !== 'string') return undefined;
  if (/^#(?:\/|$)/.test(ref)) return partAt(decoded(ref.slice(1)), root);
  const pointer = namedParts(root).get(ref);
  return pointer === undefined ? undefined : partAt(pointer, root);
}

function partAt(pointer: string, root: Schema): Schema | undefined {
  let found: unknown = root;
  for (const key of pointerPath(pointer)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return isSchema(found) ? found : undefined;
}

/** Keywords that hold values, which may look like schemas. */
export const valueKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

const namesOfRoots = new WeakMap<Schema, ReadonlyMap<string, string>>();

/**
 * JSON pointers of the parts that a `$ref` can name, by the text of that `$ref`. Leaves out names that are used twice,
 * and parts with an `$id` whose own references would have to be resolved against it (JSON Schema 2020-12, 8.2).
 */
export function namedParts(root: Schema): ReadonlyMap<string, string> {
  const known = namesOfRoots.get(root);
  if (known !== undefined) return known;
  const found = new Map<string, string>();
  const twice = new Set<string>();
  const add = (name: string, path: readonly string[]) => {
    if (found.has(name)) twice.add(name);
    found.set(name, pointerOf(path));
  };
  const open: { part: unknown; path: readonly string[] }[] = [{ part: root, path: [] }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { part, path } = one;
    if (typeof part !== 'object' || part === null) continue;
    const { $anchor, $id }: Schema = isSchema(part) ? part : {};
    if (typeof $anchor === 'string') add(`#${$anchor}`, path);
    if (
      typeof $id === 'string' &&
      $id !== '#' &&
      (path.length === 0 || $id.startsWith('#') || !refers(part))
    ) {
      add($id, path);
    }
    for (const [key, inner] of Object.entries(part)) {
      if (!valueKeywords.has(key)) open.push({ part: inner, path: [...path, key] });
    }
  }
  for (const name of twice) found.delete(name);
  namesOfRoots.set(root, found);
  return found;
}

/** Whether a part holds a reference. */
const refers = (part: object): boolean => /"\$(?:dynamic|recursive)?[Rr]ef":/.test(JSON.stringify(part));

/** Percent-decodes text; unchanged if it is malformed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
