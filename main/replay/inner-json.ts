import { elementTexts, memberTexts } from '#shared/json/members.ts';
import { isNestedDeeper } from '#shared/json/tokens.ts';
import type { PathStep } from './compare/path-pattern.ts';

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

/** A JSON text in which each string and number is replaced, also inside strings that hold JSON; the rest stays as written. */
export function mapLeaves(
  text: string,
  path: readonly PathStep[],
  map: (value: string, path: readonly PathStep[]) => string,
): string {
  const trimmed = text.trim();
  const first = trimmed.charAt(0);
  if (path.length > DEEPEST) return text;
  if (first === '{') {
    const members = [...memberTexts(trimmed)];
    let isChanged = false;
    const mapped = members.map(([key, value]) => {
      const now = mapLeaves(value, [...path, key], map);
      isChanged ||= now !== value;
      return `${JSON.stringify(key)}:${now}`;
    });
    return isChanged ? `{${mapped.join(',')}}` : text;
  }
  if (first === '[') {
    const elements = elementTexts(trimmed);
    const mapped = elements.map((value, index) => mapLeaves(value, [...path, index], map));
    return mapped.some((value, index) => value !== elements[index]) ? `[${mapped.join(',')}]` : text;
  }
  if (first !== '"' && !/^-?\d/.test(first)) return text;
  const inner = innerJson(trimmed);
  if (inner === null) return map(trimmed, path);
  const now = mapLeaves(inner, path, map);
  return now === inner ? text : JSON.stringify(now);
}
