import type { z } from 'zod';
import { messageOf } from '#shared/contract/fault.ts';
import type { FileError } from '#shared/contract/saved-calls.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { rangeOf, treeOf } from '#shared/json/tree.ts';
import { isNestedDeeper } from '#shared/json/tokens.ts';

/** Nesting levels of a file that is read; no file of ours or of others needs as many. */
const DEEPEST = 500;

export type PlacedJson<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: FileError[] };

/** Parses the text of a JSON file by a schema. Every error names its line and column. */
export function readPlacedJson<T extends z.ZodType>(text: string, shape: T): PlacedJson<z.infer<T>> {
  if (isNestedDeeper(text, DEEPEST))
    return { ok: false, errors: [{ line: 1, column: 1, message: `nested deeper than ${DEEPEST} levels` }] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const [, offset] = /at position (\d+)/.exec(messageOf(error)) ?? [];
    const message = messageOf(error).replace(/ (?:in JSON )?at position \d+.*$/s, '');
    return {
      ok: false,
      errors: [{ ...placeIn(text, offset === undefined ? text.length : Number(offset)), message }],
    };
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const tree = treeOf(text);
  const errors = parsed.error.issues.map(({ path, message }) => {
    const range = rangeOf(tree, pointerOf(path));
    const name = path.map(String).join('.');
    return { ...placeIn(text, range?.start ?? 0), message: name === '' ? message : `${name}: ${message}` };
  });
  return { ok: false, errors };
}

/** Where a character of a text is, from 1. */
export function placeIn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}
