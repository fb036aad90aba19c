import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { objectOnOneLine, withMember, withOwnMeta } from '#session/rpc/request-text.ts';

/** What goes into the params of a call beside its own. */
export interface ParamsOptions {
  /** JSON text of an object for `_meta`. */
  readonly meta?: string | undefined;
  /** Milliseconds the task is to live that is asked for (MCP 2025-11-25 tasks); null leaves that to the server. */
  readonly task?: { readonly ttl: number | null } | undefined;
}

/** The params of a tool call. @throws FaultError when the arguments are no JSON object */
export const toolParams = (tool: string, args: string, options: ParamsOptions): string =>
  withOptions(`{"name":${JSON.stringify(tool)},"arguments":${textOf('arguments', args)}}`, options);

/** The params of any request; null when there are none. @throws FaultError when they are no JSON object */
export function requestParams(params: string | null, options: ParamsOptions): string | null {
  const own = params === null ? null : textOf('params', params);
  if (options.meta === undefined && options.task === undefined) return own;
  return withOptions(own ?? '{}', options);
}

function withOptions(params: string, { meta, task }: ParamsOptions): string {
  let whole = params;
  if (task !== undefined) {
    whole = withMember(whole, 'task', JSON.stringify(task.ttl === null ? {} : { ttl: task.ttl }));
  }
  if (meta !== undefined) whole = withOwnMeta(whole, textOf('_meta', meta));
  return whole;
}

/** @throws FaultError when it is no JSON object */
function textOf(what: string, json: string): string {
  const written = objectOnOneLine(json);
  if ('why' in written) throw new FaultError(noObject(what, written.why));
  return written.text;
}

const noObject = (what: string, why: string): Fault => ({
  code: 'bad-arguments',
  what: `The ${what} are not a JSON object.`,
  why,
  next: `Write the ${what} as an object, for example {"message": "hello"}.`,
});
