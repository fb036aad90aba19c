import { truncate } from './format.ts';

/** Names for servers, made of what tells them apart: for who does not want to think of one. */

/** Programs that are there to run others, which then tell servers apart. */
const runners: ReadonlySet<string> = new Set([
  'bun',
  'bunx',
  'deno',
  'docker',
  'electron',
  'node',
  'npx',
  'pipx',
  'pnpx',
  'python',
  'python3',
  'tsx',
  'uv',
  'uvx',
]);

/** Words of a runner that stand before what it runs. */
const verbs: ReadonlySet<string> = new Set(['run', 'exec']);

/** Options of the runners whose value is a word of its own, and not what is run. `-m` of Python is: its value is. */
const takeValue: ReadonlySet<string> = new Set([
  '--import',
  '--require',
  '-r',
  '--loader',
  '--experimental-loader',
  '--env-file',
  '-C',
  '--conditions',
  '--with',
  '--from',
  '--directory',
  '--python',
  '--project',
  '--env',
  '-e',
  '-p',
  '--label',
  '--platform',
  '--user',
  '--entrypoint',
  '-v',
  '--volume',
  '--mount',
  '--name',
  '--network',
  '--publish',
  '-w',
  '--workdir',
]);

/** Files and folders that are called the same everywhere, such as `dist/index.js`. */
const saysNothing = /^(?:\.*|dist|build|out|src|lib|bin|(?:index|main|server|__main__)\.\w+)$/;

/** Last parts of an address that most MCP servers have. */
const usualEndings: ReadonlySet<string> = new Set(['mcp', 'sse']);

/** What the settings allow. */
const LONGEST = 200;

/** A program's name without its folder and its ending. */
export const programOf = (command: string): string =>
  (partsOf(command).at(-1) ?? command).replace(/\.(?:exe|cmd|bat)$/i, '');

/** Whether the program is there to run others, such as `npx`. */
export const isRunner = (command: string): boolean => runners.has(programOf(command));

/** A name of the command line: `npx -y @a/b` is `@a/b`, `node notes/dist/index.js` is `notes`. */
export function nameOfCommand(command: string, args: readonly string[]): string {
  const target = isRunner(command)
    ? args.find(
        (word, place) =>
          !word.startsWith('-') &&
          !verbs.has(word) &&
          !takeValue.has(args[place - 1] ?? '') &&
          // A variable, whose value may be secret.
          !/^\w+=/.test(word),
      )
    : undefined;
  return truncate(target === undefined ? programOf(command) : nameOfTarget(target), LONGEST);
}

function nameOfTarget(target: string): string {
  // A package with its scope.
  if (target.startsWith('@')) return target;
  const parts = partsOf(target);
  return parts.findLast((part) => !saysNothing.test(part)) ?? parts.at(-1) ?? target;
}

/** The host, and the path when it tells more: `https://api.example.com/github/mcp` is `api.example.com/github`. */
export function nameOfUrl({ host, pathname }: { readonly host: string; readonly pathname: string }): string {
  const parts = pathname.split('/').filter(Boolean);
  if (usualEndings.has(parts.at(-1) ?? '')) parts.pop();
  return truncate([host, ...parts].join('/'), LONGEST);
}

const partsOf = (path: string): string[] => path.split(/[\\/]/).filter(Boolean);
