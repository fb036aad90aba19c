import type { Handlers } from '#shared/contract/index.ts';
import type { Settings } from '#shared/contract/settings.ts';
import { Intake } from './intake.ts';
import { type LibraryOptions, TraceLibrary } from './library.ts';
import { Retention } from './retention.ts';

interface Library {
  readonly handlers: LibraryHandlers;
  /** Brings back a deleted file. @throws FaultError if it is gone */
  restore(held: { readonly path: string; readonly heldAt: string }): Promise<void>;
  /** The retention limits changed. */
  limitsChanged(): void;
  /** Stops all work, once every session has ended. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts managing the traces of the data folder: lists them, receives further ones, and deletes those beyond the
 * retention limits, now, whenever a session has ended and when the limits change.
 *
 * @param limits the retention limits
 */
export function beginLibrary(
  options: LibraryOptions & { readonly limits: () => Promise<Settings['retention']> },
): Library {
  const library = new TraceLibrary(options);
  const intake = new Intake({
    folder: library.folder,
    keep: (part, name) => library.takeIn(part, name),
  });
  const retention = new Retention({
    folder: library.folder,
    limits: options.limits,
    isInUse: (path) => library.isInUse(path),
    onDeleted: () => library.noteChange(),
  });
  options.sessions.onBegin((_sessionId, trace) => {
    void trace.file.closed.then(() => retention.run());
  });
  const begun = Promise.all([retention.run(), intake.sweep()]);
  return {
    handlers: libraryHandlers(library, intake),
    restore: (held) => library.restore(held),
    limitsChanged: () => void retention.run(),
    close: async () => {
      await begun;
      await Promise.all([intake.close(), retention.close()]);
      await library.close();
    },
  };
}

type LibraryHandlers = Pick<Handlers, 'traces/list' | 'traces/rename' | 'traces/delete' | 'traces/receive'>;

/** Handles the commands about the trace files of the data folder. */
function libraryHandlers(library: TraceLibrary, intake: Intake): LibraryHandlers {
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
