import { elementTexts, memberTexts } from './members.ts';

/**
 * Whether two JSON texts mean the same: the order of members does not matter, that of elements does. Integers are
 * compared digit by digit, other numbers by value.
 */
export function isSameJson(one: string, other: string): boolean {
  const [a, b] = [one.trim(), other.trim()];
  if (a === b) return true;
  const kind = a.charAt(0);
  if (kind === '{' || kind === '[' ? b.charAt(0) !== kind : /^[{[]/.test(b)) return false;
  if (kind === '{') {
    const [left, right] = [memberTexts(a), memberTexts(b)];
    if (left.size !== right.size) return false;
    return [...left].every(([key, value]) => {
      const counterpart = right.get(key);
      return counterpart !== undefined && isSameJson(value, counterpart);
    });
  }
  if (kind === '[') {
    const [left, right] = [elementTexts(a), elementTexts(b)];
    return (
      left.length === right.length && left.every((value, index) => isSameJson(value, right[index] ?? ''))
    );
  }
  if (isInteger.test(a) && isInteger.test(b)) return BigInt(a) === BigInt(b);
  return Object.is(JSON.parse(a), JSON.parse(b));
}

const isInteger = /^-?\d+$/;
