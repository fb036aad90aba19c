import type { ClientFormat, LeftOut } from '#shared/contract/servers.ts';
import { leadingAssignments, splitCommandLine } from '#shared/command-line.ts';
import { isRunner, programOf } from '#shared/server-names.ts';
import type { NamedEntry } from './install-links.ts';

/**
 * Commands of other clients that add a server to their configuration, such as `claude mcp add`. They are read as the entry that
 * the client would write, and are never run.
 */
interface ClientCommand {
  readonly programs: readonly string[];
  /** The words after the program. */
  readonly words: readonly string[];
  readonly format: ClientFormat;
  readonly read: (args: readonly string[]) => Added | Refused;
}

interface Added {
  readonly name: string | null;
  /** JSON. */
  readonly entry: string;
  readonly leftOut: readonly LeftOut[];
  readonly readAs?: ClientFormat;
}

interface Refused {
  readonly what: string;
  readonly next: string;
}

export type ReadClientCommand =
  | (NamedEntry & { readonly leftOut: readonly LeftOut[] })
  | (Refused & { readonly entry: null });

/** Reads a command that adds a server to a client; null if it is another command. */
export function readClientCommand(words: readonly string[]): ReadClientCommand | null {
  const [first = '', ...rest] = words;
  const program = programOf(first).toLowerCase();
  const row = clientCommands.find(
    (one) => one.programs.includes(program) && one.words.every((word, at) => rest[at] === word),
  );
  if (row !== undefined) {
    const read = row.read(rest.slice(row.words.length));
    if (!('entry' in read)) return { ...read, entry: null };
    return { ...read, format: row.format };
  }
  const taking = takingServer.find(
    ({ programs, option }) => programs.includes(program) && valueOf(rest, option) !== null,
  );
  if (taking !== undefined) {
    const value = valueOf(rest, taking.option) ?? '';
    if (taking.as !== undefined && value !== '') {
      const entry = taking.as(value);
      return { format: taking.format, readAs: 'claude-code', name: null, entry, leftOut: [] };
    }
    if (value.trimStart().startsWith('{'))
      return { format: taking.format, name: null, entry: value, leftOut: [] };
    return {
      entry: null,
      what: `"${program} ${taking.option}" has no ${taking.as === undefined ? 'JSON with a server' : 'server'} after it.`,
      next: 'Import the file that it names, or paste the whole command.',
    };
  }
  const isOther = otherCommands.has(program) && rest[0] === 'mcp';
  if (!isOther) return null;
  return {
    entry: null,
    what: `"${[program, 'mcp', ...rest.slice(1, 2).filter((word) => /^[a-z-]{1,40}$/.test(word))].join(' ')}" is a command of a client, and adds no server.`,
    next: 'Import the configuration file of this client.',
  };
}

/** The word after an option, or after its `=`; null without the option. */
function valueOf(words: readonly string[], option: string): string | null {
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`));
  if (at === -1) return null;
  return words[at] === option ? (words[at + 1] ?? '') : (words[at]?.slice(option.length + 1) ?? '');
}

/** Programs that take a server after an option: as JSON, or as a command line or an address. */
const takingServer: readonly {
  programs: readonly string[];
  option: string;
  format: ClientFormat;
  /** The JSON of the entry; by default the value is JSON itself. */
  as?: (value: string) => string;
}[] = [
  {
    programs: ['code', 'code-insiders', 'codium', 'vscodium'],
    option: '--add-mcp',
    format: 'vscode',
  },
  { programs: ['cursor'], option: '--add-mcp', format: 'cursor' },
  { programs: ['windsurf'], option: '--add-mcp', format: 'windsurf' },
  { programs: ['claude'], option: '--mcp-config', format: 'claude-code' },
  { programs: ['amp'], option: '--mcp-config', format: 'amp' },
  { programs: ['goose'], option: '--with-extension', format: 'goose', as: entryOfLine },
  {
    programs: ['goose'],
    option: '--with-streamable-http-extension',
    format: 'goose',
    as: (url) => JSON.stringify({ type: 'http', url }),
  },
  {
    programs: ['goose'],
    option: '--with-remote-extension',
    format: 'goose',
    as: (url) => JSON.stringify({ type: 'sse', url }),
  },
  { programs: ['copilot'], option: '--additional-mcp-config', format: 'copilot-cli' },
  { programs: ['warp', 'oz'], option: '--mcp', format: 'warp' },
];

/** `API_KEY=x npx server` as an entry. */
function entryOfLine(line: string): string {
  const { words } = splitCommandLine(line);
  const variables = leadingAssignments(words);
  const [command = '', ...args] = words.slice(variables.length);
  const env = objectOf(variables.map(({ name, value }) => [name, value]));
  return JSON.stringify({ command, args, env });
}

const add = ['mcp', 'add'];

const clientCommands: readonly ClientCommand[] = [
  addedBy('claude-code', ['claude'], ['mcp', 'add-json'], readJsonCommand),
  addedBy('claude-code', ['claude'], add, readAddCommand),
  addedBy('codex', ['codex'], add, readAddCommand),
  addedBy('gemini-cli', ['gemini', 'qwen'], add, readAddCommand),
  addedBy('copilot-cli', ['copilot'], add, readAddCommand),
  addedBy('opencode', ['opencode'], add, readAddCommand),
  addedBy('amp', ['amp'], add, readAddCommand),
  addedBy('kiro', ['kiro-cli', 'kiro'], add, readAddCommand),
  addedBy('amazon-q', ['q', 'qchat'], add, readAddCommand),
  addedBy(
    'command-line',
    ['droid', 'auggie', 'grok', 'codebuddy', 'devin', 'crush', 'iflow', 'openclaw'],
    add,
    readAddCommand,
  ),
];

const otherCommands: ReadonlySet<string> = new Set(clientCommands.flatMap(({ programs }) => programs));

/** Whether the program is a client that can add servers. */
export const isClientProgram = (word: string): boolean => otherCommands.has(programOf(word).toLowerCase());

function addedBy(
  format: ClientFormat,
  programs: readonly string[],
  words: readonly string[],
  read: ClientCommand['read'],
): ClientCommand {
  return { format, programs, words, read };
}

/** What an option of `mcp add` sets. */
type Option =
  | 'env'
  | 'header'
  | 'transport'
  | 'url'
  | 'bearer'
  | 'name'
  | 'command'
  | 'args'
  | 'cwd'
  | 'other'
  | 'switch';

/** The options of all clients: none has another meaning in another client. */
const options: Readonly<Record<string, Option>> = {
  '-e': 'env',
  '--env': 'env',
  '-H': 'header',
  '--header': 'header',
  '-t': 'transport',
  '--transport': 'transport',
  '--type': 'transport',
  '--url': 'url',
  '--bearer-token-env-var': 'bearer',
  '--name': 'name',
  '--command': 'command',
  '--args': 'args',
  '--cwd': 'cwd',
  '-s': 'other',
  '--scope': 'other',
  '--timeout': 'other',
  '--description': 'other',
  '--include-tools': 'other',
  '--exclude-tools': 'other',
  '--tools': 'other',
  '--agent': 'other',
  '--client-id': 'other',
  '--oauth-client-id': 'other',
  '--auth': 'other',
  '--mode': 'other',
  '--callback-port': 'other',
  '--oauth-resource': 'other',
  '--client-secret': 'switch',
  '--trust': 'switch',
  '--force': 'switch',
  '--disabled': 'switch',
  '--workspace': 'switch',
  '-g': 'switch',
};

const left = {
  '-s': 'Sightglass has one list of servers, without scopes.',
  '--scope': 'Sightglass has one list of servers, without scopes.',
  '--timeout': 'Clients mean different units. Set the timeouts here if the defaults do not fit.',
} as const;

const reasonFor = (option: string): string =>
  option === '-s' || option === '--scope' || option === '--timeout'
    ? left[option]
    : 'It is a setting of the other client.';

/** `mcp add [options] NAME COMMAND_OR_URL [ARGS…]`, with `--` before the command or without it. */
function readAddCommand(words: readonly string[]): Added | Refused {
  const positional: string[] = [];
  const env: [string, string][] = [];
  const headers: [string, string][] = [];
  const leftOut: LeftOut[] = [];
  const args: string[] = [];
  const set: Partial<Record<Option, string>> = {};
  /** With a transport of HTTP, a variable is the address too. */
  const isAddress = (word: string) => isUrl(word) || /^(?!stdio)\w/.test(set.transport ?? '');
  let at = 0;
  let isBehindDashes = false;
  while (at < words.length) {
    const word = words[at] ?? '';
    const started = positional[set.name === undefined ? 1 : 0];
    const isStarted =
      isBehindDashes || (started !== undefined && !isAddress(started) && !isWholeLine(started));
    if (word === '--' && !isBehindDashes) {
      isBehindDashes = true;
      at++;
      continue;
    }
    // What follows a command belongs to it.
    if (isStarted || !word.startsWith('-')) {
      positional.push(word);
      at++;
      continue;
    }
    const [flag = '', inline] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word)?.slice(1) ?? [word];
    const option = options[flag] ?? (seemsToTakeValue.test(flag) ? 'other' : undefined);
    const hasValue = inline === undefined && option !== 'switch' && option !== undefined;
    const value = inline ?? (hasValue ? (words[at + 1] ?? '') : '');
    at += hasValue ? 2 : 1;
    if (option === 'env') {
      const values = [value];
      // Several variables may follow one option.
      while (/^[A-Za-z_]\w*=/.test(words[at] ?? '')) values.push(words[at++] ?? '');
      env.push(
        ...values.flatMap((one) => (set.name === undefined ? [one] : one.split(','))).map(pairOf('=')),
      );
    } else if (option === 'header') headers.push(pairOf(':')(value));
    else if (option === 'args') {
      const values = [value];
      // All arguments may follow one option, those that look like options too.
      while (at < words.length && options[words[at] ?? ''] === undefined) values.push(words[at++] ?? '');
      args.push(...(values.length > 1 ? values : listIn(value)));
    } else if (option === undefined || option === 'other' || option === 'switch')
      leftOut.push({
        key: flag,
        why: options[flag] === undefined ? 'Sightglass does not know this option.' : reasonFor(flag),
      });
    else set[option] = value;
  }
  const [name, ...rest] = set.name === undefined ? positional : [set.name, ...positional];
  const [first, ...others] = [...(set.command === undefined ? [] : [set.command]), ...rest];
  const url =
    set.url ?? (first !== undefined && set.transport !== 'stdio' && isAddress(first) ? first : undefined);
  if (name === undefined || (first === undefined && url === undefined)) {
    return {
      what: 'The command adds a server, and has no command line or address for it.',
      next: 'Paste the whole command, with all of its lines.',
    };
  }
  if ([name, first ?? ''].some((word) => /^[<[].*[>\]]$/.test(word))) return syntaxOnly;
  if (url !== undefined) {
    if (set.bearer !== undefined) headers.push(['Authorization', `Bearer \${${set.bearer}}`]);
    const type = transportOf(set.transport);
    const entry = {
      ...(type !== null && { type }),
      url,
      ...(headers.length > 0 && { headers: objectOf(headers) }),
    };
    for (const [variable] of env)
      leftOut.push({
        key: `--env ${variable}`,
        why: 'A server that is reached at an address has no variables.',
      });
    return { name, entry: JSON.stringify(entry), leftOut, readAs: 'claude-code' };
  }
  // A whole command line in one word is split as the client does.
  const whole = first !== undefined && isWholeLine(first) ? splitCommandLine(first).words : [first ?? ''];
  const [command = '', ...own] = whole;
  const entry = {
    command,
    args: [...own, ...others, ...args],
    ...(env.length > 0 && { env: objectOf(env) }),
    ...(set.cwd !== undefined && { cwd: set.cwd }),
  };
  return { name, entry: JSON.stringify(entry), leftOut, readAs: 'claude-code' };
}

/** `mcp add-json [options] NAME JSON`. */
function readJsonCommand(words: readonly string[]): Added | Refused {
  const at = words.findIndex((word) => word.trimStart().startsWith('{'));
  const name = words[at - 1];
  const entry = words[at];
  if (entry === undefined || name === undefined) {
    return {
      what: 'The command adds a server as JSON, and has no JSON.',
      next: 'Paste the whole command, with the name and the JSON in quotation marks.',
    };
  }
  const leftOut = words
    .slice(0, at - 1)
    .filter((word) => word.startsWith('-'))
    .map((key) => ({ key, why: reasonFor(key) }));
  return { name, entry, leftOut };
}

const syntaxOnly: Refused = {
  what: 'This line shows how the command is written. It has placeholders in place of a server.',
  next: 'Paste a command with the name and the command line of a server.',
};

/** Whether a word is a whole command line in quotation marks, and no path with spaces. */
const isWholeLine = (word: string): boolean => /\s/.test(word) && isRunner(word.split(/\s/, 1)[0] ?? '');

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

const transportOf = (written: string | undefined): string | null =>
  written === undefined ? null : /sse/i.test(written) ? 'sse' : 'http';

const pairOf =
  (separator: string) =>
  (written: string): [string, string] => {
    const at = written.indexOf(separator);
    return at === -1 ? [written, ''] : [written.slice(0, at).trim(), written.slice(at + 1).trim()];
  };

/** With prototypes out of the way: a name can be `__proto__`. */
const objectOf = (pairs: readonly [string, string][]): object => Object.fromEntries(pairs);

/** Options that no row knows; a word after them would be taken for the name of the server. */
const seemsToTakeValue =
  /[-_](?:id|key|token|secret|name|url|uri|path|file|port|dir|level|type|tools|auth|prompt)$/;

/** Several arguments in one word: a list of JSON, or with commas or spaces between them. */
function listIn(word: string): string[] {
  if (!word.startsWith('[')) return word.split(word.includes(',') ? ',' : ' ').filter((one) => one !== '');
  try {
    const parsed: unknown = JSON.parse(word);
    return Array.isArray(parsed) ? parsed.map(String) : [word];
  } catch {
    return [word];
  }
}
