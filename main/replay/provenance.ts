import { elementTexts, memberTexts } from '#shared/json/members.ts';
import { type PathStep, pathText } from './compare/path-pattern.ts';
import { textAtPath } from '#shared/json/path.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { DEEPEST, innerJson } from './inner-json.ts';

/** A value of a recorded response that a later request uses, such as the id of what was created. */
interface Source {
  /** JSON text. */
  readonly value: string;
  readonly path: readonly PathStep[];
}

/** Shorter strings and smaller numbers occur by chance. */
const MIN_LENGTH = 6;
const MIN_NUMBER = 1000;

/**
 * Finds which values of requests come out of earlier responses of a recording, and replaces them by the values that a new run
 * had at the same places. A value that was used before any response had it is the user's own, and stays.
 */
export class Provenance {
  /** The values that a response brought, by the row of its request. */
  readonly #sources = new Map<number, readonly Source[]>();
  /** By the recorded value, as JSON text. */
  readonly #values = new Map<string, string>();

  /** @param calls of the recording, in their order */
  constructor(calls: readonly TracedCall[]) {
    const sent = calls.filter(({ direction }) => direction === 'out');
    const used = new Set(sent.flatMap(({ params }) => leavesOf(params ?? '{}').map(({ value }) => value)));
    /** Values whose origin is known: the user, or an earlier response. */
    const known = new Set<string>();
    for (const { row, params, response } of sent) {
      for (const { value } of leavesOf(params ?? '{}')) known.add(value);
      const sources = leavesOf(response ?? '{}').filter(({ value }) => used.has(value) && !known.has(value));
      for (const { value } of sources) known.add(value);
      if (sources.length > 0) this.#sources.set(row, sources);
    }
  }

  /** Each replaced value of the recording with the one of this run, as JSON texts. */
  get values(): [string, string][] {
    return [...this.#values];
  }

  /** Takes what the response of this run has in place of the recorded values. @param row of the recorded request */
  takeResponse(row: number, response: string): void {
    for (const { value, path } of this.#sources.get(row) ?? []) {
      const now = textInside(response, path);
      if (now !== null && now !== value) this.#values.set(value, now);
    }
  }

  /** The params to send in this run, and where values were replaced. */
  applyTo(params: string): { readonly params: string; readonly replaced: string[] } {
    const replaced: string[] = [];
    const text = mapLeaves(params, [], (value, path) => {
      const now = this.#values.get(value);
      if (now === undefined) return value;
      replaced.push(pathText(path));
      return now;
    });
    return { params: text, replaced };
  }
}

/** The strings and numbers in a JSON text that are long enough to be told from chance, also inside strings that hold JSON. */
function leavesOf(text: string): Source[] {
  const leaves: Source[] = [];
  mapLeaves(text, [], (value, path) => {
    const isTelling = value.startsWith('"')
      ? value.length >= MIN_LENGTH + 2
      : Math.abs(Number(value)) >= MIN_NUMBER;
    if (isTelling) leaves.push({ value, path });
    return value;
  });
  return leaves;
}

/** A JSON text in which each string and number is replaced; the rest stays as written. */
function mapLeaves(
  text: string,
  path: readonly PathStep[],
  map: (value: string, path: readonly PathStep[]) => string,
): string {
  const trimmed = text.trim();
  const first = trimmed.charAt(0);
  if (path.length > DEEPEST) return text;
  if (first === '{') {
    const members = [...memberTexts(trimmed)];
    let isChanged = false;
    const mapped = members.map(([key, value]) => {
      const now = mapLeaves(value, [...path, key], map);
      isChanged ||= now !== value;
      return `${JSON.stringify(key)}:${now}`;
    });
    return isChanged ? `{${mapped.join(',')}}` : text;
  }
  if (first === '[') {
    const elements = elementTexts(trimmed);
    const mapped = elements.map((value, index) => mapLeaves(value, [...path, index], map));
    return mapped.some((value, index) => value !== elements[index]) ? `[${mapped.join(',')}]` : text;
  }
  if (first !== '"' && !/^-?\d/.test(first)) return text;
  const inner = innerJson(trimmed);
  if (inner === null) return map(trimmed, path);
  const now = mapLeaves(inner, path, map);
  return now === inner ? text : JSON.stringify(now);
}

/** The value at a path that may go on inside strings that hold JSON. */
function textInside(text: string, path: readonly PathStep[]): string | null {
  let found: string | null = text;
  for (const step of path) {
    if (found === null) return null;
    found = textAtPath(innerJson(found) ?? found, [step]);
  }
  return found;
}
