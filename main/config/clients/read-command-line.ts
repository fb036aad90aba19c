import { leadingAssignments, splitCommandLine } from '#shared/command-line.ts';
import {
  type ConfigurationProblem,
  defaultClientProfile,
  plainHttpSettings,
  type ServerSettings,
  type TransportSettings,
  type Variable,
} from '#shared/contract/servers.ts';
import { holdsSecret } from '#shared/secret-names.ts';
import { isRunner, nameOfCommand, nameOfUrl } from '#shared/server-names.ts';
import { isOnlyPlaceholders } from '#config/placeholders.ts';
import { readClientCommand } from './client-commands.ts';
import { type Configuration, type Draft, plainSettings } from './draft.ts';
import { type NamedEntry, readInstallLink } from './install-links.ts';
import { preparationIn, rejectionOf } from './no-server-commands.ts';
import { isHttpUrl } from './read-entry.ts';
import { readShellText } from './shell-lines.ts';

/** Reads the entry of a client's file that a command or a link has in it. */
type ReadsEntry = (entry: NamedEntry) => Configuration;

interface Options {
  readonly isWindows: boolean;
  /** Whether the user says that it is a command line, so that it is no sentence. */
  readonly isChosen: boolean;
  readonly readEntry: ReadsEntry;
}

/**
 * Reads URLs and command lines, with variables before them if there are any, and the commands and links by which clients add
 * servers. What only prepares something, such as `npm install`, is named and left out.
 */
export function readCommandLine(text: string, options: Options): Configuration {
  const { commands, notes, isWindows } = readShellText(unwrapped(text), options);
  const reader = new CommandReader({ ...options, isWindows });
  for (const { line, text: command } of commands.slice(0, MAX_COMMANDS)) reader.read(command, line);
  reader.sayMore(commands[MAX_COMMANDS]?.line);
  const problems = [
    ...notes.map(({ line, what }) =>
      problemAt(line, what, 'Write the value itself, or import a script that does it.'),
    ),
    ...reader.problems,
  ].toSorted((one, other) => one.line - other.line);
  if (reader.refused !== null) return { format: null, servers: [], problems: [reader.refused] };
  if (reader.drafts.length > 0) return { format: reader.format, servers: keyed(reader.drafts), problems };
  const nothing =
    reader.hasVariables && problems.length === 0
      ? problemAt(1, 'There are only variables, and no command that uses them.', pasteMore)
      : problemAt(1, 'There is no command.', pasteMore);
  return { format: 'command-line', servers: [], problems: problems.length > 0 ? problems : [nothing] };
}

/** Commands that are read of a text; a page about a server has a few. */
const MAX_COMMANDS = 200;

const enterValue = 'Enter the value in the settings of the server.';

const pasteMore = 'Paste a command line, a URL or a configuration file.';

/** An address without the marks of a link around it. */
const unwrapped = (text: string): string => text.replace(/^\s*<(https?:\/\/[^>\s]+)>\s*$/, '$1');

interface Assignment {
  readonly name: string;
  readonly value: string;
}

const envEntry = ({ name, value }: Assignment) => ({
  name,
  value,
  secret: holdsSecret(name, value) && !isOnlyPlaceholders(value),
});

/** One server alone is at the beginning of the text. */
const keyed = (drafts: readonly Draft[]): Draft[] =>
  drafts.map((draft, index) => ({ ...draft, key: drafts.length === 1 ? '' : `/${index}` }));

const problemAt = (
  line: number,
  what: string,
  next: string,
  server: string | null = null,
): ConfigurationProblem => ({
  line,
  column: 1,
  server,
  what,
  next,
});

class CommandReader {
  readonly drafts: Draft[] = [];
  readonly problems: ConfigurationProblem[] = [];
  /** Why the text is no command line at all. */
  refused: ConfigurationProblem | null = null;
  format: Configuration['format'] = 'command-line';
  readonly #options: Options;
  /** Those that stay set for the commands that follow. */
  readonly #exported: Assignment[] = [];
  /** Those before the command. */
  #own: Assignment[] = [];
  /** Secrets that the words of the command repeat. */
  #inputs = new Map<string, string>();
  #folder: string | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  get hasVariables(): boolean {
    return this.#exported.length > 0;
  }

  read(text: string, line: number): void {
    const url = text.trim();
    if (isHttpUrl(url) && !/\s/.test(url) && readInstallLink(url) === null) return this.#address(url, line);
    const { words: written, error, unexpanded } = this.#splitForgiving(text);
    if (error !== null) return this.#problem(line, error, 'Correct the command line and import it again.');
    const [only = ''] = written;
    if (written.length === 1 && isHttpUrl(only) && readInstallLink(only) === null)
      return this.#address(only, line);
    const why = rejectionOf(text, written, this.#options.isChosen);
    if (why !== null) {
      this.refused ??= problemAt(line, why, pasteMore);
      return;
    }
    const known = new Set(unexpanded);
    const assigned = assignmentsIn(written);
    this.#own = [];
    this.#inputs = new Map();
    for (const { name, value } of assigned.variables) {
      if (/\$\(|`/.test(value) && (known.has('$(') || known.has('`')))
        this.#problem(
          line,
          `The value of ${name} comes from a command, which is not run. The variable is left out.`,
          enterValue,
        );
      else {
        const variables = assigned.count === written.length ? this.#exported : this.#own;
        variables.push({ name, value: this.#expanded(value, known) });
      }
    }
    const rest = written.slice(assigned.count).map((word) => this.#expanded(word, known));
    const target = withoutPeriod(inspected(rest));
    const left = unexpanded.filter((syntax) => !isExpanded(syntax));
    if (target.length > 0) this.#command(target, line, left);
    if (inspected(rest) !== rest)
      this.#leaveOut('@modelcontextprotocol/inspector', 'Sightglass takes its place.');
  }

  /** A word with the variables that a shell would replace: by what the text sets, else by those of the environment. */
  #expanded(word: string, known: ReadonlySet<string>): string {
    const { isWindows } = this.#options;
    const valueOf = (name: string) => this.#valueOf(name);
    const text = (known.has('~') ? word.replace(/^~(?=\/|$)/, '${userHome}') : word).replaceAll(
      /\$(?:\{\w+\}|[A-Za-z_]\w*)/g,
      (written) => (known.has(written) ? valueOf(written.replaceAll(/[${}]/g, '')) : written),
    );
    if (!isWindows) return text;
    return text
      .replaceAll(/\$env:(\w+)/gi, (_, name: string) => valueOf(name))
      .replaceAll(/%(\w+)%/g, (_, name: string) => valueOf(name));
  }

  #valueOf(name: string): string {
    const value = this.#exported.findLast((one) => one.name === name)?.value;
    if (value === undefined) return `\${env:${name}}`;
    if (!envEntry({ name, value }).secret) return value;
    this.#inputs.set(`input:${name}`, value);
    return `\${input:${name}}`;
  }

  /** A quotation mark at the end that opens nothing was copied with the line. */
  #splitForgiving(text: string) {
    const split = this.#split(text);
    const [, before = ''] = /^(.*)["']\s*$/s.exec(text) ?? [];
    const other = split.error === null || before === '' ? split : this.#split(before);
    return other.error === null ? other : split;
  }

  #split(text: string) {
    const { isWindows } = this.#options;
    const quotesSingle = isWindows && /(?:^|[\s=])'/.test(text);
    const split = splitCommandLine(text, { isWindows, quotesSingle });
    // The whole line in quotation marks.
    const [only] = split.words;
    const isWhole = split.words.length === 1 && only !== undefined && isRunner(only.split(/\s/, 1)[0] ?? '');
    return isWhole && /\s/.test(only) ? splitCommandLine(only, { isWindows, quotesSingle }) : split;
  }

  #command(words: readonly string[], line: number, unexpanded: readonly string[]): void {
    const [command = '', ...args] = words;
    if (/^(?:cd|pushd|set-location)$/i.test(command)) return this.#enter(args, line);
    const link = readInstallLink(command);
    const added = link ?? readClientCommand(words);
    if (added !== null) {
      if (added.entry !== null) return this.#entry(added, line);
      if ('what' in added) return this.#problem(line, added.what, added.next);
      return this.#problem(
        line,
        `This link installs a server into ${added.client}, and has no server in it.`,
        pasteMore,
      );
    }
    const preparing = preparationIn(words);
    if (preparing !== null) return this.#problem(line, preparing, 'Run it yourself if the server needs it.');
    const env = this.#variables().map(envEntry);
    const transport: TransportSettings = {
      kind: 'stdio',
      command,
      args,
      cwd: this.#folder,
      env,
      inherit: 'safe',
    };
    this.#add(
      plainSettings(nameOfCommand(command, args), transport, this.#inputVariables(), defaultClientProfile),
      line,
    );
    for (const syntax of unexpanded) {
      this.#problem(
        line,
        `No shell runs this command line, so ${syntax} reaches the program as it is written.`,
        'Write the value itself, or ${env:NAME} for a variable of the environment.',
      );
    }
  }

  #entry(added: NamedEntry & { readonly leftOut?: Draft['leftOut'] }, line: number): void {
    const { servers, problems } = this.#options.readEntry(added);
    this.format = added.format;
    this.problems.push(...problems.map((problem) => ({ ...problem, line, column: 1 })));
    const set = this.#variables();
    for (const { settings, leftOut } of servers) {
      const others = leftOut.filter(({ key }) => key !== 'name' && key !== 'inputs');
      const { transport } = settings;
      const names = new Set(transport.kind === 'stdio' ? transport.env.map(({ name }) => name) : []);
      const env = set.filter(({ name }) => !names.has(name)).map(envEntry);
      const variables = [
        ...(settings.variables ?? []).filter(({ name }) => !this.#inputs.has(name)),
        ...this.#inputVariables(),
      ];
      const whole = {
        ...settings,
        ...(transport.kind === 'stdio' && { transport: { ...transport, env: [...transport.env, ...env] } }),
        ...(variables.length > 0 && { variables }),
      };
      this.drafts.push({ key: '', line, settings: whole, leftOut: [...others, ...(added.leftOut ?? [])] });
    }
  }

  #enter([folder = '']: readonly string[], line: number): void {
    if (/^(?:\/|[A-Za-z]:[\\/]|\\\\|\$\{)/.test(folder)) this.#folder = folder;
    else if (/^~(?:\/|$)/.test(folder)) this.#folder = `\${userHome}${folder.slice(1)}`;
    else
      this.#problem(
        line,
        'The folder is left out, because it is not absolute.',
        'Set the folder in the settings of the server.',
      );
  }

  #variables(): Assignment[] {
    return [...new Map([...this.#exported, ...this.#own].map((one) => [one.name, one])).values()];
  }

  #inputVariables(): Variable[] {
    const description = 'A secret of the command line. Left empty, it keeps the value that the text has.';
    return Array.from(this.#inputs, ([name, value]) => ({ name, value, secret: true, description }));
  }

  #address(url: string, line: number): void {
    this.#add(plainSettings(nameOfUrl(new URL(url)), plainHttpSettings(url), [], defaultClientProfile), line);
  }

  #add(settings: ServerSettings, line: number): void {
    this.drafts.push({ key: '', line, settings, leftOut: [] });
  }

  /** Says where the commands begin that are not read. */
  sayMore(line: number | undefined): void {
    if (line !== undefined)
      this.#problem(
        line,
        `Only ${MAX_COMMANDS} commands of a text are read.`,
        'Import the others from a text of their own.',
      );
  }

  #leaveOut(key: string, why: string): void {
    const last = this.drafts.at(-1);
    if (last !== undefined)
      this.drafts[this.drafts.length - 1] = { ...last, leftOut: [...last.leftOut, { key, why }] };
  }

  #problem(line: number, what: string, next: string): void {
    this.problems.push(problemAt(line, what, next));
  }
}

/** Whether it is a variable that is replaced; special ones such as `$1` are not. */
const isExpanded = (syntax: string): boolean => /^(?:~|\$[A-Za-z_]\w*|\$\{\w+\})$/.test(syntax);

/** The variables that a command sets for itself or for those after it, and the words that this takes. */
function assignmentsIn(words: readonly string[]): { variables: Assignment[]; count: number } {
  const [first = ''] = words;
  const isKeyword = /^(?:export|set|env|cross-env|setx)$/i.test(first);
  const powershell = /^\$env:(\w+)(=.*)?$/is.exec(first);
  if (powershell?.[1] !== undefined) {
    const rest = [...(powershell[2] === undefined ? [] : [powershell[2]]), ...words.slice(1)].join(' ');
    const value = /^\s*=\s*(.*)$/s.exec(rest)?.[1];
    if (value !== undefined) return { variables: [{ name: powershell[1], value }], count: words.length };
  }
  const variables = leadingAssignments(isKeyword ? words.slice(1) : words);
  // A shell that only sets variables runs nothing after them.
  const isOnly = isKeyword && /^(?:export|set|setx)$/i.test(first);
  const count = isOnly && (variables.length > 0 || first === 'export') ? words.length : variables.length;
  return {
    variables,
    count: count === words.length || variables.length === 0 ? count : count + (isKeyword ? 1 : 0),
  };
}

/** A line that was copied from a sentence ends with its period or comma. */
const withoutPeriod = (words: readonly string[]): readonly string[] =>
  words.length > 1 ? [...words.slice(0, -1), (words.at(-1) ?? '').replace(/(?<=\w)[.,]$/, '')] : words;

/** The command that the MCP Inspector would start: the server that it inspects. */
function inspected(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => /^@modelcontextprotocol\/inspector(?:@|$)/.test(word));
  if (at === -1 || at > 4 || !isRunner(words[0] ?? '')) return words;
  const rest = words.slice(at + 1);
  const dashes = rest.indexOf('--');
  const target = dashes === -1 ? rest : rest.slice(dashes + 1);
  const [first = '-'] = target;
  return first.startsWith('-') ? words : target;
}
