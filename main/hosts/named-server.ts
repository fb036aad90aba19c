import { resolve } from 'node:path';
import { z } from 'zod';
import type { NamedServer } from '#engine/platform.ts';
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

/** A named server on its way from one process of ours to another. */
export const namedServerSchema: z.ZodType<NamedServer> = z.discriminatedUnion('kind', [
  z.object({
    ...anyServer,
    kind: z.literal('stdio'),
    command: z.string(),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()).exactOptional(),
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

/** Not in the arguments: Chromium would look at them, and headers are secret. */
const VARIABLE = 'SIGHTGLASS_OPEN';

/** The variable that tells a process of ours which server to open. */
export function handOverInEnvironment(named: NamedServer | null): Record<string, string> {
  return named === null ? {} : { [VARIABLE]: JSON.stringify(named) };
}

/**
 * The server this process was started with: handed over by the terminal command, or the command line after `--`.
 * The variable is removed, so that no server inherits it.
 */
export function takeNamedServer(args: readonly string[], environment: NodeJS.ProcessEnv): NamedServer | null {
  const handedOver = environment[VARIABLE];
  delete environment[VARIABLE];
  const { commandLine } = splitAtDashes(args);
  const named = handedOver === undefined ? null : namedServerSchema.parse(JSON.parse(handedOver));
  if (named !== null) return named.kind === 'stdio' ? { ...named, cwd: resolve(named.cwd ?? '.') } : named;
  return commandLine === null ? null : { kind: 'stdio', ...commandLine, cwd: process.cwd() };
}
