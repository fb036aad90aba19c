import { pointerOf } from './pointer.ts';
import { endOfString } from './tokens.ts';

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;

/** An object or array that is being read. */
interface Level {
  readonly isObject: boolean;
  /** Keys so far, as written. */
  readonly keys: string[];
  /** The keys so far as a set, if there are many. */
  known: Set<string> | null;
  /** The key or index of the value being read. */
  at: string | number;
}

/** Below this number of keys, a linear search is faster than a set. */
const MANY_KEYS = 16;

/**
 * Pointers (RFC 6901) to duplicate keys, in the order of the text, up to `most`.
 * The text must be valid JSON.
 */
export function duplicateKeys(text: string, most: number): string[] {
  const found: string[] = [];
  const levels: Level[] = [];
  let level: Level | undefined;
  let isKey = false;
  for (let offset = 0; offset < text.length; offset++) {
    switch (text.charCodeAt(offset)) {
      case QUOTE: {
        const end = endOfString(text, offset + 1) ?? text.length;
        if (isKey && level !== undefined) {
          const key = unescaped(text.slice(offset + 1, end - 1));
          level.at = key;
          if (isKnown(level, key)) {
            found.push(pointerOf(levels.map(({ at }) => at)));
            if (found.length >= most) return found;
          }
        }
        offset = end - 1;
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        level = { isObject: text.charCodeAt(offset) === 0x7b, keys: [], known: null, at: 0 };
        levels.push(level);
        isKey = level.isObject;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        levels.pop();
        level = levels.at(-1);
        isKey = false;
        break;
      case COLON:
        isKey = false;
        break;
      case COMMA:
        isKey = level?.isObject === true;
        if (level !== undefined && typeof level.at === 'number') level.at++;
        break;
    }
  }
  return found;
}

/** The same key can be written with and without escapes. */
const unescaped = (written: string): string =>
  written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;

/** Adds a key; returns whether the object already had it. */
function isKnown(level: Level, key: string): boolean {
  const { keys } = level;
  if (level.known === null && keys.length >= MANY_KEYS) level.known = new Set(keys);
  if (level.known?.has(key) ?? keys.includes(key)) return true;
  if (level.known === null) keys.push(key);
  else level.known.add(key);
  return false;
}
