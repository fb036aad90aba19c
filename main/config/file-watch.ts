import { type FSWatcher, watch, type WatchEventType } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import type { WatchedPath } from '#shared/contract/rebuild.ts';
import { formatQuantity } from '#shared/format.ts';

/** Limit of watched files, and of folders: beyond it, looking at them would take longer than a build. */
const MAX_FILES = 5000;
const MAX_FOLDERS = 1000;

/** Milliseconds without a further change until a change is reported: a build writes many files. */
const QUIET_AFTER = 200;

/** Milliseconds after which a change is reported although further ones follow: a server may write all the time. */
const LONGEST_WAIT = 2000;

/**
 * Milliseconds for which a path that vanished holds back changes: a build that removes what it writes again is not over. A path that
 * stays away longer was removed on purpose.
 */
const LONGEST_ABSENCE = 10_000;

/** Milliseconds between two looks where the system reports no changes, such as on a network drive. */
const LOOK_EVERY = 2000;

const ignoredFolders: ReadonlySet<string> = new Set([
  'node_modules',
  '__pycache__',
  'venv',
  'bower_components',
]);

const codeEndings: ReadonlySet<string> = new Set(
  (
    '.js .mjs .cjs .jsx .ts .mts .cts .tsx .py .rb .php .go .rs .java .kt .kts .scala .jar .class .cs .fs .dll .exe ' +
    '.swift .ex .exs .erl .lua .pl .sh .wasm .node .so .dylib .c .cc .cpp .h .hpp .toml'
  ).split(' '),
);

interface FileWatchOptions {
  readonly paths: readonly WatchedPath[];
  /** Called with the files that changed, once no further one does. */
  readonly onChange: (files: string[]) => void;
  readonly quietAfter?: number;
  readonly longestAbsence?: number;
}

/** The state of a file, by path: another text after each change. */
type Snapshot = ReadonlyMap<string, string>;

interface Scan {
  readonly files: Snapshot;
  readonly folders: ReadonlySet<string>;
  /** Paths that do not exist. */
  readonly missing: readonly string[];
  /** The limit that something was left out for, such as `5,000 files`; null if all is watched. */
  readonly limit: string | null;
}

/**
 * Watches files and folders. An event of the system only says when to look; what changed is found by comparing two scans, so
 * a file that an editor replaces by renaming is one change, and a file that was only read is not a change.
 */
export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #scan: Scan = { files: new Map(), folders: new Set(), missing: [], limit: null };
  /** What was there when a change was last reported. */
  #reported: Snapshot = new Map();
  /** The paths that existed at the last look. */
  #present: ReadonlySet<string> = new Set();
  /** The paths that vanished, with the time of the look that missed them. */
  readonly #vanishedAt = new Map<string, number>();
  /** When the first change came that was not reported yet. */
  #changingSince: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #mustLookAgain = false;
  /** Whether the system reports no changes of some folder. */
  #mustPoll = false;
  #isClosed = false;

  private constructor(options: FileWatchOptions) {
    this.#options = options;
  }

  /** Begins to watch; later changes are reported. */
  static async begin(options: FileWatchOptions): Promise<FileWatch> {
    const watched = new FileWatch(options);
    watched.#scan = await scan(options.paths);
    watched.#reported = watched.#scan.files;
    watched.#notePaths();
    watched.#follow();
    // Something may have changed before the folders were watched.
    watched.#lookIn(0);
    return watched;
  }

  /** How many files are watched. */
  get files(): number {
    return this.#scan.files.size;
  }

  /** Why something is not watched, in one sentence; null if all is. */
  get notWatched(): string | null {
    const { missing, limit } = this.#scan;
    if (missing.length > 0) return `${missing.join(', ')} does not exist yet.`;
    return limit === null ? null : `Only the first ${limit} are watched.`;
  }

  /** Stops watching; nothing is reported afterwards. Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches the folders that were found, and no others; returns whether there is a new one. */
  #follow(): boolean {
    const { folders, missing } = this.#scan;
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    this.#mustPoll = missing.length > 0;
    const unwatched = [...folders].filter((folder) => !this.#watchers.has(folder));
    for (const folder of unwatched) this.#watch(folder);
    return unwatched.some((folder) => this.#watchers.has(folder));
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        // The folder was removed or replaced: the next look watches the one in its place.
        if (event === 'rename' && name === basename(folder)) this.#unwatch(folder);
        // Not every system tells the name.
        if (name === null || this.#mayCount(folder, event, name)) this.#lookSoon();
      });
      watcher.on('error', () => {
        watcher.close();
        // The error may come late, when the folder has a new watcher.
        if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder);
        this.#lookIn(LOOK_EVERY);
      });
      this.#watchers.set(folder, watcher);
    } catch {
      // The system has no more watches, or the folder is gone by now.
      this.#mustPoll = true;
    }
  }

  /** Ends the watch of a folder and of those in it. */
  #unwatch(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }

  #notePaths(): void {
    const missing = new Set(this.#scan.missing);
    const paths = this.#options.paths.map(({ path }) => path);
    for (const path of paths) {
      if (!missing.has(path)) this.#vanishedAt.delete(path);
      else if (this.#present.has(path)) this.#vanishedAt.set(path, Date.now());
    }
    this.#present = new Set(paths.filter((path) => !missing.has(path)));
  }

  /** Whether a build seems to be under way that has removed a path and not written it yet. */
  get #isBuilding(): boolean {
    const { longestAbsence = LONGEST_ABSENCE } = this.#options;
    return [...this.#vanishedAt.values()].some((at) => Date.now() - at < longestAbsence);
  }

  /** Whether an event may be about a file or a folder that counts. */
  #mayCount(folder: string, event: WatchEventType, name: string): boolean {
    const path = join(folder, name);
    const { paths } = this.#options;
    if (this.#scan.files.has(path) || paths.some((one) => one.path === path)) return true;
    if (name === basename(folder)) return true;
    // A new folder may have any name that a file of code does not have.
    if (event === 'rename') return isCounted(name, false) && !ignoredFolders.has(name);
    return paths.some(({ onlyCode }) => isCounted(name, onlyCode));
  }

  /** Looks once nothing has changed for a moment, or after the longest wait. */
  #lookSoon(): void {
    this.#changingSince ??= Date.now();
    this.#lookIn(Math.max(0, Math.min(this.#quietAfter, this.#changingSince + LONGEST_WAIT - Date.now())));
  }

  get #quietAfter(): number {
    return this.#options.quietAfter ?? QUIET_AFTER;
  }

  #lookIn(milliseconds: number): void {
    if (this.#isClosed) return;
    if (this.#isLooking) {
      this.#mustLookAgain = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), milliseconds).unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const now = await scan(this.#options.paths);
    this.#isLooking = false;
    if (this.#isClosed) return;
    const mustLookAgain = this.#mustLookAgain;
    this.#mustLookAgain = false;
    const isQuiet = changedFiles(this.#scan.files, now.files).length === 0 && !mustLookAgain;
    const isLate = this.#changingSince !== null && Date.now() - this.#changingSince >= LONGEST_WAIT;
    this.#scan = now;
    this.#notePaths();
    const hasNewFolder = this.#follow();
    const changed = changedFiles(this.#reported, now.files);
    const isPending = (changed.length > 0 && !isQuiet && !isLate) || mustLookAgain;
    if (!isPending || isLate) this.#changingSince = null;
    if (changed.length > 0 && (isQuiet || isLate) && !this.#isBuilding) {
      this.#reported = now.files;
      this.#options.onChange(changed);
    }
    if (isPending) this.#lookSoon();
    // Something may have changed in a new folder before it was watched.
    else if (hasNewFolder) this.#lookIn(this.#quietAfter);
    else if (this.#mustPoll) this.#lookIn(LOOK_EVERY);
  }
}

/** The files that are new, gone or different, sorted. */
function changedFiles(before: Snapshot, now: Snapshot): string[] {
  const changed = [...now].flatMap(([path, state]) => (before.get(path) === state ? [] : [path]));
  for (const path of before.keys()) if (!now.has(path)) changed.push(path);
  return changed.toSorted();
}

interface Found {
  readonly files: Map<string, string>;
  readonly folders: Set<string>;
  limit: string | null;
}

async function scan(paths: readonly WatchedPath[]): Promise<Scan> {
  const found: Found = { files: new Map(), folders: new Set(), limit: null };
  const missing: string[] = [];
  for (const { path, onlyCode } of paths) {
    const kind = await addFile(found.files, path);
    if (kind === 'folder') await addFolder(found, path, onlyCode);
    // A file is watched by its folder: watching the file itself would end when it is replaced.
    else found.folders.add(dirname(path));
    if (kind === 'missing') missing.push(path);
  }
  return { ...found, missing };
}

/** Adds the state of a path if it is a file; returns what it is. */
async function addFile(files: Map<string, string>, path: string): Promise<'file' | 'folder' | 'missing'> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    files.set(path, `${found.mtimeMs} ${found.size} ${found.ino}`);
    return 'file';
  } catch {
    return 'missing';
  }
}

async function addFolder(found: Found, folder: string, onlyCode: boolean): Promise<void> {
  if (found.folders.size >= MAX_FOLDERS) {
    found.limit = formatQuantity(MAX_FOLDERS, 'folder');
    return;
  }
  found.folders.add(folder);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const subfolders: string[] = [];
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.') && !ignoredFolders.has(entry.name)) subfolders.push(path);
    } else if (isCounted(entry.name, onlyCode)) files.push(path);
  }
  const room = Math.max(0, MAX_FILES - found.files.size);
  if (files.length > room) found.limit = formatQuantity(MAX_FILES, 'file');
  await Promise.all(files.slice(0, room).map((path) => addFile(found.files, path)));
  for (const path of subfolders) await addFolder(found, path, onlyCode);
}

/** Whether a file counts: not what editors, interpreters and Sightglass write beside the code. */
function isCounted(name: string, onlyCode: boolean): boolean {
  if (name.startsWith('.') || /~$|\.(?:sw[a-p]|tmp|pyc|log|mcptrace)$|^4913$/.test(name)) return false;
  return !onlyCode || codeEndings.has(extname(name).toLowerCase()) || basename(name) === 'package.json';
}
