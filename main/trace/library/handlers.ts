import type { Handlers } from '#shared/contract/index.ts';
import type { TraceLibrary } from './library.ts';

type LibraryCommand = Extract<keyof Handlers, 'traces/list' | 'traces/rename' | 'traces/delete'>;

/** Answers the commands about the trace files of the data folder. */
export function libraryHandlers(library: TraceLibrary): Pick<Handlers, LibraryCommand> {
  return {
    'traces/list': async () => ({ folder: library.folder, files: await library.list() }),
    'traces/rename': ({ path, name }) => library.rename(path, name),
    'traces/delete': async ({ path }) => {
      await library.delete(path);
      return null;
    },
  };
}
