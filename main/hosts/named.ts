import { resolve } from 'node:path';
import { z } from 'zod';
import type { Named, NamedFile, NamedServer } from '#engine/platform.ts';
import { clientProfileSchema, eraChoices, httpTransports } from '#shared/contract/servers.ts';
import { splitAtDashes } from './command-line.ts';

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
