import { z } from 'zod';
import type { Params } from '#shared/contract/index.ts';
import type { CliOption } from './command.ts';
import { readDuration } from './duration.ts';
import { UsageError } from './exit-codes.ts';
import { quoted } from './given.ts';
import { readJsonObject } from './json-input.ts';

/** What goes along with a call, whatever it calls. */
export const callOptions: readonly CliOption[] = [
  ['--meta <json>', 'members for _meta of the request: a JSON object or @FILE; they win over our own'],
  ['--task [ttl]', 'ask for a task, to be kept for this time (MCP 2025-11-25), such as 60s'],
  ['--progress', 'print progress on stderr even when that is no terminal'],
  ['--json', 'print the result as JSON, exactly as received'],
];

export const callOptionsSchema = z.object({
  meta: z.string().optional(),
  task: z.union([z.literal(true), z.string()]).optional(),
  progress: z.boolean().optional(),
  json: z.boolean().default(false),
});
type CallOptions = z.infer<typeof callOptionsSchema>;

export type CallParams = Pick<Params<'calls/request'>, 'timeout' | 'maxTimeout' | 'meta' | 'task'>;

/** The params that the options of a call stand for. @throws UsageError */
export function readCallParams({ meta, task }: CallOptions): CallParams {
  return {
    timeout: null,
    ...(meta !== undefined && { meta: readJsonObject('--meta', meta) }),
    ...(task !== undefined && { task: { ttl: task === true ? null : readTtl(task) } }),
  };
}

function readTtl(text: string): number {
  if (/^\d/.test(text)) return readDuration('--task', text);
  throw new UsageError(
    `--task wants a time or nothing; it is ${quoted(text)}; put --task behind all arguments`,
  );
}
