import { leadingAssignments, splitCommandLine } from '#shared/command-line.ts';
import {
  defaultClientProfile,
  plainHttpSettings,
  type ServerSettings,
  type TransportSettings,
} from '#shared/contract/servers.ts';
import { holdsSecret } from '#shared/secret-names.ts';
import { nameOfCommand, nameOfUrl } from '#shared/server-names.ts';
import { type Configuration, plainSettings } from './draft.ts';
import { isHttpUrl } from './read-entry.ts';

/** A URL alone, or a command line, with variables before it if there are any. */
export function readCommandLine(text: string, isWindows: boolean): Configuration {
  const line = text.trim().replace(/^\$ /, '');
  const done = (settings: ServerSettings): Configuration => ({
    format: 'command-line',
    servers: [{ key: '', line: 1, settings, leftOut: [] }],
    problems: [],
  });
  if (isHttpUrl(line) && !/\s/.test(line)) {
    return done(plainSettings(nameOfUrl(new URL(line)), plainHttpSettings(line), [], defaultClientProfile));
  }
  const { words, error, unexpanded } = splitCommandLine(line, { isWindows });
  const assigned = leadingAssignments(words);
  const [command, ...args] = words.slice(assigned.length);
  const failed = (what: string, next: string): Configuration => ({
    format: 'command-line',
    servers: [],
    problems: [{ line: 1, column: 1, server: null, what, next }],
  });
  if (error !== null) return failed(error, 'Correct the command line and import it again.');
  if (command === undefined)
    return failed('There is no command.', 'Paste a command line, a URL or a configuration file.');
  const env = assigned.map(({ name, value }) => ({ name, value, secret: holdsSecret(name, value) }));
  const transport: TransportSettings = { kind: 'stdio', command, args, cwd: null, env, inherit: 'safe' };
  const read = done(plainSettings(nameOfCommand(command, args), transport, [], defaultClientProfile));
  return {
    ...read,
    problems: unexpanded
      .filter((syntax) => !syntax.startsWith('${'))
      .map((syntax) => ({
        line: 1,
        column: 1,
        server: null,
        what: `No shell runs this command line, so ${syntax} reaches the program as it is written.`,
        next: 'Write the value itself, or ${env:NAME} for a variable of the environment.',
      })),
  };
}
