import type { Span } from './spans.ts';

/** A text as it is meant, and where each of its characters stands in the text as it is written. */
export interface View {
  readonly text: string;
  /** The place in the written text; one more than there are characters. */
  readonly places: Uint32Array;
}

/** The content of a JSON string without its escapes; what is no valid escape stays. */
export const unescaped = (raw: string): View =>
  decoded(raw, /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g, (hex, letter) =>
    hex === undefined ? (escapes.get(letter ?? '') ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** A text without the percent-encoding of what is ASCII. */
export const percentDecoded = (raw: string): View =>
  decoded(raw, /%([0-7][0-9a-fA-F])/g, (hex) => String.fromCharCode(Number.parseInt(hex ?? '', 16)));

/** Spans of a view, where they stand in the text as it is written. */
export const inWritten = ({ places }: View, spans: readonly Span[]): Span[] =>
  spans.map((span) => ({ ...span, start: places[span.start] ?? 0, end: places[span.end] ?? 0 }));

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

function decoded(
  raw: string,
  escape: RegExp,
  meant: (one: string | undefined, other: string | undefined) => string,
): View {
  const parts: string[] = [];
  const places = new Uint32Array(raw.length + 1);
  let length = 0;
  let from = 0;
  const upTo = (end: number) => {
    parts.push(raw.slice(from, end));
    for (let place = from; place < end; place++) places[length++] = place;
  };
  for (const { 0: whole, 1: one, 2: other, index } of raw.matchAll(escape)) {
    upTo(index);
    parts.push(meant(one, other));
    places[length++] = index;
    from = index + whole.length;
  }
  upTo(raw.length);
  places[length] = raw.length;
  return { text: parts.join(''), places };
}
