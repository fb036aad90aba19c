import { createScanner } from 'jsonc-parser';

/**
 * Finds values in JSON by their place in the text and gives them back as they were written, because parsing
 * loses integers beyond 2^53, duplicate keys and key order. The text must be valid JSON.
 */

/** The text of the member at `path`, such as `['result', 'tools']`; null when it is not there. */
export function memberText(text: string, path: readonly string[]): string | null {
  let found: string | null = text;
  for (const key of path) {
    if (found === null) return null;
    // The last of duplicate keys counts, as JSON.parse has it.
    let value: string | null = null;
    for (const child of children(found)) if (child.key === key) value = child.text;
    found = value;
  }
  return found;
}

/** The texts of the elements of an array; empty when the text is no array. */
export const elementTexts = (text: string): string[] =>
  text.trimStart().startsWith('[') ? [...children(text)].map((child) => child.text) : [];

/** The scanner's token kinds; its own enum is gone once the types are stripped. */
const SyntaxKind = {
  OpenBraceToken: 1,
  CloseBraceToken: 2,
  OpenBracketToken: 3,
  CloseBracketToken: 4,
  CommaToken: 5,
  ColonToken: 6,
  StringLiteral: 10,
  EOF: 17,
} as const;

interface Child {
  /** Null in an array. */
  readonly key: string | null;
  readonly text: string;
}

/** The direct children of the object or array that the text is. */
function* children(text: string): Generator<Child> {
  const scanner = createScanner(text, true);
  const root: number = scanner.scan();
  if (root !== SyntaxKind.OpenBraceToken && root !== SyntaxKind.OpenBracketToken) return;
  const isObject = root === SyntaxKind.OpenBraceToken;
  for (;;) {
    let token: number = scanner.scan();
    if (token === SyntaxKind.CommaToken) token = scanner.scan();
    let key: string | null = null;
    if (isObject && token === SyntaxKind.StringLiteral) {
      key = scanner.getTokenValue();
      const colon: number = scanner.scan();
      if (colon !== SyntaxKind.ColonToken) return;
      token = scanner.scan();
    }
    const start = scanner.getTokenOffset();
    if (!skipValue(scanner, token)) return;
    yield { key, text: text.slice(start, scanner.getTokenOffset() + scanner.getTokenLength()) };
  }
}

/** Moves to the last token of the value that starts with `token`; false when no value starts there. */
function skipValue(scanner: ReturnType<typeof createScanner>, token: number): boolean {
  let depth = 0;
  for (let current: number = token; ; current = scanner.scan()) {
    switch (current) {
      case SyntaxKind.OpenBraceToken:
      case SyntaxKind.OpenBracketToken:
        depth++;
        break;
      case SyntaxKind.CloseBraceToken:
      case SyntaxKind.CloseBracketToken:
        if (--depth < 0) return false;
        break;
      case SyntaxKind.EOF:
        return false;
      default:
        break;
    }
    if (depth === 0) return true;
  }
}
