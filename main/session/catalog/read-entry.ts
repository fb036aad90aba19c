import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { EntryKind, Unusable } from './entry-kinds.ts';

/**
 * Reads one entry of a list by itself, so that a bad one never hides the others.
 *
 * @param taken what identifies the entries before it; this one's is added
 */
export function readEntry<T, E>(
  kind: EntryKind<T, E>,
  value: unknown,
  raw: string,
  taken: Set<string>,
): E | Unusable {
  const key = stringIn(value, kind.key);
  const bad = (why: string): Unusable => ({
    usable: false,
    name: key ?? stringIn(value, 'name'),
    why,
    raw,
  });
  const parsed = kind.schema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'entry'}: ${message}`,
    );
    return bad(problems.join('; '));
  }
  const problem = kind.problemOf(parsed.data);
  if (problem !== null) return bad(problem);
  const duplicate = key !== null && taken.has(key);
  if (key !== null) taken.add(key);
  return kind.entry(parsed.data, duplicate, raw);
}

const stringIn = (value: unknown, member: string): string | null => {
  const found = isObject(value) ? value[member] : undefined;
  return typeof found === 'string' ? found : null;
};
