import { JsonLines, type JsonLine, type LineKind } from './json-lines.ts';

/** Deeper levels are not indented further: a hostile nesting must not fill the memory with spaces. */
const DEEPEST_INDENT = 40;

/** A stretch of pretty-printed JSON in one colour. */
export interface JsonPiece {
  readonly kind: 'key' | 'string' | 'number' | 'literal' | 'plain';
  readonly text: string;
}

const colours: Partial<Record<LineKind, JsonPiece['kind']>> = {
  string: 'string',
  number: 'number',
  literal: 'literal',
};

/** In which colour the value of a line is written. */
export const colourOf = (kind: LineKind): JsonPiece['kind'] => colours[kind] ?? 'plain';

/**
 * JSON laid out over lines, with every number, escape and key as it was sent. `isCut` says that the text ends in the
 * middle. Null when it is no JSON.
 */
export function prettyJson(raw: string, isCut = false): JsonPiece[] | null {
  const lines = new JsonLines(raw, isCut);
  lines.read();
  if (!lines.isJson) return null;
  const pieces: JsonPiece[] = [];
  let plain = '';
  const write = (kind: JsonPiece['kind'], text: string) => {
    if (kind === 'plain') plain += text;
    else {
      if (plain !== '') pieces.push({ kind: 'plain', text: plain });
      plain = '';
      pieces.push({ kind, text });
    }
  };
  for (let index = 0; index < lines.count; index++) {
    const line = lines.line(index);
    if (index > 0) write('plain', `\n${'  '.repeat(Math.min(line.depth, DEEPEST_INDENT))}`);
    if (line.keyFrom >= 0) write('key', raw.slice(line.keyFrom, line.keyEnd));
    if (line.hasColon) write('plain', ': ');
    write(colourOf(line.kind), valueText(raw, line));
    if (line.hasComma) write('plain', ',');
  }
  if (plain !== '') pieces.push({ kind: 'plain', text: plain });
  return pieces;
}

/** The value of a line as it is written there. */
export const valueText = (raw: string, { kind, from, end }: JsonLine): string =>
  empties[kind] ?? raw.slice(from, end);

/** Between the brackets there may be space that is not shown. */
const empties: Partial<Record<LineKind, string>> = { 'empty-object': '{}', 'empty-array': '[]', none: '' };
