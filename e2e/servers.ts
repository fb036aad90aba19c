import { fileURLToPath } from 'node:url';
import { compiledOnce } from '#fixtures/compiled-once.ts';
import { everythingOverStdio } from '#fixtures/http/start-server.ts';
import { misbehavingServer, type Word } from '#fixtures/misbehaving/command.ts';

export type Command = readonly string[];

/** The reference server that has one of everything, over stdio. */
export const everything: Command = [everythingOverStdio.command, ...everythingOverStdio.args];

/** The demo server, as a command line of the user's. */
export const demo: Command = [
  process.execPath,
  ...compiledOnce,
  fileURLToPath(import.meta.resolve('#fixtures/demo/index.ts')),
];

/** A published server, over stdio. */
export const published = (
  name: 'server-filesystem' | 'server-memory',
  ...args: readonly string[]
): Command => [
  process.execPath,
  fileURLToPath(import.meta.resolve(`../node_modules/@modelcontextprotocol/${name}/dist/index.js`)),
  ...args,
];

/** The server of our own that misbehaves in the given ways. */
export function misbehaving(...words: readonly Word[]): Command {
  const { command, args } = misbehavingServer(...words);
  return [command, ...args];
}

/** A command as it is typed in a terminal. */
export const typed = (command: Command): string => command.map((word) => `"${word}"`).join(' ');
