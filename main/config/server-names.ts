/** Commands that run something else, which then tells servers apart. */
const runners: ReadonlySet<string> = new Set([
  'bun',
  'bunx',
  'deno',
  'electron',
  'node',
  'npx',
  'pnpx',
  'python',
  'python3',
  'tsx',
  'uvx',
]);

/** Last parts of an address that most MCP servers have. */
const usualEndings: ReadonlySet<string> = new Set(['mcp', 'sse']);

/** What the settings allow. */
const LONGEST = 200;

/** A name from what tells servers apart: `node build/index.js` is `index.js`, `npx -y pkg` is `pkg`. */
export function nameOfCommand(command: string, args: readonly string[]): string {
  const own = lastPart(command);
  const isRunner = runners.has(own.replace(/\.(cmd|exe)$/i, ''));
  return shorten(isRunner ? lastPart(args.find((arg) => !arg.startsWith('-')) ?? command) : own);
}

/** The host, and the path when it tells more: `https://api.example.com/github/mcp` is `api.example.com/github`. */
export function nameOfUrl(url: string): string {
  const { host, pathname } = new URL(url);
  const parts = pathname.split('/').filter(Boolean);
  if (usualEndings.has(parts.at(-1) ?? '')) parts.pop();
  return shorten([host, ...parts].join('/'));
}

const lastPart = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;

const shorten = (name: string): string => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
