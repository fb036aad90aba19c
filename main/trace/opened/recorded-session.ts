import type { RequireRedacted } from '#shared/contract/redacted.ts';
import type { CommandName, Handlers, Params, Result } from '#shared/contract/index.ts';
import type { TraceFromFile } from './trace-from-file.ts';

/** Commands about a session that its trace file answers after the session is gone. */
export const recordedCommands = [
  'traces/session',
  'sessions/changes',
  'catalog/tools',
  'catalog/resources',
  'catalog/templates',
  'catalog/prompts',
  'calls/list',
  'calls/history',
  'calls/of-row',
  'calls/result',
  'tasks/list',
  'tasks/resumable',
  'tasks/result',
  'inbox/list',
  'authorization/flows',
  'subscriptions/list',
] as const satisfies readonly CommandName[];
export type RecordedCommand = (typeof recordedCommands)[number];

export type RecordedHandlers = Pick<Handlers, RecordedCommand>;

/** Makes the handlers for the session in a trace file. */
export type MakeRecordedHandlers = (sessionId: string, trace: TraceFromFile) => RecordedHandlers;

/** Handlers that pass every command on. */
export function forwardingRecorded(
  forward: <N extends RecordedCommand>(command: N, params: Params<N>) => Promise<Result<N>>,
): RecordedHandlers {
  const to =
    <N extends RecordedCommand>(command: N) =>
    (params: Params<N>) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no secret was ever in the file
      forward(command, params) as Promise<RequireRedacted<Result<N>>>;
  return {
    'traces/session': to('traces/session'),
    'sessions/changes': to('sessions/changes'),
    'catalog/tools': to('catalog/tools'),
    'catalog/resources': to('catalog/resources'),
    'catalog/templates': to('catalog/templates'),
    'catalog/prompts': to('catalog/prompts'),
    'calls/list': to('calls/list'),
    'calls/history': to('calls/history'),
    'calls/of-row': to('calls/of-row'),
    'calls/result': to('calls/result'),
    'tasks/list': to('tasks/list'),
    'tasks/resumable': to('tasks/resumable'),
    'tasks/result': to('tasks/result'),
    'inbox/list': to('inbox/list'),
    'authorization/flows': to('authorization/flows'),
    'subscriptions/list': to('subscriptions/list'),
  };
}
