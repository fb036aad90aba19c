import { endOfString, skipSpace } from '#trace/units/json-scan.ts';
import { secretLabel } from './names.ts';

/** A name, or a value that holds no others, as it is written: of a string what stands between its quotes. */
export interface Leaf {
  readonly type: 'key' | 'string' | 'word';
  readonly start: number;
  readonly end: number;
  /** What kind of secret it is by the names it stands under; null when it is none by them. */
  readonly label: string | null;
  /** The text ends inside of it. */
  readonly isOpen: boolean;
}

interface Level {
  readonly isObject: boolean;
  /** What everything in it is by the names above it. */
  readonly label: string | null;
  /** Its members describe values and are none: properties of a JSON Schema. */
  readonly isDescription: boolean;
  /** The name came, its value is to come. */
  isValueNext: boolean;
  /** What the member is whose value comes next. */
  member: string | null;
  memberDescribes: boolean;
  /** The members of it that say which other member holds the value: `{"name": "Authorization", "value": …}`. */
  isNameNext: boolean;
  named: string | null;
}

/** Members whose own members are named like what they describe (JSON Schema, OpenAPI). */
const descriptions: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'securitySchemes',
]);
const names: ReadonlySet<string> = new Set(['name', 'key', 'header']);

/**
 * Walks JSON from one text to the next of a unit that comes in pieces, without parsing it, and tells its names and
 * values. What is no JSON in it is told in words.
 */
export class JsonWalk {
  #levels: Level[] = [];
  /** The last text ended inside a string, which is this. */
  #inside: { readonly type: 'key' | 'string'; readonly label: string | null } | null = null;

  /**
   * Tells what stands in the text.
   *
   * @param hasMore whether more text follows
   * @returns up to where the text is settled, unless it ends in a leaf that is open: what is left comes again with the
   * next text
   */
  walk(text: string, hasMore: boolean, tell: (leaf: Leaf) => void): number {
    let place = 0;
    if (this.#inside !== null) {
      const end = endOfContent(text, 0);
      tell({ ...this.#inside, start: 0, end: end ?? text.length, isOpen: end === null });
      if (end === null) return 0;
      this.#inside = null;
      place = end + 1;
    }
    while (place < text.length) {
      place = skipSpace(text, place);
      if (place >= text.length) break;
      const end = this.#step(text, place, hasMore, tell);
      if (end === null) return place;
      place = end;
    }
    return place;
  }

  /** The text was cut inside of the string it ended in. */
  cutInside(leaf: Leaf): void {
    if (leaf.type !== 'word') this.#inside = { type: leaf.type, label: leaf.label };
  }

  /** Where the next token begins; null when this one is not whole. */
  #step(text: string, place: number, hasMore: boolean, tell: (leaf: Leaf) => void): number | null {
    switch (text.charAt(place)) {
      case '{':
      case '[':
        this.#open(text.charAt(place) === '{');
        return place + 1;
      case '}':
      case ']':
        this.#levels.pop();
        return place + 1;
      case ',':
        this.#nextMember();
        return place + 1;
      case ':':
        return place + 1;
      case '"':
        return this.#string(text, place, hasMore, tell);
      default:
        return this.#word(text, place, hasMore, tell);
    }
  }

  #open(isObject: boolean): void {
    const above = this.#levels.at(-1);
    const label = above === undefined ? null : isObject && above.isDescription ? null : labelIn(above);
    this.#levels.push({
      isObject,
      label,
      isDescription: isObject && (above?.memberDescribes ?? false),
      isValueNext: false,
      member: null,
      memberDescribes: false,
      isNameNext: false,
      named: null,
    });
  }

  #nextMember(): void {
    const level = this.#levels.at(-1);
    if (level === undefined) return;
    level.isValueNext = false;
    level.member = null;
    level.memberDescribes = false;
    level.isNameNext = false;
  }

  #string(text: string, quote: number, hasMore: boolean, tell: (leaf: Leaf) => void): number | null {
    const level = this.#levels.at(-1);
    const isKey = level !== undefined && level.isObject && !level.isValueNext;
    const end = endOfString(text, quote);
    const leaf: Leaf = {
      type: isKey ? 'key' : 'string',
      start: quote + 1,
      end: end === null ? text.length : end - 1,
      label: isKey ? null : level === undefined ? null : labelIn(level),
      isOpen: end === null,
    };
    tell(leaf);
    if (end === null) return hasMore ? null : text.length;
    if (isKey) this.#key(level, text.slice(quote + 1, end - 1));
    else if (level?.isNameNext) level.named = secretLabel(meantBy(text.slice(quote + 1, end - 1)));
    return end;
  }

  #key(level: Level, written: string): void {
    const name = meantBy(written);
    level.isValueNext = true;
    level.member = name === 'value' ? level.named : secretLabel(name);
    level.memberDescribes = descriptions.has(name);
    level.isNameNext = names.has(name);
  }

  #word(text: string, place: number, hasMore: boolean, tell: (leaf: Leaf) => void): number | null {
    WORD.lastIndex = place;
    WORD.exec(text);
    const end = Math.max(WORD.lastIndex, place + 1);
    const isCut = end === text.length && hasMore && end - place < LONGEST_WORD;
    if (isCut) return null;
    const level = this.#levels.at(-1);
    tell({ type: 'word', start: place, end, label: level ? labelIn(level) : null, isOpen: false });
    return end;
  }
}

const labelIn = (level: Level): string | null => level.label ?? level.member;

const WORD = /[^\s,:[\]{}"]+/y;
const LONGEST_WORD = 1024;

/** Where the content of a string ends that has begun already; null when it goes on. */
function endOfContent(text: string, from: number): number | null {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let first = quote;
    while (first > from && text.charAt(first - 1) === '\\') first--;
    if ((quote - first) % 2 === 0) return quote;
  }
  return null;
}

/** A name as it is meant: some write its letters as escapes. */
function meantBy(written: string): string {
  if (!written.includes('\\')) return written;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    // It is no JSON, and means itself.
    return written;
  }
}
