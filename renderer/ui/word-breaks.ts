const UNDERSCORE = 0x5f;
const HYPHEN = 0x2d;

/** Whether a name may break between these character codes: after `_` and `-`, and before a capital, as in `schemaVersion`. */
export const endsWord = (before: number, after: number): boolean =>
  before === UNDERSCORE || before === HYPHEN || (isCapital(after) && !isCapital(before) && before > 0x2f);

const isCapital = (code: number): boolean => code >= 0x41 && code <= 0x5a;

/** Shorter names fit everywhere. */
const LONG_NAME = 12;

/** A name in parts that each fit a line; also breaks after `/` and `.`, as in `io.example/name`. */
export function wordsOf(name: string): string[] {
  if (name.length <= LONG_NAME) return [name];
  const words: string[] = [];
  let from = 0;
  for (let at = 1; at < name.length; at++) {
    const before = name.charCodeAt(at - 1);
    if (!endsWord(before, name.charCodeAt(at)) && !ENDS.has(before)) continue;
    words.push(name.slice(from, at));
    from = at;
  }
  words.push(name.slice(from));
  return words;
}

const ENDS: ReadonlySet<number> = new Set([...'./:'].map((character) => character.charCodeAt(0)));
