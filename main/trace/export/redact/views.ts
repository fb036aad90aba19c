import type { Span } from './spans.ts';

/** A text as it is meant, in place of one as it is written. */
export interface View {
  readonly text: string;
  /** Spans of the text as it is meant, where they stand in the one that is written. */
  inWritten(spans: readonly Span[]): Span[];
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const PERCENT = /%([0-7][0-9a-fA-F])/g;

/** The content of a JSON string without its escapes; what is no valid escape stays. */
export const unescaped = (raw: string): View => ({
  text:
    jsonMeaning(raw) ?? raw.replaceAll(ESCAPE, (_, hex?: string, letter?: string) => character(hex, letter)),
  inWritten: (spans) => inWritten(raw, ESCAPE, spans),
});

/** A text without the percent-encoding of what is ASCII. */
export const percentDecoded = (raw: string): View => ({
  text: raw.replaceAll(PERCENT, (_, hex: string) => character(hex, undefined)),
  inWritten: (spans) => inWritten(raw, PERCENT, spans),
});

/** By the parser of JSON, which is many times faster; null when it refuses the text. */
function jsonMeaning(raw: string): string | null {
  // What is cut off may end within an escape.
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

/** Each escape stands for one character, so that a walk over them tells the places. */
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
