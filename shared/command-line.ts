/** Converts between a command line and its words. No shell is involved. */

interface SplitCommandLine {
  /** The command and its arguments. */
  readonly words: readonly string[];
  /** The syntax error of the line; null if it is valid. */
  readonly error: string | null;
  /** Unquoted shell syntax that reaches the program unexpanded, such as `|` or `$HOME`. */
  readonly unexpanded: readonly string[];
}

const space = /\s/;
const escapableInQuotes = /[\\"$`\n]/;

/**
 * Cuts a line into words as a POSIX shell does: quotes, backslashes, continued lines (POSIX.1-2017, Shell
 * Command Language 2.2). Nothing is expanded. On Windows a backslash is part of a path and escapes nothing.
 */
export function splitCommandLine(
  line: string,
  options: {
    readonly isWindows?: boolean;
    /** On Windows: whether single quotation marks quote, as in PowerShell. */
    readonly quotesSingle?: boolean;
  } = {},
): SplitCommandLine {
  const escapes = options.isWindows !== true;
  const quotesSingle = escapes || options.quotesSingle === true;
  const words: string[] = [];
  const unexpanded = new Set<string>();
  let word: string | null = null;
  let at = 0;

  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  while (at < line.length) {
    const character = line.charAt(at);
    if (space.test(character)) {
      endWord();
      at++;
    } else if (character === '\\' && escapes) {
      const next = line.charAt(at + 1);
      if (next === '')
        return { words: withLast(words, word), error: 'The line ends with a lone "\\".', unexpanded: [] };
      if (next !== '\n') word = (word ?? '') + next;
      at += 2;
    } else if (character === "'" && quotesSingle) {
      const end = line.indexOf("'", at + 1);
      if (end < 0) return unclosed(words, (word ?? '') + line.slice(at + 1), "'");
      word = (word ?? '') + line.slice(at + 1, end);
      at = end + 1;
    } else if (character === '"') {
      const quoted = readDoubleQuoted(line, at + 1, escapes);
      word = (word ?? '') + quoted.text;
      if (quoted.end < 0) return unclosed(words, word, '"');
      at = quoted.end + 1;
      for (const syntax of quoted.text.match(expansions) ?? []) unexpanded.add(syntax);
    } else {
      const syntax: string | null = escapes ? shellSyntaxAt(line, at, word === null) : null;
      if (syntax !== null) unexpanded.add(syntax);
      word = (word ?? '') + (syntax ?? character);
      at += syntax?.length ?? 1;
    }
  }
  endWord();
  return { words, error: null, unexpanded: [...unexpanded] };
}

const withLast = (words: readonly string[], word: string | null): string[] =>
  word === null ? [...words] : [...words, word];

const unclosed = (words: readonly string[], word: string, quote: string): SplitCommandLine => ({
  words: [...words, word],
  error: `A quotation mark ${quote} is never closed.`,
  unexpanded: [],
});

function readDoubleQuoted(line: string, from: number, escapes: boolean): { text: string; end: number } {
  let text = '';
  for (let at = from; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '"') return { text, end: at };
    const next = line.charAt(at + 1);
    const isEscape = character === '\\' && (escapes ? escapableInQuotes.test(next) : next === '"');
    if (isEscape && next !== '') {
      if (next !== '\n') text += next;
      at++;
    } else text += character;
  }
  return { text, end: -1 };
}

const expansions = /\$\w+|\$\{\w+\}|\$\(/g;
const operators = /^(?:&&|\|\||>>|<<|[|&;<>()])/;

/** Shell syntax that starts here: an operator, `$NAME`, a leading `~`. */
function shellSyntaxAt(line: string, at: number, startsWord: boolean): string | null {
  const rest = line.slice(at, at + 80);
  const found = operators.exec(rest) ?? /^(?:\$\w+|\$\{\w+\}|\$\(|`)/.exec(rest);
  if (found) return found[0];
  return startsWord && /^~(?:\/|\s|$)/.test(rest) ? '~' : null;
}

/** Quotes words so that splitting the line gives the same words. */
export const joinCommandLine = (
  words: readonly string[],
  options: { readonly isWindows?: boolean } = {},
): string => words.map((word) => (options.isWindows ? quoteOnWindows(word) : quote(word))).join(' ');

const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const quoteOnWindows = (word: string): string =>
  word !== '' && !/[\s"]/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;

/** `NAME=value` words before the command, which a shell would add to the environment. */
export function leadingAssignments(words: readonly string[]): { name: string; value: string }[] {
  const assignments: { name: string; value: string }[] = [];
  for (const word of words) {
    const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(word);
    if (match?.[1] === undefined || match[2] === undefined) break;
    assignments.push({ name: match[1], value: match[2] });
  }
  return assignments;
}
