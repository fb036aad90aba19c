import { isJson } from '#shared/json/tokens.ts';
import { JsonWalk, type Leaf } from './json-walk.ts';
import type { KnownValues } from './known-values.ts';
import type { Patterns } from './patterns.ts';
import { OpenKey } from './shapes.ts';
import { settled, type Span } from './spans.ts';
import { wideText } from './wide-text.ts';
import { mayHoldSecret, ruleSpans } from './text-rules.ts';

/** How many levels of nested text are searched, such as JSON in a JSON string, or repeated percent-encoding. */
const DEEPEST = 4;

/** What to search for. */
export interface Finders {
  /** Whether to search for secrets by name and form; otherwise only by pattern. */
  readonly isOn: boolean;
  readonly known: KnownValues;
  readonly patterns: Patterns;
}

/** The ranges to replace in a text of any kind. */
export function findInText(finders: Finders, text: string, row: number): Span[] {
  const spans = [...finders.patterns.find(text, row), ...finders.known.find(text)];
  if (finders.isOn) for (const span of withinText(finders, text, row, 0)) spans.push(span);
  const wide = wideText(text);
  if (wide === null) return spans;
  // Placeholders in it are recognized before its spans are those of bytes.
  for (const span of settled(wide.text, findInText(finders, wide.text, row)))
    spans.push(wide.inWritten(span));
  return spans;
}

/** Finds secrets in JSON, which remains valid JSON. `settled` is the offset up to which the text was processed. */
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
  const end = walk.walk(text, hasMore, (leaf) => {
    if (leaf.isOpen) open = leaf;
    for (const span of withinLeaf(finders, text, leaf, row)) spans.push(span);
    if (!leaf.isAgain) for (const cut of anywhere) for (const span of cut.to(text, leaf)) spans.push(span);
    for (const span of keyLine(openKey, text, leaf)) spans.push(span);
  });
  return { spans, settled: end, open };
}

/** A private key whose lines are separate strings. */
function keyLine(openKey: OpenKey, text: string, { type, start, end, isAgain }: Leaf): Span[] {
  if (type !== 'string' || isAgain) return [];
  return openKey.take(text.slice(start, Math.min(end, start + MAX_KEY_LINE)), start);
}

const MAX_KEY_LINE = 4096;

/** Known values and pattern matches, split at the leaves that contain them, which come in order. */
class Cut {
  readonly #spans: readonly Span[];
  readonly #mayTear: boolean;
  #first = 0;
  /** Up to where those before the first one reach. */
  #reach = 0;

  /** @param mayTear whether to replace a part of a leaf if a span extends beyond its quotes */
  constructor(spans: readonly Span[], mayTear: boolean) {
    this.#mayTear = mayTear;
    this.#spans = spans.length < 2 ? spans : [...spans].sort((a, b) => a.start - b.start);
  }

  *to(text: string, leaf: Leaf): Generator<Span> {
    const { type, start, end } = leaf;
    for (let next = this.#spans[this.#first]; next !== undefined; next = this.#spans[this.#first]) {
      this.#reach = Math.max(this.#reach, next.end);
      // A leaf inside of a larger span is kept, and so are the leaves after it.
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

/** Whether a span is inside of a leaf, or covers it with its quotes. A word is always replaced as a whole. */
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
  if (view !== null)
    spans.push(...finders.known.findWritten(view.text), ...finders.patterns.find(view.text, row));
  yield* shifted(view === null ? spans : view.inWritten(spans), start);
}

const SCHEME = /^(?:bearer|basic|digest|dpop|negotiate|token|ntlm|hawk|oauth|apikey)[ \t]+/i;

/** Applies the rules to a text and to the texts nested in it. */
function withinText(finders: Finders, text: string, row: number, depth: number): Span[] {
  if (!mayHoldSecret(text)) return [];
  if (depth < DEEPEST && isJsonContainer(text)) return withinJson(finders, text, row, depth);
  const spans = ruleSpans(text);
  if (depth === DEEPEST) return spans;
  const views: View[] = [];
  if (text.includes('\\')) views.push(unescaped(text));
  if (PERCENT.test(text)) views.push(percentDecoded(text));
  for (const view of views) {
    if (view.text.length === text.length) continue;
    const inner = [
      ...withinText(finders, view.text, row, depth + 1),
      ...finders.known.findWritten(view.text),
    ];
    for (const span of view.inWritten(inner)) spans.push(span);
  }
  return spans;
}

/** Finds secrets in JSON that a string contains. */
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
    if (view !== null) inner.push(...finders.known.findWritten(view.text));
    spans.push(...shifted(view === null ? inner : view.inWritten(inner), start));
  });
  return spans;
}

const PERCENT = /%[0-7][0-9a-f]/i;

function isJsonContainer(text: string): boolean {
  const trimmed = text.trim();
  const ends = trimmed.charAt(0) + trimmed.charAt(trimmed.length - 1);
  return (ends === '{}' || ends === '[]') && isJson(trimmed);
}

const shifted = (spans: readonly Span[], by: number): Span[] =>
  by === 0 ? [...spans] : spans.map((span) => ({ ...span, start: span.start + by, end: span.end + by }));

/** A decoded text, and how its positions map to the written text. */
interface View {
  readonly text: string;
  /** Maps spans of the decoded text to the written text. */
  inWritten(spans: readonly Span[]): Span[];
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const PERCENT_ESCAPE = /%([0-7][0-9a-fA-F])/g;

/** The content of a JSON string with its escapes decoded; invalid escapes are kept. */
const unescaped = (raw: string): View => ({
  text:
    jsonMeaning(raw) ?? raw.replaceAll(ESCAPE, (_, hex?: string, letter?: string) => character(hex, letter)),
  inWritten: (spans) => inWritten(raw, ESCAPE, spans),
});

/** A text with percent-encoded ASCII characters decoded. */
const percentDecoded = (raw: string): View => ({
  text: raw.replaceAll(PERCENT_ESCAPE, (_, hex: string) => character(hex, undefined)),
  inWritten: (spans) => inWritten(raw, PERCENT_ESCAPE, spans),
});

/** Uses the JSON parser, which is many times faster; null if the text is invalid. */
function jsonMeaning(raw: string): string | null {
  // A truncated text may end inside an escape.
  const torn = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(raw.slice(-5))?.[0] ?? '';
  return parsed(raw) ?? (torn === '' ? null : withTail(parsed(raw.slice(0, -torn.length)), torn));
}

const withTail = (text: string | null, tail: string): string | null => (text === null ? null : text + tail);

function parsed(raw: string): string | null {
  try {
    const meant: unknown = JSON.parse(`"${raw}"`);
    return typeof meant === 'string' ? meant : null;
  } catch {
    return null;
  }
}

const character = (hex: string | undefined, letter: string | undefined): string =>
  hex === undefined ? (escapes.get(letter ?? '') ?? '') : String.fromCharCode(Number.parseInt(hex, 16));

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Each escape is one character, so a walk over them maps the positions. */
function inWritten(raw: string, escape: RegExp, spans: readonly Span[]): Span[] {
  if (spans.length === 0) return [];
  const wanted = [...new Set(spans.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const places = new Map<number, number>();
  let shift = 0;
  let next = 0;
  const passUpTo = (place: number) => {
    for (; next < wanted.length; next++) {
      const one = wanted[next] ?? 0;
      if (one + shift > place) break;
      places.set(one, one + shift);
    }
  };
  for (const { 0: whole, index } of raw.matchAll(escape)) {
    passUpTo(index);
    if (next === wanted.length) break;
    shift += whole.length - 1;
  }
  passUpTo(raw.length);
  return spans.map((span) => ({
    ...span,
    start: places.get(span.start) ?? raw.length,
    end: places.get(span.end) ?? raw.length,
  }));
}
