const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;

/** An object or array that is being read. */
interface Level {
  readonly isObject: boolean;
  /** Keys so far, as they are written. */
  readonly keys: string[];
  /** The same in a set, once they are many. */
  known: Set<string> | null;
  /** The key, or the place, of the value that is being read. */
  at: string | number;
}

/** With fewer keys than this, looking through them is quicker than a set. */
const MANY_KEYS = 16;

/**
 * Pointers (RFC 6901) of keys that stand more than once in their object, in the order of the text, at most so many.
 * The text must be valid JSON.
 */
export function duplicateKeys(text: string, most: number): string[] {
  const found: string[] = [];
  const levels: Level[] = [];
  let level: Level | undefined;
  let isKey = false;
  for (let place = 0; place < text.length; place++) {
    switch (text.charCodeAt(place)) {
      case QUOTE: {
        const end = stringEnd(text, place);
        if (isKey && level !== undefined) {
          const key = keyIn(text, place, end);
          level.at = key;
          if (isKnown(level, key)) {
            found.push(pointerTo(levels));
            if (found.length >= most) return found;
          }
        }
        place = end;
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        level = { isObject: text.charCodeAt(place) === 0x7b, keys: [], known: null, at: 0 };
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

/** The place of the quote that ends the string. */
function stringEnd(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

function keyIn(text: string, quote: number, end: number): string {
  const written = text.slice(quote + 1, end);
  if (!written.includes('\\')) return written;
  // The same key can be written with an escape and without.
  return String(JSON.parse(text.slice(quote, end + 1)));
}

/** Whether the object has this key already; takes note of it. */
function isKnown(level: Level, key: string): boolean {
  const { keys } = level;
  if (level.known === null && keys.length >= MANY_KEYS) level.known = new Set(keys);
  if (level.known?.has(key) ?? keys.includes(key)) return true;
  if (level.known === null) keys.push(key);
  else level.known.add(key);
  return false;
}

const pointerTo = (levels: readonly Level[]): string =>
  levels.map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
