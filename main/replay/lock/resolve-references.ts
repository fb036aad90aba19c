import { Budget, OverBudget, withinBudget } from '#shared/budget.ts';
import { annotationKeywords, namedKeywords, valueKeywords } from '#shared/json-schema/schema.ts';
import { elementTexts, memberTexts } from '#shared/json/members.ts';
import { textAtPath } from '#shared/json/path.ts';
import { pointerPath } from '#shared/json/pointer.ts';
import { isNestedDeeper } from '#shared/json/tokens.ts';

/** Nesting levels that are walked; a deeper schema stays as it is. */
const DEEPEST = 200;
/** Characters that references may add to a schema: a few of them can stand for any number of copies. */
const MAX_ADDED = 1024 * 1024;

/** What resolving the references of a schema may take; a schema that takes more keeps all of them. */
const LIMIT = { steps: 200_000, characters: 100_000_000 };

/** Keywords that allow or forbid nothing by themselves. */
const harmlessKeywords: ReadonlySet<string> = new Set([
  ...annotationKeywords,
  '$schema',
  '$defs',
  'definitions',
  '$comment',
]);

/**
 * A JSON Schema with each local `$ref` replaced by what it points to, and without the definitions that nothing refers to any
 * more. A recursive reference, one to elsewhere, and those beyond a limit of size stay.
 *
 * @param schema JSON text
 */
export function withoutReferences(schema: string): string {
  if (!schema.includes('"$ref"') || isNestedDeeper(schema, DEEPEST)) return schema;
  const walk = new Walk(schema, new Budget(LIMIT));
  const resolved = withinBudget(() => walk.schema(schema, []));
  if (resolved instanceof OverBudget) return schema;
  if (walk.hasReferences) return resolved;
  const members = [...memberTexts(resolved)].filter(([name]) => name !== '$defs' && name !== 'definitions');
  return written(members);
}

class Walk {
  /** Whether a reference stayed. */
  hasReferences = false;
  readonly #root: string;
  readonly #budget: Budget;
  /** What pointers lead to: one may be followed thousands of times. */
  readonly #targets = new Map<string, string | null>();
  #added = 0;

  constructor(root: string, budget: Budget) {
    this.#root = root;
    this.#budget = budget;
  }

  /** @param within the references that led here */
  schema(text: string, within: readonly string[]): string {
    const trimmed = text.trim();
    this.#budget.take(1, trimmed.length);
    if (trimmed.startsWith('[')) {
      return `[${elementTexts(trimmed)
        .map((element) => this.schema(element, within))
        .join(',')}]`;
    }
    if (!trimmed.startsWith('{')) return trimmed;
    const members = memberTexts(trimmed);
    const target = this.#targetOf(members.get('$ref'), within);
    const own = [...members]
      .filter(([name]) => name !== '$ref' || target === null)
      .map(([name, value]) => [name, this.#value(name, value, within)] as const);
    if (target === null) return written(own);
    const inner = this.schema(target.text, [...within, target.ref]);
    if (own.length === 0) return inner;
    if (!inner.startsWith('{') || own.some(([name]) => !harmlessKeywords.has(name)))
      return written([['allOf', `[${inner}]`], ...own]);
    return written([...memberTexts(inner), ...own]);
  }

  #value(keyword: string, value: string, within: readonly string[]): string {
    if (valueKeywords.has(keyword)) return value;
    if (!namedKeywords.has(keyword) || !value.trim().startsWith('{')) return this.schema(value, within);
    return written([...memberTexts(value)].map(([name, schema]) => [name, this.schema(schema, within)]));
  }

  #targetOf(ref: string | undefined, within: readonly string[]): { ref: string; text: string } | null {
    const written: unknown = ref === undefined ? undefined : JSON.parse(ref);
    if (typeof written !== 'string') return null;
    const text = written.startsWith('#/') && !within.includes(written) ? this.#at(written.slice(1)) : null;
    this.#added += text?.length ?? 0;
    if (text !== null && this.#added <= MAX_ADDED && within.length < DEEPEST) return { ref: written, text };
    this.hasReferences = true;
    return null;
  }

  #at(pointer: string): string | null {
    const known = this.#targets.get(pointer);
    if (known !== undefined) return known;
    const target = this.#found(pointer);
    this.#targets.set(pointer, target);
    return target;
  }

  #found(pointer: string): string | null {
    let found: string | null = this.#root;
    for (const step of pointerPath(decoded(pointer))) {
      if (found === null) return null;
      this.#budget.take(1, found.length);
      found = textAtPath(found, [found.trim().startsWith('[') ? Number(step) : step]);
    }
    return found;
  }
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // A "%" that begins no escape.
    return fragment;
  }
}

const written = (members: Iterable<readonly [string, string]>): string =>
  `{${[...new Map(members)].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
