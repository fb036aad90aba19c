import { type PathStep, pathText } from '#shared/json/path-pattern.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { mapLeaves, textInside } from '#shared/json/inner-json.ts';
import { lettersOf } from '#testing/called-tools.ts';

/** A value of a recorded response that a later request uses, such as the id of what was created. */
interface Source {
  readonly path: readonly PathStep[];
  readonly keys: readonly string[];
}

/** Shorter strings and smaller numbers occur by chance. */
const MIN_LENGTH = 6;
const MIN_NUMBER = 1000;

/** Members whose value the server makes up to get it back: it is followed however short it is, but only in such members. */
const tokenNames: ReadonlyMap<PathStep, string> = new Map([
  ['cursor', 'cursor'],
  ['nextCursor', 'cursor'],
  ['requestState', 'requestState'],
  ['taskId', 'taskId'],
]);

/**
 * Finds which values of requests come out of earlier responses of a recording, and replaces them by the values that a new run
 * had at the same places. A value that was used before any response had it is the user's own, and stays.
 */
export class Provenance {
  /** The values that a response brought, by the row of its request. */
  readonly #sources = new Map<number, readonly Source[]>();
  /** The row of the request whose response brought a value, by the keys of the value. */
  readonly #origins = new Map<string, number>();
  /** What took the place of a recorded value, as JSON text, by the keys of the value. */
  readonly #values = new Map<string, string>();

  /** @param calls of the recording, in their order */
  constructor(calls: readonly TracedCall[]) {
    const sent = calls.filter(({ direction }) => direction === 'out');
    const used = new Set(sent.flatMap(({ params }) => leavesOf(params).flatMap(({ keys }) => keys)));
    /** Values whose origin is known: the user, or an earlier response. */
    const known = new Set<string>();
    for (const { row, params, response, task } of sent) {
      for (const { keys } of leavesOf(params)) for (const key of keys) known.add(key);
      const sources = [...leavesOf(response), ...leavesOf(task?.created ?? null)]
        .map(({ path, keys }) => ({ path, keys: keys.filter((key) => used.has(key) && !known.has(key)) }))
        .filter(({ keys }) => keys.length > 0);
      for (const key of sources.flatMap(({ keys }) => keys)) {
        known.add(key);
        this.#origins.set(key, row);
      }
      if (sources.length > 0) this.#sources.set(row, sources);
    }
  }

  /** The values that a response brought and later requests use, with their places. @param row of the recorded request */
  sourcesOf(row: number): readonly Source[] {
    return this.#sources.get(row) ?? [];
  }

  /** Each replaced value of the recording with the one of this run, as JSON texts. */
  get values(): [string, string][] {
    return [...this.#values].filter(([key]) => isTelling(key));
  }

  /** The rows of the recorded requests whose responses brought values of these params. */
  originsOf(params: string | null): number[] {
    if (this.#origins.size === 0) return [];
    const keys = leavesOf(params).flatMap((leaf) => leaf.keys);
    return keys.map((key) => this.#origins.get(key)).filter((row) => row !== undefined);
  }

  /** Takes what the response of this run has in place of the recorded values. @param row of the recorded request */
  takeResponse(row: number, response: string): void {
    for (const { path, keys } of this.#sources.get(row) ?? []) {
      const now = textInside(response, path);
      if (now !== null) for (const key of keys) this.#take(key, now);
    }
  }

  /** Takes the task that the server created for a call in this run: its final result does not name it. */
  takeTask(row: number, taskId: string): void {
    for (const { path, keys } of this.#sources.get(row) ?? []) {
      if (path.at(-1) === 'taskId') for (const key of keys) this.#take(key, JSON.stringify(taskId));
    }
  }

  /** The params to send in this run, and where values were replaced. */
  applyTo(params: string): { readonly params: string; readonly replaced: string[] } {
    const replaced: string[] = [];
    if (this.#values.size === 0) return { params, replaced };
    const text = mapLeaves(params, (value, path) => {
      if (isNamed(path)) return value;
      const key = keysOf(value, path).find((one) => this.#values.has(one));
      const now = key === undefined ? undefined : this.#values.get(key);
      if (now === undefined) return value;
      replaced.push(pathText(path));
      return now;
    });
    return { params: text, replaced };
  }

  #take(key: string, now: string): void {
    if (key !== now && !key.endsWith(` ${now}`)) this.#values.set(key, now);
  }
}

/** What a value is known by: the name of the token that it is, and the value itself if it is unlikely to occur by chance. */
export function keysOf(value: string, path: readonly PathStep[]): string[] {
  const token = tokenNames.get(path.at(-1) ?? '');
  return [...(token === undefined ? [] : [`${token} ${value}`]), ...(isTelling(value) ? [value] : [])];
}

const isTelling = (value: string): boolean =>
  value.startsWith('"') ? value.length >= MIN_LENGTH + 2 : Math.abs(Number(value)) >= MIN_NUMBER;

/**
 * Whether a value of params says what is called: the name of a tool or prompt, and what is completed. A response never chooses
 * that, so it is sent as recorded, however the name of the member is written.
 */
export function isNamed([first, second]: readonly PathStep[]): boolean {
  const member = lettersOf(String(first));
  return (
    member === 'name' || member === 'ref' || (member === 'argument' && lettersOf(String(second)) === 'name')
  );
}

/** The strings and numbers in a JSON text that can be followed, also inside strings that hold JSON. */
function leavesOf(text: string | null): Source[] {
  const leaves: Source[] = [];
  mapLeaves(text ?? '{}', (value, path) => {
    const keys = keysOf(value, path);
    if (keys.length > 0) leaves.push({ path, keys });
    return value;
  });
  return leaves;
}
