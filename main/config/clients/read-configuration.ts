import type { ClientFormat, ConfigurationProblem } from '#shared/contract/servers.ts';
import { fileFormat } from '#shared/client-formats/table.ts';
import { formatQuantity } from '#shared/format.ts';
import type { Configuration } from './draft.ts';
import { type JsonSource, readJson } from './json-source.ts';
import { installLinksIn } from './install-links.ts';
import { fencedBlocks, jsonBetween, type Part } from './page-parts.ts';
import { readCommandLine } from './read-command-line.ts';
import { readTree, refused } from './read-tree.ts';
import { readSource, type Syntax, syntaxOf } from './syntaxes.ts';
import { type TextKind, textKind } from './text-kind.ts';

export interface ReadOptions {
  /** Where the text is from, if known: it tells the format and the workspace folder. */
  readonly path?: string | null | undefined;
  /** The format; by default it is detected. */
  readonly format?: ClientFormat | null | undefined;
  /** Whether command lines are those of Windows, where a backslash escapes nothing. */
  readonly isWindows?: boolean | undefined;
}

/**
 * Reads the servers of a configuration file, a command line, a URL or a `server.json` of the registry, also where a page of text
 * is around them. Never fails: what cannot be read is among the problems, and what is known to be something else is refused by
 * its name.
 */
export function readConfiguration(text: string, options: ReadOptions = {}): Configuration {
  // The marks of code around a text that was copied with them.
  const content = text.replace(/^\ufeff/, ' ').replace(/^(\s*)`(?!``)([^`]*)`\s*$/, '$1 $2');
  if (content.includes('\0')) return refused(noCharacters);
  if (content.trim() === '') return refused(empty);
  return options.format === 'command-line'
    ? readCommands(content, options)
    : readText(content, options, false);
}

/** @param isPart whether it is a part of another text, in which no other parts are looked for */
function readText(text: string, options: ReadOptions, isPart: boolean): Configuration {
  const found = textKind(text, options.path ?? null);
  const syntax = options.format == null ? 'json' : syntaxOf(options.format);
  // A file that has only settings may look like anything.
  const kind: TextKind = syntax === 'json' || found.kind === 'json' ? found : { kind: syntax };
  if (kind.kind === 'json') return readSyntax('json', text, options);
  const isNamedFile = /\.(?:toml|ya?ml)$/i.test(options.path ?? '');
  const ofPage = isPart || isNamedFile ? null : readBlocks(text, options);
  if (ofPage !== null) return ofPage;
  const read = readKind(kind, text, options);
  if (read.servers.length > 0 || isPart) return read;
  // A page that was saved under such a name.
  const ofOther = isNamedFile ? readBlocks(text, options) : readBetween(text, options);
  return ofOther ?? (kind.kind === 'refused' ? readLinks(text, options) : null) ?? read;
}

function readKind(kind: TextKind, text: string, options: ReadOptions): Configuration {
  if (kind.kind === 'refused') return refused(kind);
  if (kind.kind === 'commands') return options.format == null ? readCommands(text, options) : refused(noFile);
  return readSyntax(kind.kind, text, options);
}

const readSyntax = (syntax: Syntax, text: string, options: ReadOptions): Configuration =>
  readTree(readPasted(syntax, text), text, syntax, options);

function readPasted(syntax: Syntax, text: string): JsonSource {
  // An object of a program looks like YAML too.
  if (
    syntax !== 'json' &&
    !(syntax === 'yaml' && /^\s*['\u2018\w$-]+[\u2019']?\s*:\s*\{(?!\s*\})/.test(text))
  )
    return readSource(text, syntax);
  const json = readJson(text, { isLenient: true });
  return syntax === 'json' || json.errorAt === undefined ? json : readSource(text, syntax);
}

const readCommands = (text: string, options: ReadOptions): Configuration =>
  readCommandLine(text, {
    isWindows: options.isWindows === true,
    isChosen: options.format === 'command-line',
    readEntry: ({ format: client, readAs, name, entry }) => {
      const format = readAs ?? client;
      const whole = name === null ? entry : `{"${keyOfServers(format)}":{${JSON.stringify(name)}:${entry}}}`;
      const read = readConfiguration(whole, { format });
      // PowerShell passes quotation marks on only with a backslash before them.
      return read.servers.length > 0 || !whole.includes('\\"')
        ? read
        : readConfiguration(whole.replaceAll('\\"', '"'), { format });
    },
  });

const keyOfServers = (format: ClientFormat): string => fileFormat(format).containers[0]?.[0] ?? 'mcpServers';

/** The configuration in a code block of a page; null if it has none. */
function readBlocks(text: string, options: ReadOptions): Configuration | null {
  const blocks = fencedBlocks(text).map((part) => ({
    part,
    read: movedDown(readText(part.text, options, true), part),
  }));
  const withServers = blocks.filter(({ read }) => read.servers.length > 0);
  const [best] = withServers.toSorted((one, other) => rankOf(one.read) - rankOf(other.read));
  if (best !== undefined) {
    const others = withServers.filter((one) => one !== best).map(({ part }) => part.linesBefore + 1);
    return {
      ...best.read,
      problems: [...best.read.problems, ...(others.length > 0 ? [otherBlocks(others)] : [])],
    };
  }
  // Of a block with a mistake, the mistake.
  return blocks.find(({ read }) => read.format !== null && read.format !== 'command-line')?.read ?? null;
}

/** The JSON between other lines; null if it has no servers. */
function readBetween(text: string, options: ReadOptions): Configuration | null {
  for (const part of jsonBetween(text)) {
    const read = movedDown(readSyntax('json', part.text, options), part);
    if (read.servers.length > 0 && !read.problems.some(({ server }) => server === null)) return read;
  }
  return null;
}

/** The server of the first link that installs one; null if the page has none. */
function readLinks(text: string, options: ReadOptions): Configuration | null {
  const lineOf = (at: number) => text.slice(0, at).split('\n').length;
  const [first, ...others] = installLinksIn(text);
  if (first === undefined) return null;
  const linesBefore = lineOf(first.at) - 1;
  const read = movedDown(readCommands(first.link, options), { text: first.link, linesBefore });
  const lines = [...new Set(others.map(({ at }) => lineOf(at)))];
  const rest = others.length > 0 ? [otherLinks(others.length, lines)] : [];
  return read.servers.length > 0 ? { ...read, problems: [...read.problems, ...rest] } : null;
}

/** The configuration of a client is what a page is about; a command line may be that of an installation. */
const rankOf = ({ format }: Configuration): number => (format === 'command-line' ? 1 : 0);

const movedDown = (read: Configuration, { linesBefore }: Part): Configuration => ({
  ...read,
  servers: read.servers.map((draft) => ({ ...draft, line: draft.line + linesBefore })),
  problems: read.problems.map((problem) => ({ ...problem, line: problem.line + linesBefore })),
});

const otherBlocks = (lines: readonly number[]): ConfigurationProblem => ({
  line: lines[0] ?? 1,
  column: 1,
  server: null,
  what: `Only one code block is read. There are servers in ${formatQuantity(lines.length, 'other code block')}, in line ${lines.slice(0, 20).join(', ')}.`,
  next: 'Paste one of them alone to import its servers.',
});

const otherLinks = (count: number, lines: readonly number[]): ConfigurationProblem => ({
  line: lines[0] ?? 1,
  column: 1,
  server: null,
  what: `Only the first link that installs a server is read. There ${count === 1 ? 'is' : 'are'} ${formatQuantity(count, 'other')}, in line ${lines.join(', ')}.`,
  next: 'Paste one of them alone to import its server.',
});

const empty = {
  what: 'There is no command.',
  next: 'Paste a command line, a URL or a configuration file.',
};

const noCharacters = {
  what: 'The text has NUL characters: it was encoded as UTF-16, and read as another encoding.',
  next: 'Choose the file instead of pasting its text, or save it as UTF-8.',
};

const noFile = {
  what: 'This is no configuration file of the client that was chosen.',
  next: 'Let the format be detected, or paste the whole file.',
};
