import { elementTexts, memberTexts } from './members.ts';
import { textAtPath } from './path.ts';
import { isNestedDeeper } from './tokens.ts';

/** Nesting levels that are walked; deeper values are taken as a whole. */
export const DEEPEST = 200;

/**
 * The JSON object or array that a string holds, such as the text of a content block; null if it holds none.
 *
 * @param text JSON text of any value
 */
export function innerJson(text: string): string | null {
  if (!/^"\s*(?:\\[nrt]\s*)*[{[]/.test(text)) return null;
  const inner: unknown = JSON.parse(text);
  if (typeof inner !== 'string' || isNestedDeeper(inner, DEEPEST)) return null;
  try {
    JSON.parse(inner);
    return inner.trim();
  } catch {
    // It only begins like JSON.
    return null;
  }
}

/** The text of the value at a path, which may go on inside strings that hold JSON; null if it does not exist. */
export function textInside(text: string, path: readonly (string | number)[]): string | null {
  let found: string | null = text;
  for (const step of path) {
    if (found === null) return null;
    found = textAtPath(innerJson(found) ?? found, [step]);
  }
  return found;
}

/**
 * A JSON text in which each string and number is replaced, also inside strings that hold JSON; the rest stays as written.
 *
 * @param map gets a JSON text, its path, and whether it is inside a string that holds JSON
 */
export function mapLeaves(
  text: string,
  map: (value: string, path: readonly (string | number)[], isInner: boolean) => string,
  path: readonly (string | number)[] = [],
  isInner = false,
): string {
  const trimmed = text.trim();
  const first = trimmed.charAt(0);
  if (path.length > DEEPEST) return text;
  if (first === '{') {
    const members = [...memberTexts(trimmed)];
    let isChanged = false;
    const mapped = members.map(([key, value]) => {
      const now = mapLeaves(value, map, [...path, key], isInner);
      isChanged ||= now !== value;
      return `${JSON.stringify(key)}:${now}`;
    });
    return isChanged ? `{${mapped.join(',')}}` : text;
  }
  if (first === '[') {
    const elements = elementTexts(trimmed);
    const mapped = elements.map((value, index) => mapLeaves(value, map, [...path, index], isInner));
    return mapped.some((value, index) => value !== elements[index]) ? `[${mapped.join(',')}]` : text;
  }
  if (first !== '"' && !/^-?\d/.test(first)) return text;
  const inner = innerJson(trimmed);
  if (inner === null) return map(trimmed, path, isInner);
  const now = mapLeaves(inner, map, path, true);
  return now === inner ? text : JSON.stringify(now);
}
