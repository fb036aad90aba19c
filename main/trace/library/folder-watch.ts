import { type FSWatcher, watch } from 'node:fs';

/**
 * Tells when something happens in a folder. Where the system cannot watch it (some network drives, no watches left), what
 * other processes do there is seen when the folder is listed again.
 */
export class FolderWatch {
  readonly #folder: string;
  readonly #onChange: (name: string | null) => void;
  #watcher: FSWatcher | undefined;
  #isClosed = false;

  constructor(folder: string, onChange: (name: string | null) => void) {
    this.#folder = folder;
    this.#onChange = onChange;
  }

  /** Begins to watch, or again when the folder went away. Idempotent. */
  start(): void {
    if (this.#watcher !== undefined || this.#isClosed) return;
    let watcher: FSWatcher;
    try {
      watcher = watch(this.#folder, { persistent: false });
    } catch {
      return;
    }
    this.#watcher = watcher;
    watcher.on('change', (_change, name) => this.#onChange(name === null ? null : String(name)));
    watcher.on('error', () => this.#stop());
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #stop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
