import { isObject } from '#shared/protocol/jsonrpc.ts';
import { pointerPath } from '#shared/json/pointer.ts';

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

/** Resolves a `$ref` by a JSON Pointer within the document; undefined for any other target, such as an anchor. */
export function resolveRef(ref: unknown, root: Schema): Schema | undefined {
  if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined;
  let found: unknown = root;
  for (const key of pointerPath(decoded(ref.slice(1)))) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return isSchema(found) ? found : undefined;
}

/** Percent-decodes text; unchanged if it is malformed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
