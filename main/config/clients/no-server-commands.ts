import { isRunner, programOf } from '#shared/server-names.ts';
import { isClientProgram } from './client-commands.ts';
import { readInstallLink } from './install-links.ts';
import { isHttpUrl } from './read-entry.ts';
import { isProse } from './text-kind.ts';

/** Tells command lines that start a server from other commands, and from lines that are no commands. */

/** Programs that prepare something and start no server, with the words after them that say so. */
const preparations: readonly { readonly programs: string; readonly words?: RegExp }[] = [
  {
    programs: 'npm pnpm yarn bun',
    words:
      /^(?:install|i|ci|add|link|init|update|uninstall|run (?:build|compile|install)|build|login|version|-v|--version)(?: |$)/,
  },
  { programs: 'yarn', words: /^$/ },
  {
    programs:
      'pip pip3 uv pipx poetry conda brew apt apt-get dnf yum pacman choco scoop winget cargo go gem composer dotnet nix',
    words:
      /^(?:install|add|sync|venv|tool install|pip install|build|update|upgrade|mod|get|tap|init|restore|publish|lock|python install)(?: |$)/,
  },
  {
    programs: 'docker podman',
    words: /^(?:pull|build|login|compose|volume|network|ps|stop|rm|images|logs)(?: |$)/,
  },
  { programs: 'git gh', words: /^/ },
  { programs: 'smithery mcp-get', words: /^/ },
  {
    programs:
      'mkdir cp mv rm ls cat echo touch chmod chown source . curl wget tar unzip which whoami exit clear nano vim open explorer make cmake invoke-webrequest irm iwr iex setx unset alias read printf rem ollama',
    words: /^/,
  },
  { programs: 'claude codex gemini cursor windsurf code', words: /^/ },
];

/** Packages that add a server to the configuration of a client, and start none. */
const installers =
  /^(?:@smithery\/cli|add-mcp|install-mcp|mcp-add|mcp-installer|@michaellatman\/mcp-get|mint-mcp|mcp-remote-install|@composio\/mcp|mcpm)(?:@|$)/;

/** Why a command is no server; null if it may be one. */
export function preparationIn(words: readonly string[]): string | null {
  const all = words[0] === 'sudo' ? words.slice(1) : words;
  const [command = '', ...args] = all;
  const program = command === '.' ? '.' : programOf(command).toLowerCase();
  const isDocker = program === 'docker' || program === 'podman';
  const rest = args.join(' ');
  const found = preparations.find(
    ({ programs, words: after }) => programs.split(' ').includes(program) && after?.test(rest) === true,
  );
  if (found !== undefined && !(isDocker && rest.includes('compose run')))
    return `"${[program, /^[a-z-]+$/i.exec(args[0] ?? '')?.[0] ?? ''].join(' ').trim()}" prepares something and starts no server. It is left out.`;
  const isSmitheryRun = args.includes('run');
  const installer =
    isRunner(command) && !isSmitheryRun ? args.slice(0, 3).find((word) => installers.test(word)) : undefined;
  return installer === undefined
    ? null
    : `"${installer}" adds a server to the configuration of a client, and is no server itself.`;
}

/** Why a line is no command line; null if it may be one. */
export function rejectionOf(text: string, words: readonly string[], isChosen: boolean): string | null {
  const [first = '', second = ''] = words;
  if (words.length === 0) return null;
  if (!isChosen && !isRunner(first) && !isClientProgram(first) && isProse(text))
    return 'This is a sentence, and no command line.';
  if (/^(?:=|:=|:|=>|->)$/.test(second) && !/^\$env:/i.test(first))
    return 'This line sets something and is no command line.';
  if (readInstallLink(first) !== null) return null;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(first)) {
    return isHttpUrl(first)
      ? 'This is an address with other text after it.'
      : 'This is an address of a kind that no MCP server has: it begins neither with http:// nor with https://.';
  }
  if (/^[a-z][a-z0-9+.-]+:\S/i.test(first) && !/^(?:localhost|[\w.-]+):\d/.test(first))
    return 'This is a link, and no command line.';
  if (words.length === 1 && /^@[\w.-]+\/[\w.-]+(?:@[\w.^~-]+)?$/.test(first))
    return 'This is the name of a package. Write the command that starts it, such as "npx -y" before it.';
  if (words.length === 1 && isAddress(first))
    return 'This looks like an address without http:// or https:// before it.';
  if (
    words.length === 1 &&
    /\.(?:jsonc?|json5|toml|ya?ml|md|txt|env|mcpb|dxt|mcptrace|xml|plist|log|html?)$/i.test(first)
  )
    return 'This is the name of a file, and no command line.';
  if (
    !/\p{L}/u.test(first) ||
    (words.length === 1 && /^(?:null|true|false|yes|no|none|undefined)$/i.test(first))
  )
    return 'This line begins with no program.';
  if (cmdlet.test(first)) return `"${first}" is a command of PowerShell, and no program.`;
  if (/^[[{(<|*#=,;!@"'\u201c\u2018\u2022]/.test(first) && !/^@[\w-]+\/[\w.-]/.test(first))
    return 'This line begins with no program.';
  if (/:$|,/.test(first)) return 'This line begins with a key or a word of a sentence, and with no program.';
  if (/[^\0-\x7f]/.test(first) && !/[\\/]/.test(first))
    return 'This line begins with a word that is no program.';
  return null;
}

/** Of the hundreds of verbs of PowerShell, those that a page about a server has. */
const cmdlet =
  /^(?:Add|Copy|Export|ForEach|Get|Import|Install|Invoke|Move|New|Out|Remove|Restart|Select|Set|Start|Stop|Test|Where|Write)-[A-Z]\w+$/;

const isAddress = (word: string): boolean =>
  /^[\w-]+(?:\.[\w-]+)*:\d{2,5}(?:\/\S*)?$/.test(word) ||
  /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:\/|$)/i.test(word) ||
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d\S*|\/(?:mcp|sse)\S*)$/i.test(word) ||
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|dev|ai|app|cloud)(?:\/\S*)?$/i.test(word);
