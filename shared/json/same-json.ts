import { tokensOf } from './tokens.ts';

/**
 * Whether two JSON texts mean the same: the order of members does not matter, that of elements does. Integers are
 * compared digit by digit, other numbers by value. Takes time in proportion to the texts, however deep they are nested.
 */
export function isSameJson(one: string, other: string): boolean {
  const [a, b] = [one.trim(), other.trim()];
  if (a === b) return true;
  if (kindOf(a) !== kindOf(b)) return false;
  const waiting: [Value, Value][] = [[valueOf(a), valueOf(b)]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const [left, right] = pair;
    if (typeof left === 'string' || typeof right === 'string') {
      if (typeof left !== 'string' || typeof right !== 'string' || !isSameLeaf(left, right)) return false;
    } else if (Array.isArray(left) || Array.isArray(right)) {
      if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
      for (const [index, value] of left.entries()) waiting.push([value, right[index] ?? '']);
    } else {
      if (left.size !== right.size) return false;
      for (const [key, value] of left) {
        const counterpart = right.get(key);
        if (counterpart === undefined) return false;
        waiting.push([value, counterpart]);
      }
    }
  }
  return true;
}

/** A leaf as it was written, or an array or object of values; of duplicate keys the last, as in JSON. */
type Value = string | Value[] | Map<string, Value>;

const kindOf = (text: string): string => (/^[{["]/.exec(text) ?? ['word'])[0];

function valueOf(text: string): Value {
  let root: Value = '';
  const open: { readonly value: Exclude<Value, string>; key: string | null }[] = [];
  const put = (value: Value): void => {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else if (Array.isArray(parent.value)) parent.value.push(value);
    else if (parent.key !== null) {
      parent.value.set(parent.key, value);
      parent.key = null;
    }
  };
  for (const { kind, start, end } of tokensOf(text)) {
    if (kind === ',' || kind === ':') continue;
    const parent = open.at(-1);
    if (kind === '}' || kind === ']') open.pop();
    else if (kind === '{' || kind === '[') {
      const value: Exclude<Value, string> = kind === '{' ? new Map<string, Value>() : [];
      put(value);
      open.push({ value, key: null });
    } else {
      const written = text.slice(start, end);
      if (parent !== undefined && !Array.isArray(parent.value) && parent.key === null)
        parent.key = String(JSON.parse(written));
      else put(written);
    }
  }
  return root;
}

function isSameLeaf(one: string, other: string): boolean {
  if (one === other) return true;
  // Of integers, only zero can be written in two ways.
  if (isInteger.test(one) && isInteger.test(other)) return isZero(one) && isZero(other);
  return Object.is(JSON.parse(one), JSON.parse(other));
}

const isInteger = /^-?\d+$/;
const isZero = (integer: string): boolean => integer === '0' || integer === '-0';
