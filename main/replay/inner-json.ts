import { isNestedDeeper } from '#shared/json/tokens.ts';

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
