/**
 * Cuts a text of a shell into the commands that it would run one after the other, and leaves out what only a shell does: prompts,
 * comments, pipes, redirections. Runs and expands nothing.
 */

/** One command, still in its quotes. */
export interface ShellCommand {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface ShellNote {
  readonly line: number;
  readonly what: string;
}

export interface ShellText {
  readonly commands: readonly ShellCommand[];
  /** What was left out. */
  readonly notes: readonly ShellNote[];
  /** Whether backslashes are part of paths. */
  readonly isWindows: boolean;
}

/** What shells write before a command. */
const prompts: readonly RegExp[] = [
  // A bare sign, behind the name of a Python environment if there is one.
  /^\s*(?:\([\w.-]{1,80}\)\s+)?[$%>\u276f\u279c\u03bb](?:\s+|$)/,
  // ada@host:~/x$
  /^\s*(?:\([\w.-]{1,80}\)\s+)?[\w.-]+@[\w.-]+:[^$#\n]*[$#](?:\s+|$)/,
  // [ada@host ~]$
  /^\s*\[[\w.-]+@[^\]\n]*\][$#](?:\s+|$)/,
  // bash-5.1$
  /^\s*(?:ba|z)?sh(?:-[\d.]+)?[$#%](?:\s+|$)/,
  // ~/x $
  /^\s*[~/][\w./~-]* [$#%\u276f](?:\s+|$)/,
  // PS C:\x>
  /^\s*PS(?: [^>\n]*)?>(?:\s+|$)/,
  // C:\x>
  /^\s*[A-Za-z]:\\[^>\n]*>\s*/,
];

const promptOf = (line: string): string => {
  const found = prompts.find((pattern) => pattern.test(line));
  return found?.exec(line)?.[0] ?? '';
};

/** Whether a text has the syntax of PowerShell or of Windows paths, in which a backslash escapes nothing. */
const isOfWindows = (text: string): boolean =>
  /(?:^|[;\n])[ \t]*(?:\$env:\w|& ["'.\\A-Za-z]|PS(?: [A-Z]:[^>\n]{0,300})?> |[A-Za-z]:\\|set "?\w{1,200}=)/i.test(
    text,
  ) ||
  /(?:^|[\s"'=])(?:[A-Za-z]:\\\w|\.\\\w|%\w+%\\)/.test(text) ||
  /[`^][ \t]*\n/.test(text);

export function readShellText(written: string, options: { readonly isWindows: boolean }): ShellText {
  const text = written.replaceAll(/\r\n?/g, '\n');
  const isWindows = options.isWindows || isOfWindows(text);
  const notes: ShellNote[] = [];
  const lines = logicalLines(text, isWindows);
  const prompted = lines.filter((line) => promptOf(line.text) !== '');
  const used = prompted.length === 0 ? lines : prompted;
  const usedLines = new Set(used.map(({ line }) => line));
  for (const { line } of lines) {
    if (!usedLines.has(line) && notes.length < MAX_KEPT)
      notes.push({ line, what: 'This line has no prompt before it, as the others have, so it is output.' });
  }
  const commands = used.flatMap((line) =>
    new LineReader(line.text.slice(promptOf(line.text).length), line.line, isWindows, notes).read(),
  );
  const said = new Map(notes.map((note) => [`${note.line} ${note.what}`, note]));
  return { commands, notes: [...said.values()].slice(0, MAX_NOTES), isWindows };
}

const MAX_NOTES = 20;
/** Notes of which some may be the same. */
const MAX_KEPT = 1000;

/** Lines joined where one is continued, or where a quotation mark is open. */
function logicalLines(text: string, isWindows: boolean): ShellCommand[] {
  const lines: ShellCommand[] = [];
  let open: { line: number; parts: string[] } | null = null;
  let quote: string | null = null;
  /** The line with which the input of a command ends that follows it. */
  let inputEnd: string | null = null;
  for (const [index, raw] of text.split('\n').entries()) {
    if (inputEnd !== null) {
      if (raw.trim() === inputEnd) inputEnd = null;
      continue;
    }
    if (open === null && /^\s*(?:#|\/\/|::|rem\s|$)/i.test(raw)) continue;
    const current: string = open === null ? raw : quote === null ? raw.replace(/^\s*> /, '') : raw;
    const { end, quote: after } = scanQuotes(current, quote, isWindows);
    const isContinued = after === null && (isWindows ? /[\\`^]\s*$/ : /\\\s*$/).test(current.slice(0, end));
    const part = isContinued ? `${current.slice(0, end).trimEnd().slice(0, -1)} ` : current.slice(0, end);
    open ??= { line: index + 1, parts: [] };
    open.parts.push(after === null ? part : `${part}\n`);
    quote = after;
    if (isContinued || quote !== null) continue;
    const whole = open.parts.join('');
    inputEnd = /<<-?\s?['"]?([A-Z]\w*)/i.exec(whole)?.[1] ?? null;
    lines.push({ line: open.line, text: whole });
    open = null;
  }
  if (open !== null) lines.push({ line: open.line, text: open.parts.join('').trimEnd() });
  return lines.filter((line) => line.text.trim() !== '');
}

/** The quotation mark that is open at the end of a line, and where a comment begins. */
function scanQuotes(
  line: string,
  before: string | null,
  isWindows: boolean,
): { end: number; quote: string | null } {
  let quote = before;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    const next = line.charAt(at + 1);
    if (character === '\\' && quote !== "'" && (!isWindows || next === '"')) at++;
    else if (quote !== null) {
      if (character === quote) quote = null;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '#' && at > 0 && /\s/.test(line.charAt(at - 1))) return { end: at, quote };
  }
  return { end: line.length, quote };
}

/** What stands for a value of the user, such as `<your key>`. */
const placeholder = /<[A-Za-z][\w .:/-]{0,80}>/y;

/** Cuts a line at the operators between commands. */
class LineReader {
  readonly #text: string;
  readonly #line: number;
  readonly #isWindows: boolean;
  readonly #notes: ShellNote[];
  #at = 0;

  constructor(text: string, line: number, isWindows: boolean, notes: ShellNote[]) {
    this.#text = text;
    this.#line = line;
    this.#isWindows = isWindows;
    this.#notes = notes;
  }

  read(): ShellCommand[] {
    const commands: ShellCommand[] = [];
    let isFed = false;
    while (this.#at < this.#text.length) {
      const { text, operator } = this.#command();
      const isCommand = text.trim() !== '';
      if (isFed && isCommand)
        this.#note('No shell runs this command line, so what follows "|" or "||" is left out.');
      else if (isCommand) commands.push({ line: this.#line, text });
      isFed = operator === '|' || operator === '||';
    }
    return commands;
  }

  #command(): { text: string; operator: string } {
    const parts: string[] = [];
    let hasText = false;
    const whole = (operator: string) => ({ text: parts.join(''), operator });
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      hasText ||= /\S/.test(parts.at(-1) ?? '');
      const startsWord = /^\s?$/.test((parts.at(-1) ?? '').slice(-1));
      if (character === '\\' && !this.#isWindows) {
        parts.push(this.#take(2));
      } else if (character === '"' || character === "'") {
        parts.push(this.#quoted(character));
      } else if (character === '<' && this.#placeholder() !== null) {
        const written = this.#placeholder() ?? '';
        this.#at += written.length;
        this.#note(`${written} stands for a value of yours. Write the value in its place.`);
        parts.push(`"${written}"`);
      } else if (startsWord && /^(?:\d|&)?[<>]/.test(this.#text.slice(this.#at, this.#at + 2))) {
        this.#redirection();
      } else {
        const operator = /^(?:&&|\|\||\||;|&(?=\s|$))/.exec(this.#text.slice(this.#at, this.#at + 2))?.[0];
        if (operator === undefined) {
          // As a part of an address, it means nothing to a shell either once it is quoted.
          if (character === '&' && !this.#isWindows) parts.push('\\');
          parts.push(this.#take(1));
        } else {
          this.#at += operator.length;
          // The call operator of PowerShell is before a command.
          if (operator !== '&' || hasText) return whole(operator);
        }
      }
    }
    return whole('');
  }

  #placeholder(): string | null {
    placeholder.lastIndex = this.#at;
    return placeholder.exec(this.#text)?.[0] ?? null;
  }

  #quoted(quote: string): string {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text.charAt(end) !== quote) {
      const isEscape = this.#text.charAt(end) === '\\' && quote === '"';
      end += isEscape && (!this.#isWindows || this.#text.charAt(end + 1) === '"') ? 2 : 1;
    }
    return this.#take(end + 1 - this.#at);
  }

  #redirection(): void {
    const start = this.#at;
    while (/[\d&<>]/.test(this.#text.charAt(this.#at))) this.#at++;
    const isWhole = /&\d$/.test(this.#text.slice(start, this.#at));
    if (!isWhole) {
      while (/[ \t]/.test(this.#text.charAt(this.#at))) this.#at++;
      while (/[^\s;|&]/.test(this.#text.charAt(this.#at))) this.#at++;
    }
    this.#note(`No shell runs this command line, so "${this.#text.slice(start, this.#at)}" is left out.`);
  }

  #take(count: number): string {
    const taken = this.#text.slice(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  #note(what: string): void {
    if (this.#notes.length < MAX_KEPT) this.#notes.push({ line: this.#line, what });
  }
}
