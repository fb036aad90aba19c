import { type KnownValues } from './known-values.ts';
import { JsonWalk, type Leaf } from './json-walk.ts';
import type { Patterns } from './patterns.ts';
import { OpenKey } from './shapes.ts';
import type { Span } from './spans.ts';
import { mayHoldSecret, ruleSpans } from './text-rules.ts';
import { percentDecoded, unescaped, type View } from './views.ts';

/** Texts in texts are followed this deep: JSON in a string of JSON, percent-encoding in percent-encoding. */
const DEEPEST = 4;

/** What secrets are looked for by. */
export interface Finders {
  /** Whether what is secret by its name or shape is looked for; else only the patterns are. */
  readonly isOn: boolean;
  readonly known: KnownValues;
  readonly patterns: Patterns;
}

/** Where something is to be replaced in a text of any kind. */
export function findInText(finders: Finders, text: string, row: number): Span[] {
  const spans = [...finders.patterns.find(text, row), ...finders.known.find(text)];
  if (finders.isOn) for (const span of withinText(finders, text, row, 0)) spans.push(span);
  return spans;
}

/** The same in JSON, which stays JSON; `settled` is up to where the text was understood. */
export function findInJson(
  finders: Finders,
  walk: JsonWalk,
  text: string,
  hasMore: boolean,
  row: number,
): { readonly spans: Span[]; readonly settled: number; readonly open: Leaf | null } {
  const spans: Span[] = [];
  const anywhere = [
    new Cut(finders.patterns.find(text, row), true),
    new Cut(finders.known.find(text), false),
  ];
  const openKey = new OpenKey();
  let open: Leaf | null = null;
  const settled = walk.walk(text, hasMore, (leaf) => {
    if (leaf.isOpen) open = leaf;
    for (const span of withinLeaf(finders, text, leaf, row)) spans.push(span);
    if (!leaf.isAgain) for (const cut of anywhere) for (const span of cut.to(text, leaf)) spans.push(span);
    for (const span of keyLine(openKey, text, leaf)) spans.push(span);
  });
  return { spans, settled, open };
}

/** A private key whose lines are strings of their own. */
function keyLine(openKey: OpenKey, text: string, { type, start, end, isAgain }: Leaf): Span[] {
  if (type !== 'string' || isAgain) return [];
  return openKey.take(text.slice(start, Math.min(end, start + LONGEST_KEY_LINE)), start);
}

const LONGEST_KEY_LINE = 4096;

/** What is known or matched by a pattern, cut to the leaves that it stands in, which come in their order. */
class Cut {
  readonly #spans: readonly Span[];
  readonly #mayTear: boolean;
  #first = 0;
  /** Up to where those before the first one reach. */
  #reach = 0;

  /** @param mayTear whether a part of a leaf is replaced when a span goes on beyond its quotes */
  constructor(spans: readonly Span[], mayTear: boolean) {
    this.#mayTear = mayTear;
    this.#spans = spans.length < 2 ? spans : [...spans].sort((a, b) => a.start - b.start);
  }

  *to(text: string, leaf: Leaf): Generator<Span> {
    const { type, start, end } = leaf;
    for (let next = this.#spans[this.#first]; next !== undefined; next = this.#spans[this.#first]) {
      this.#reach = Math.max(this.#reach, next.end);
      // What one of them reaches over stays, and so does what comes after it.
      if (this.#reach > start) break;
      this.#first++;
    }
    for (let place = this.#first; place < this.#spans.length; place++) {
      const span = this.#spans[place];
      if (span === undefined || span.start >= end) break;
      if (span.end <= start || !(this.#mayTear || isWhole(span, leaf))) continue;
      if (type === 'string') {
        const from = Math.max(span.start, start);
        const to = Math.min(span.end, end);
        yield from === span.start && to === span.end ? span : { ...span, start: from, end: to };
      } else if (type === 'word') {
        if (!isFixed(text.slice(start, end))) yield { ...span, start, end, quoted: true };
      } else if (span.start >= start && span.end <= end) {
        yield span;
      }
    }
  }
}

/** Whether a span stands inside of a leaf, or covers all of it, quotes and all. A word is replaced as a whole anyway. */
const isWhole = (span: Span, { type, start, end }: Leaf): boolean =>
  type === 'word' || (span.start >= start && span.end <= end) || (span.start < start && span.end > end);

const isFixed = (word: string): boolean => word === 'true' || word === 'false' || word === 'null';

function* withinLeaf(finders: Finders, text: string, leaf: Leaf, row: number): Generator<Span> {
  const { type, start, end, label } = leaf;
  if (start === end) return;
  const written = text.slice(start, end);
  const view = written.includes('\\') ? unescaped(written) : null;
  if (finders.isOn && label !== null && type !== 'key' && !isFixed(written)) {
    const value = view?.text ?? written;
    const kind = `member ${label}`;
    const learned = [value, value.replace(SCHEME, '')];
    yield { start, end, kind, value, learned, ...(type === 'word' && { quoted: true }) };
    return;
  }
  if (type === 'word') return;
  const spans: Span[] = [];
  if (finders.isOn) spans.push(...withinText(finders, view?.text ?? written, row, 0));
  if (view !== null) spans.push(...finders.known.find(view.text), ...finders.patterns.find(view.text, row));
  yield* shifted(view === null ? spans : view.inWritten(spans), start);
}

const SCHEME = /^(?:bearer|basic|digest|dpop|negotiate|token|ntlm|hawk|oauth|apikey)[ \t]+/i;

/** What the rules find in a text, and in the texts that are written in it. */
function withinText(finders: Finders, text: string, row: number, depth: number): Span[] {
  if (!mayHoldSecret(text)) return [];
  if (depth < DEEPEST && isJson(text)) return withinJson(finders, text, row, depth);
  const spans = ruleSpans(text);
  if (depth === DEEPEST) return spans;
  const views: View[] = [];
  if (text.includes('\\')) views.push(unescaped(text));
  if (PERCENT.test(text)) views.push(percentDecoded(text));
  for (const view of views) {
    if (view.text.length === text.length) continue;
    const inner = [...withinText(finders, view.text, row, depth + 1), ...finders.known.find(view.text)];
    for (const span of view.inWritten(inner)) spans.push(span);
  }
  return spans;
}

/** JSON in a string. */
function withinJson(finders: Finders, text: string, row: number, depth: number): Span[] {
  const spans: Span[] = [];
  const openKey = new OpenKey();
  new JsonWalk().walk(text, false, (leaf) => {
    const { type, start, end, label } = leaf;
    spans.push(...keyLine(openKey, text, leaf));
    const written = text.slice(start, end);
    if (label !== null || type === 'word') {
      spans.push(...withinLeaf(finders, text, leaf, row));
      return;
    }
    const view = written.includes('\\') ? unescaped(written) : null;
    const inner = withinText(finders, view?.text ?? written, row, depth + 1);
    if (view !== null) inner.push(...finders.known.find(view.text));
    spans.push(...shifted(view === null ? inner : view.inWritten(inner), start));
  });
  return spans;
}

const PERCENT = /%[0-7][0-9a-f]/i;

function isJson(text: string): boolean {
  const trimmed = text.trim();
  const ends = trimmed.charAt(0) + trimmed.charAt(trimmed.length - 1);
  if (ends !== '{}' && ends !== '[]') return false;
  try {
    JSON.parse(trimmed);
    return true;
  } catch {
    return false;
  }
}

const shifted = (spans: readonly Span[], by: number): Span[] =>
  by === 0 ? [...spans] : spans.map((span) => ({ ...span, start: span.start + by, end: span.end + by }));
