/** Names for servers, for who does not want to think of one. */

const runners: ReadonlySet<string> = new Set([
  'npx',
  'bunx',
  'uvx',
  'pipx',
  'uv',
  'docker',
  'node',
  'python',
  'python3',
  'deno',
  'bun',
]);

const base = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** The program's name without its folder and its ending. */
export const programOf = (command: string): string => base(command).replace(/\.(exe|cmd|bat)$/i, '');

/** Whether the program is there to run others, such as `npx`. */
export const isRunner = (command: string): boolean => runners.has(programOf(command));

/** A name made of the command line: `npx -y @a/b` is `@a/b`. */
export function nameFromCommand(command: string, args: readonly string[]): string {
  const program = programOf(command);
  if (!runners.has(program)) return program;
  const target = args.find((word) => !word.startsWith('-') && word !== 'run' && word !== 'exec');
  if (target === undefined) return program;
  if (target.startsWith('@')) return target;
  return target.split(/[\\/]/).findLast((part) => !saysNothing.test(part)) ?? base(target);
}

/** Files and folders that are called the same everywhere, such as `dist/index.js`. */
const saysNothing = /^(?:\.*|dist|build|out|src|lib|bin|(?:index|main|server|__main__)\.\w+)$/;

/** A name made of the URL: its host, and its port when that is not the usual one. */
export const nameFromUrl = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');
