import { JsonLines, type JsonLine, type LineKind } from './json-lines.ts';

/** Deeper levels are not indented further: hostile nesting must not fill memory with spaces. */
const DEEPEST_INDENT = 40;

/** A piece of pretty-printed JSON in one colour. */
export interface JsonPiece {
  readonly kind: 'key' | 'string' | 'number' | 'literal' | 'plain';
  readonly text: string;
}

const colours: Partial<Record<LineKind, JsonPiece['kind']>> = {
  string: 'string',
  number: 'number',
  literal: 'literal',
};

/** The colour of a line's value. */
export const colourOf = (kind: LineKind): JsonPiece['kind'] => colours[kind] ?? 'plain';

/**
 * Pretty-prints JSON, with every number, escape and key as sent. Null if it is not JSON.
 *
 * @param isCut the text is truncated
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

/** The value of a line as text. */
export const valueText = (raw: string, { kind, from, end }: JsonLine): string =>
  empties[kind] ?? raw.slice(from, end);

/** Written without the whitespace that may be between the brackets. */
const empties: Partial<Record<LineKind, string>> = { 'empty-object': '{}', 'empty-array': '[]', none: '' };
