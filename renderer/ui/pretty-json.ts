import { createScanner } from 'jsonc-parser';

// jsonc-parser's `SyntaxKind` and `ScanError` are const enums, which a module compiled by itself cannot read.
const token = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  null: 7,
  true: 8,
  false: 9,
  string: 10,
  number: 11,
  lineBreak: 14,
  trivia: 15,
  end: 17,
} as const;
const NO_ERROR = 0;
/** Deeper levels are not indented further: a hostile nesting must not fill the memory with spaces. */
const DEEPEST_INDENT = 40;

/** A stretch of pretty-printed JSON in one colour. */
export interface JsonPiece {
  readonly kind: 'key' | 'string' | 'number' | 'literal' | 'plain';
  readonly text: string;
}

interface Frame {
  readonly closer: number;
  /** What may come next. */
  expects: 'first' | 'colon' | 'value' | 'comma' | 'next';
}

const scalars = new Map<number, JsonPiece['kind']>([
  [token.string, 'string'],
  [token.number, 'number'],
  [token.true, 'literal'],
  [token.false, 'literal'],
  [token.null, 'literal'],
]);

const trivia: ReadonlySet<number> = new Set([token.trivia, token.lineBreak]);

/**
 * Lays JSON out over lines without ever making values of it, so numbers, escapes, duplicate keys and key
 * order stay exactly as sent. `isCut` says that the text ends in the middle. Null when it is no JSON.
 */
export function prettyJson(raw: string, isCut = false): JsonPiece[] | null {
  const scanner = createScanner(raw, false);
  const pieces: JsonPiece[] = [];
  const stack: Frame[] = [];
  let isDone = false;
  let plain = '';
  const write = (kind: JsonPiece['kind'], text: string) => {
    if (kind === 'plain') {
      plain += text;
      return;
    }
    if (plain !== '') pieces.push({ kind: 'plain', text: plain });
    plain = '';
    pieces.push({ kind, text });
  };
  const newLine = () => write('plain', `\n${'  '.repeat(Math.min(stack.length, DEEPEST_INDENT))}`);
  const finish = () => {
    if (plain !== '') pieces.push({ kind: 'plain', text: plain });
    return pieces;
  };
  const endValue = () => {
    const top = stack.at(-1);
    if (top) top.expects = 'comma';
    else isDone = true;
  };

  for (;;) {
    const kind: number = scanner.scan();
    if (trivia.has(kind)) continue;
    if (kind === token.end) return isDone || isCut ? finish() : null;
    const source = raw.slice(scanner.getTokenOffset(), scanner.getPosition());
    const isAtCut = isCut && scanner.getPosition() >= raw.length;
    if (scanner.getTokenError() !== NO_ERROR && !isAtCut) return null;
    if (isDone) return null;
    const top = stack.at(-1);
    const inObject = top?.closer === token.closeBrace;

    if (top && kind === top.closer) {
      if (top.expects !== 'first' && top.expects !== 'comma') return null;
      stack.pop();
      if (top.expects === 'comma') newLine();
      write('plain', source);
      endValue();
      continue;
    }
    if (kind === token.comma) {
      if (top?.expects !== 'comma') return null;
      top.expects = 'next';
      write('plain', ',');
      continue;
    }
    if (kind === token.colon) {
      if (top?.expects !== 'colon') return null;
      top.expects = 'value';
      write('plain', ': ');
      continue;
    }
    if (top && (top.expects === 'comma' || top.expects === 'colon')) return null;
    if (top && top.expects !== 'value') newLine();
    if (inObject && top.expects !== 'value') {
      if (kind !== token.string) return isAtCut ? finish() : null;
      write('key', source);
      top.expects = 'colon';
      continue;
    }
    if (kind === token.openBrace || kind === token.openBracket) {
      write('plain', source);
      const closer = kind === token.openBrace ? token.closeBrace : token.closeBracket;
      stack.push({ closer, expects: 'first' });
      continue;
    }
    const colour = scalars.get(kind);
    if (colour === undefined && !isAtCut) return null;
    write(colour ?? 'plain', source);
    endValue();
  }
}
