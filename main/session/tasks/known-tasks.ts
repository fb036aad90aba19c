import type { Task } from '#shared/contract/tasks.ts';
import { Throttle } from '#trace/throttle.ts';
import { hasEnded } from './said-task.ts';

/** So many tasks are remembered; a server may make, list and tell of any number. */
export const MOST_KNOWN = 1000;

/** Milliseconds between two notices of how the tasks stand. */
const NOTICE_EVERY = 50;

export interface KnownTasksOptions {
  readonly redacted: <T>(value: T) => T;
  readonly onChange: (task: Task) => void;
}

/** Where the result of a task stands; the path is null for an error. */
export interface ResultPlace {
  readonly row: number;
  readonly path: readonly string[] | null;
}

interface KnownTask {
  view: Task;
  result: ResultPlace | null;
}

/** The tasks of one session as the screen knows them, in the order they became known. */
export class KnownTasks {
  readonly #options: KnownTasksOptions;
  readonly #tasks = new Map<string, KnownTask>();
  readonly #changed = new Set<string>();
  readonly #notice = new Throttle(NOTICE_EVERY, () => this.#tell());

  constructor(options: KnownTasksOptions) {
    this.#options = options;
  }

  list(): Task[] {
    return [...this.#tasks.values()].map(({ view }) => this.#options.redacted(view));
  }

  get(owner: Task['owner'], id: string): Task | undefined {
    return this.#tasks.get(keyOf(owner, id))?.view;
  }

  resultOf(owner: Task['owner'], id: string): ResultPlace | null {
    return this.#tasks.get(keyOf(owner, id))?.result ?? null;
  }

  /** Adds a task, or replaces what is known of it. */
  put(view: Task): void {
    const key = keyOf(view.owner, view.id);
    this.#tasks.set(key, { view, result: this.#tasks.get(key)?.result ?? null });
    if (this.#tasks.size > MOST_KNOWN) this.#forgetOne(key);
    this.#note(key);
  }

  /** What is known of a task has changed; nothing happens when it was forgotten. */
  change(owner: Task['owner'], id: string, change: Partial<Task>): void {
    const known = this.#tasks.get(keyOf(owner, id));
    if (known === undefined) return;
    known.view = { ...known.view, ...change };
    this.#note(keyOf(owner, id));
  }

  noteResult(owner: Task['owner'], id: string, place: ResultPlace): void {
    const known = this.#tasks.get(keyOf(owner, id));
    if (known === undefined) return;
    known.result = place;
    this.change(owner, id, { resultRow: place.row });
  }

  /** Tells what has changed now instead of soon. */
  flush(): void {
    this.#notice.flush();
  }

  /** The oldest that has ended, else the oldest that is not followed, else the oldest. */
  #forgetOne(but: string): void {
    const others = [...this.#tasks].filter(([key]) => key !== but);
    const [key] =
      others.find(([, { view }]) => hasEnded(view.status) && !view.isFollowed) ??
      others.find(([, { view }]) => !view.isFollowed) ??
      others[0] ??
      [];
    if (key !== undefined) this.#tasks.delete(key);
  }

  #note(key: string): void {
    this.#changed.add(key);
    this.#notice.request();
  }

  #tell(): void {
    const keys = [...this.#changed];
    this.#changed.clear();
    for (const key of keys) {
      const known = this.#tasks.get(key);
      if (known !== undefined) this.#options.onChange(this.#options.redacted(known.view));
    }
  }
}

/** Ids are given by their owners, so both sides may use the same one. */
const keyOf = (owner: Task['owner'], id: string): string => `${owner} ${id}`;
