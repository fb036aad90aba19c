import { resolve } from 'node:path';
import { z } from 'zod';
import type { Named, NamedFile, NamedServer } from '#engine/platform.ts';
import { clientProfileSchema, eraChoices, httpTransports } from '#shared/contract/servers.ts';

const { capabilities, roots, rules } = clientProfileSchema.shape;

const anyServer = {
  era: z.enum(eraChoices).exactOptional(),
  revision: z.string().exactOptional(),
  timeout: z.number().exactOptional(),
  client: z
    .object({
      capabilities: capabilities.exactOptional(),
      roots: roots.exactOptional(),
      rules: rules.exactOptional(),
    })
    .exactOptional(),
};

const namedServerSchema: z.ZodType<NamedServer> = z.discriminatedUnion('kind', [
  z.object({
    ...anyServer,
    kind: z.literal('stdio'),
    command: z.string(),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()).exactOptional(),
    secretNames: z.array(z.string()).exactOptional(),
    cwd: z.string().exactOptional(),
  }),
  z.object({
    ...anyServer,
    kind: z.literal('http'),
    url: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])).exactOptional(),
    httpTransport: z.enum(httpTransports).exactOptional(),
  }),
]);

/** What a start names, on its way from one process of ours to another. */
export const namedSchema: z.ZodType<Named> = z.union([
  namedServerSchema,
  z.object({ kind: z.literal('file'), path: z.string() }),
]);

/** Not in the arguments: Chromium would look at them, and headers are secret. */
const VARIABLE = 'SIGHTGLASS_OPEN';

/** The variable that tells a process of ours what to open. */
export function handOverInEnvironment(named: Named | null): Record<string, string> {
  return named === null ? {} : { [VARIABLE]: JSON.stringify(named) };
}

/**
 * What this process was started with: handed over by the terminal command; or the command line after `--`, or a trace
 * file as a desktop names it. The variable is removed, so that no server inherits it.
 */
export function takeNamed(args: readonly string[], environment: NodeJS.ProcessEnv): Named | null {
  const handedOver = environment[VARIABLE];
  delete environment[VARIABLE];
  const named = handedOver === undefined ? null : namedSchema.parse(JSON.parse(handedOver));
  if (named !== null) return named.kind === 'stdio' ? { ...named, cwd: resolve(named.cwd ?? '.') } : named;
  const { own, commandLine } = splitAtDashes(args);
  if (commandLine !== null) return { kind: 'stdio', ...commandLine, cwd: process.cwd() };
  const file = own.find(isTraceName);
  return file === undefined ? null : namedFile(file);
}

/** Whether a word names a trace file by how it ends. */
export const isTraceName = (word: string): boolean => !word.startsWith('-') && /\.mcptrace$/i.test(word);

/** A file named where this process was started. */
export const namedFile = (path: string): NamedFile => ({ kind: 'file', path: resolve(path) });

/** A server to open, as it was named after `--`. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

interface SplitArguments {
  /** What is meant for us. */
  readonly own: readonly string[];
  /** What stands after the first `--`; null when there is no `--`, or nothing after it. */
  readonly commandLine: CommandLine | null;
  readonly hasDashes: boolean;
}

/** Splits arguments at the first `--`: what follows is a server's command line, none of our options. */
export function splitAtDashes(args: readonly string[]): SplitArguments {
  const dashes = args.indexOf('--');
  if (dashes === -1) return { own: args, commandLine: null, hasDashes: false };
  const [command, ...rest] = args.slice(dashes + 1);
  const commandLine = command === undefined ? null : { command, args: rest };
  return { own: args.slice(0, dashes), commandLine, hasDashes: true };
}
