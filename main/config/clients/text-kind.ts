import { leadingAssignments, splitCommandLine } from '#shared/command-line.ts';
import { isJson } from '#shared/json/tokens.ts';
import { withoutEnd } from '#shared/trim.ts';
import { skipTrivia } from './jsonc.ts';

/** How a text is to be read. `refused`: it is of a kind that has no servers for us. */
export type TextKind =
  | { readonly kind: 'json' | 'toml' | 'yaml' | 'commands' }
  | { readonly kind: 'refused'; readonly what: string; readonly next: string };

/** Lines from which the kind is told. */
const PROBE = 400;

/** Tells what a text is, by its content and the ending of its file. */
export function textKind(text: string, path: string | null): TextKind {
  const begin = text.trimStart();
  const start = skipTrivia(text, 0, { takesHash: true });
  // A comment that is not closed.
  if (start === null) return { kind: 'json' };
  const content = text.slice(start);
  const ending = /\.(toml|ya?ml)$/i.exec(path ?? '')?.[1]?.toLowerCase();
  if (content.startsWith('{')) return { kind: 'json' };
  if (ending !== undefined) return { kind: ending === 'toml' ? 'toml' : 'yaml' };
  const lines = contentLines(begin);
  const [first = ''] = contentLines(content);
  if (
    content.startsWith('[') &&
    !isIni.test(content) &&
    !isPrompt.test(content) &&
    !isLinkedImage.test(content) &&
    (!tomlTable.test(first) || isJson(content))
  )
    return { kind: 'json' };
  const refused = rejections.find(
    ({ begins, has }) => begins?.test(begin) === true || lines.some((line) => has?.test(line)),
  );
  if (refused !== undefined) return { kind: 'refused', what: refused.what, next: refused.next };
  if (jsonMember.test(first)) return { kind: 'json' };
  if (isVariableFile(lines)) return { kind: 'refused', ...variableFile };
  if (lines.some((line) => tomlTable.test(line) || tomlPair.test(line))) return { kind: 'toml' };
  if (yamlLine.test(first)) return { kind: 'yaml' };
  const isPage = /^#{1,6} \S/.test(begin) && isProse(first);
  if (isPage || lines.some(isMarkdown)) return { kind: 'refused', ...markdown };
  return { kind: 'commands' };
}

/** The first lines that are neither empty nor comments. */
const contentLines = (text: string): string[] =>
  text
    .slice(0, 200_000)
    .split(/\r\n|\n|\r/, PROBE)
    .filter((line) => /\S/.test(line) && !/^\s*(?:#(?!!)|\/\/)/.test(line));

/** A member of an object without the braces around it; a colon and a value in YAML have no braces and quotation marks. */
const jsonMember =
  /^\s*(?:["\u201c\u201d\u201e][^"\u201c\u201d\n]*["\u201c\u201d]|\u2018[^\u2019\n]*\u2019)\s*:\s*(?:["'\u2018\u201c\u201e[{\d.\u2026-]|true\b|false\b|null\b|$)/;

const tomlTable =
  /^[ \t]*\[\[?[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*[ \t]*\]\]?[ \t]*(?:#.*)?$/;
/** With spaces around the `=`, or in small letters: variables before a command have neither. */
const tomlPair =
  /^[ \t]*(?:(?:[\w.-]+|"[^"\n]*")[ \t]+=[ \t]*(?:["'[{]|-?\d|true\b|false\b)|[a-z][a-z_.-]*=(?:(?:"[^"\n]*"|'[^'\n]*'|true|false)[ \t]*$|[[{]))/;
const yamlLine = /^\s*(?:---\s*$|(?:- +)?(?:[\w.@/$-]+|"[^"\n]*"|'[^'\n]*')[ \t]*:(?:[ \t]|$)|- +\{)/;

/** Whether a line has the marks of Markdown: an item of a list that is a sentence, a row of a table, a link, bold text. */
const isMarkdown = (line: string): boolean => {
  const text = line.trim();
  return (
    (/^[-*+] /.test(text) && isProse(text.slice(2))) ||
    (text.startsWith('|') && text.endsWith('|')) ||
    /\[[^[\]\n]{1,200}\]\([^\s()]{1,500}\)/.test(text) ||
    /\*\*\w[^*\n]{0,200}\*\*(?:[\s.,:]|$)/.test(text)
  );
};

/** Whether each line sets a variable, and none runs something with it. */
function isVariableFile(lines: readonly string[]): boolean {
  if (lines.length === 0 || !lines.every((line) => /^\s*(?:export\s+)?[A-Za-z_][\w.]*=/.test(line)))
    return false;
  const commands = lines.filter((line) => {
    const { words } = splitCommandLine(line.replace(/^\s*export\s+/, ''));
    return leadingAssignments(words).length < words.length;
  });
  return commands.length === 0 || (lines.length > 1 && commands.length !== 1);
}

const variableFile = {
  what: 'These are environment variables, as in an .env file. No server is among them.',
  next: 'Import the server, and add the variables to its settings.',
};

const markdown = {
  what: 'This is a page of text (Markdown) without a code block that has a server.',
  next: 'Paste only the configuration or the command line that the page shows.',
};

/** Words by which a sentence is told from a command line. */
const commonWords: ReadonlySet<string> = new Set(
  (
    'the a an to your you this that these it is are in on of for with and or then if will can should must first next ' +
    'we i my our be from into der die das ein eine und zu mit le la les un une et pour el los para con y'
  ).split(' '),
);

/** Whether a line is a sentence and no command line. */
export function isProse(line: string): boolean {
  const words = line.trim().split(/\s+/, 200);
  const [first = ''] = words;
  if (words.length < 3)
    return words.length === 2 && /^\p{Lu}\p{Ll}+$/u.test(first) && /[.:!?]$/.test(line.trim());
  const common = words.filter((word) => commonWords.has(withoutEnd(word.toLowerCase(), ',.;:!?'))).length;
  const isCapital = /^\p{Lu}\p{Ll}*[,:]?$/u.test(first) && !/^[A-Z]:/.test(first);
  const isPlain = words.every(
    (word) =>
      /^["'(\u201c\u2018]?[\p{L}'\u2019-]+[)"'\u201d\u2019]?[,.;:!?]*$/u.test(word) && !word.startsWith('-'),
  );
  if (isCapital && (common > 0 || isPlain)) return true;
  if (/^[\p{L}'\u2019]+$/u.test(first) && common >= 2 && words.length >= 5) return true;
  if (isPlain && words.length >= 5) return true;
  return isPlain && (common > 0 || /[.!?:]$/.test(line.trim())) && words.length >= 4;
}

/** A section of an INI file, whose values have no quotation marks. */
const isIni = /^\[[A-Za-z][\w .:-]{0,80}\][ \t]*\r?\n[A-Za-z][\w.-]{0,80}=[^\s"'[{\d]/;

/** A badge, or another link of Markdown. */
const isLinkedImage = /^\[(?:!\[|[^\][{}"\n]{1,200}\]\()/;

/** `[ada@host ~]$ ` */
const isPrompt = /^\[[\w.-]{1,80}@[^\]\n]{1,200}\][$#] /;

interface Rejection {
  /** What the text begins with. */
  readonly begins?: RegExp;
  /** What one of its lines has. */
  readonly has?: RegExp;
  readonly what: string;
  readonly next: string;
}

const pasteConfiguration = 'Paste the configuration of a client, or the command line that starts the server.';

/** Kinds of text that are known and have no servers to import. The first that matches says what it is. */
const rejections: readonly Rejection[] = [
  {
    begins: /^#!/,
    what: 'This is a script.',
    next: 'Import the command line that starts it, such as "bash /path/of/the/script.sh".',
  },
  {
    begins:
      /^(?:<!doctype html|<(?:html|head|body|div|p|a|h[1-6]|table|details|img|br|script|svg|span|center|ul|ol|section|main|pre|code)\b)/i,
    what: 'This is HTML, a page of the web.',
    next: 'Copy the configuration that the page shows, without the page.',
  },
  {
    begins: /^(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE plist|<plist)/,
    what: 'This is a property list (plist).',
    next: pasteConfiguration,
  },
  {
    begins: /^<(?!https?:)[?!A-Za-z]/,
    what: 'This is XML.',
    next: 'JetBrains IDEs show their servers as JSON in the settings of the AI Assistant: paste that.',
  },
  {
    begins: /^&(?:lt|gt|quot|amp|#\d{1,5});/,
    what: 'This is a part of HTML, whose characters are escaped.',
    next: 'Copy the configuration from the page as it is shown.',
  },
  {
    begins: /^>>> /,
    what: 'This is the code of a program.',
    next: 'Import the command line that starts it.',
  },
  {
    begins: isIni,
    what: 'This is an INI file, such as systemd and desktops have.',
    next: 'Import the command line in it.',
  },
  { begins: /^-----BEGIN /, what: 'This is a certificate or a key (PEM).', next: pasteConfiguration },
  {
    begins: /^(?:diff --git |Index: |--- \S[^\n]*\n\+\+\+ )/,
    what: 'This is a patch (diff).',
    next: 'Import the file that it changes.',
  },
  {
    begins:
      /^(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|hf|npm|pplx|tvly|AIza|AKIA|eyJ)[\w.-]{16,}\s*$/,
    what: 'This looks like a key or a token.',
    next: 'Paste the configuration of the server, and enter the key in its settings.',
  },
  {
    begins: /^(?:@?echo off|@?setlocal|rem )/i,
    what: 'This is a batch file of Windows.',
    next: 'Import the command line that starts it, such as "cmd /c C:\\folder\\server.bat".',
  },
  {
    begins: /^(?:param\s*\(|function\s+[A-Z]\w*-\w+|<#)/i,
    what: 'This is a script of PowerShell.',
    next: 'Import the command line that starts it, such as "pwsh -File C:\\folder\\server.ps1".',
  },
  {
    begins: /^FROM \S+(?: AS \S+)?\s*\n/i,
    what: 'This is a Dockerfile.',
    next: 'Import the "docker run" of its image.',
  },
  {
    has: /^\s*(?:import\s+[\w{*"'(]|from\s+[\w.]+\s+import\b|(?:const|let|var)\s+[\w{[]|(?:async\s+)?def\s+\w+\(|(?:async\s+)?function\b[^(\n]{0,80}\(|class\s+\w+\s*[:({]|export\s+(?:default|const|let|class|function|async|type|interface)\b|package\s+\w+;?\s*$|use\s+\w+::|(?:pub\s+)?fn\s+\w+|public\s+(?:class|static)|module\.exports|await\s+\w|return\s+\S|console\.\w+\(|print\(|with\s+\w+\(|#include\b)/,
    what: 'This is the code of a program.',
    next: 'Import the command line that starts it.',
  },
  {
    has: /^\s*(?:function\s+[\w-]+\s*\{|if\s+\[|if\s*\(|elif\s|fi\s*$|done\s*$|esac\s*$|then\s*$|do\s*$|for\s+\w+\s+in\s|while\s+(?:read|true|\[)|set\s+-[a-z]+\s*$|set -o |\w+\(\)\s*\{|trap\s)/,
    what: 'This is a script.',
    next: 'Import the command line that starts it, such as "bash /path/of/the/script.sh".',
  },
  {
    has: /^\s*(?:Traceback \(most recent call last\)|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d)/,
    what: 'This is a log, or the output of a program.',
    next: pasteConfiguration,
  },
];
