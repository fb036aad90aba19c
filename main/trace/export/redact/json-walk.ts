import { endOfString, endOfWord, skipSpace } from '#shared/json/tokens.ts';
import { isUserAndPassword, optionLabel, secretLabel, USER_OPTION } from './names.ts';

/** A name or a primitive value as written, without the quotes of a string. */
export interface Leaf {
  readonly type: 'key' | 'string' | 'word';
  readonly start: number;
  readonly end: number;
  /** The kind of secret by the names above it; null if they name none. */
  readonly label: string | null;
  /** Whether the text ends inside it. */
  readonly isOpen: boolean;
  /** Set if the string was reported before, when its name was not known yet. */
  readonly isAgain?: true;
}

interface Level {
  readonly isObject: boolean;
  /** The kind of secret of everything in it, by the names above it. */
  readonly label: string | null;
  /** Whether its members describe values, as the properties of a JSON Schema do. */
  readonly isDescription: boolean;
  /** Whether the next token is the value of a member. */
  isValueNext: boolean;
  /** The kind of secret of the next value. */
  member: string | null;
  memberDescribes: boolean;
  /** Whether the next value is a name that says what the member `value` is: `{"name": "Authorization", "value": …}`. */
  isNameNext: boolean;
  /** The kind of secret that this name gives the member `value`; null if it gives none. */
  named: string | null;
  /** The leaves of its `value` until its name is known: `{"value": …, "name": "API_KEY"}`. */
  readonly unnamed: Leaf[];
  isNamed: boolean;
  /** Whether its `value` is being walked and its name is not known yet. */
  isUnnamed: boolean;
}

/** The start of a value whose name follows later, and the state there, to walk it once more. */
interface Return {
  readonly offset: number;
  readonly depth: number;
  readonly level: Level;
}

/** Members whose own members have the names of what they describe (JSON Schema, OpenAPI). */
const descriptions: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'securitySchemes',
]);
const names: ReadonlySet<string> = new Set(['name', 'key', 'header']);
/** Max leaves of one value that are kept until its name is known. */
const MAX_UNNAMED_SIZE = 1000;
/** Max characters that are held back until a name is known. */
const MAX_UNNAMED = 64 * 1024;

/**
 * Walks over the JSON of a unit that comes in pieces, without parsing it, and reports its names and
 * values. Parts that are not JSON are walked word by word.
 */
export class JsonWalk {
  #levels: Level[] = [];
  /** The string in which the last text ended. */
  #inside: { readonly type: 'key' | 'string'; readonly label: string | null } | null = null;
  /** The outermost object whose `value` waits for its name. */
  #return: Return | null = null;
  /** The object that holds it, as long as it has not ended. */
  #waiting: Level | null = null;

  /**
   * Reports the leaves of the text.
   *
   * @param hasMore whether more text follows
   * @returns the position up to which the text is processed, unless it ends in an open leaf: the rest comes again with
   *   the next text
   */
  walk(text: string, hasMore: boolean, report: (leaf: Leaf) => void): number {
    let offset = 0;
    if (this.#inside !== null) {
      const end = endOfString(text, 0);
      report({ ...this.#inside, start: 0, end: end === null ? text.length : end - 1, isOpen: end === null });
      if (end === null) return 0;
      this.#inside = null;
      offset = end;
    }
    const top = this.#levels.at(-1);
    // The text begins with the value that waits for its name.
    this.#return = top !== undefined && top === this.#waiting ? this.#returnTo(0, top) : null;
    while (offset < text.length) {
      offset = skipSpace(text, offset);
      if (offset >= text.length) break;
      const end = this.#step(text, offset, hasMore, report);
      if (end === null) return hasMore ? this.#backToUnnamed(text, offset) : offset;
      offset = end;
    }
    return hasMore ? this.#backToUnnamed(text, offset) : offset;
  }

  /** A value that waits for its name comes again with the next text; a long one is processed without its name. */
  #backToUnnamed(text: string, offset: number): number {
    const back = this.#return;
    if (back !== null && text.length - back.offset <= MAX_UNNAMED) {
      this.#levels.length = back.depth - 1;
      this.#levels.push(back.level);
      this.#waiting = back.level;
      return back.offset;
    }
    // Positions in this text are not valid in the next one.
    for (const level of this.#levels) {
      level.unnamed.length = 0;
      level.isUnnamed = false;
    }
    this.#waiting = null;
    return offset;
  }

  #returnTo(offset: number, level: Level): Return {
    return { offset, depth: this.#levels.length, level: { ...level, unnamed: [] } };
  }

  /** Notes that the text was cut inside its last string. */
  cutInside(leaf: Leaf): void {
    if (leaf.type !== 'word') this.#inside = { type: leaf.type, label: leaf.label };
  }

  /** Where the next token begins; null when this one is not whole. */
  #step(text: string, offset: number, hasMore: boolean, report: (leaf: Leaf) => void): number | null {
    switch (text.charAt(offset)) {
      case '{':
      case '[':
        this.#open(text.charAt(offset) === '{');
        return offset + 1;
      case '}':
      case ']':
        if (this.#levels.pop() === this.#waiting) this.#waiting = null;
        if ((this.#return?.depth ?? 0) > this.#levels.length) this.#return = null;
        return offset + 1;
      case ',':
        this.#nextMember();
        return offset + 1;
      case ':':
        return offset + 1;
      case '"':
        return this.#string(text, offset, hasMore, report);
      default:
        return this.#word(text, offset, hasMore, report);
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
      unnamed: [],
      isNamed: false,
      isUnnamed: false,
    });
  }

  #nextMember(): void {
    const level = this.#levels.at(-1);
    if (level === undefined) return;
    level.isValueNext = false;
    // In a list of arguments, the value of an option is the next element.
    if (!level.isObject) {
      level.member = level.named;
      level.named = null;
      return;
    }
    level.member = null;
    level.memberDescribes = false;
    level.isNameNext = false;
    level.isUnnamed = false;
    if (this.#waiting === level) this.#waiting = null;
  }

  #string(text: string, quote: number, hasMore: boolean, report: (leaf: Leaf) => void): number | null {
    const level = this.#levels.at(-1);
    const isKey = level !== undefined && level.isObject && !level.isValueNext;
    const end = endOfString(text, quote + 1);
    const leaf: Leaf = {
      type: isKey ? 'key' : 'string',
      start: quote + 1,
      end: end === null ? text.length : end - 1,
      label:
        isKey || level === undefined
          ? null
          : labelOfString(level, text, quote + 1, end === null ? text.length : end - 1),
      isOpen: end === null,
    };
    this.#report(leaf, report);
    if (end === null) return hasMore ? null : text.length;
    const written = () => meantBy(text.slice(quote + 1, end - 1));
    if (isKey) this.#key(level, text.slice(quote + 1, end - 1), end);
    else if (level?.isNameNext) this.#name(level, secretLabel(written()), report);
    else if (level?.isObject === false && end - quote < MAX_OPTION && text.charAt(quote + 1) === '-') {
      level.named = optionLabel(written());
    }
    return end;
  }

  /** The name of a value that came, or is to come. */
  #name(level: Level, label: string | null, report: (leaf: Leaf) => void): void {
    level.named = label;
    level.isNamed = true;
    if (label !== null) for (const leaf of level.unnamed) report({ ...leaf, label, isAgain: true });
    level.unnamed.length = 0;
    if (this.#return?.depth === this.#levels.length) this.#return = null;
  }

  #report(leaf: Leaf, report: (leaf: Leaf) => void): void {
    report(leaf);
    if (leaf.label !== null || leaf.type === 'key') return;
    const level = this.#levels.at(-1);
    if (level?.isUnnamed) keep(level, leaf);
    if (this.#waiting !== null && this.#waiting !== level) keep(this.#waiting, leaf);
  }

  #key(level: Level, written: string, end: number): void {
    const name = meantBy(written);
    level.isValueNext = true;
    level.member = name === 'value' ? level.named : secretLabel(name);
    level.memberDescribes = descriptions.has(name);
    level.isNameNext = names.has(name);
    if (name !== 'value' || level.isNamed) return;
    level.isUnnamed = true;
    this.#waiting ??= level;
    this.#return ??= this.#returnTo(end, level);
  }

  #word(text: string, offset: number, hasMore: boolean, report: (leaf: Leaf) => void): number | null {
    const end = Math.max(endOfWord(text, offset), offset + 1);
    const isCut = end === text.length && hasMore && end - offset < MAX_WORD;
    if (isCut) return null;
    const level = this.#levels.at(-1);
    this.#report(
      { type: 'word', start: offset, end, label: level ? labelIn(level) : null, isOpen: false },
      report,
    );
    return end;
  }
}

function keep({ unnamed }: Level, leaf: Leaf): void {
  if (unnamed.length < MAX_UNNAMED_SIZE) unnamed.push(leaf);
}

/** In a list of arguments, the value after an option belongs to it, unless it is an option too. */
function labelOfString(level: Level, text: string, start: number, end: number): string | null {
  if (level.isObject || level.member === null) return labelIn(level);
  if (text.startsWith('--', start)) return level.label;
  const isOfUser = level.member === USER_OPTION;
  return isOfUser && !isUserAndPassword(text.slice(start, Math.min(end, start + MAX_OPTION)))
    ? level.label
    : labelIn(level);
}

const MAX_OPTION = 256;

const labelIn = (level: Level): string | null => level.label ?? level.member;

const MAX_WORD = 1024;

/** A decoded name: some servers escape its letters. */
function meantBy(written: string): string {
  if (!written.includes('\\')) return written;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    // Not valid JSON, so there is nothing to decode.
    return written;
  }
}
