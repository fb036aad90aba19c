import type { Handlers } from '#shared/contract/index.ts';
import type { Intake } from './intake.ts';
import type { TraceLibrary } from './library.ts';

export type LibraryHandlers = Pick<
  Handlers,
  'traces/list' | 'traces/rename' | 'traces/delete' | 'traces/receive'
>;

/** Answers the commands about the trace files of the data folder. */
export function libraryHandlers(library: TraceLibrary, intake: Intake): LibraryHandlers {
  return {
    'traces/list': async () => ({ folder: library.folder, files: await library.list() }),
    'traces/rename': ({ path, name }) => library.rename(path, name),
    'traces/delete': async ({ path }) => {
      await library.delete(path);
      return null;
    },
    'traces/receive': (piece) => intake.receive(piece),
  };
}
