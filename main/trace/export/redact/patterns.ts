import { createContext, Script } from 'node:vm';
import { z } from 'zod';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import { rowNumber } from '#shared/trace/row.ts';
import type { Span } from './spans.ts';

/** Max milliseconds for a batch of texts, and for one text. */
const TOGETHER = 40;
const ALONE = 250;
/** On a busy machine time passes as well, so an attempt is measured by its processor time. */
const MAX_ATTEMPTS = 20;
/** Max characters of a batch of texts. */
const MAX_TOGETHER = 64 * 1024;

interface Asked {
  readonly text: string;
  readonly row: number;
}

const NONE: readonly Span[] = [];

/**
 * The user's own patterns. A pattern can run forever on some texts, so there is a time limit. It covers a batch of
 * texts, because setting it takes longer than searching most texts.
 */
export class Patterns {
  readonly #sources: readonly string[];
  readonly #context: Record<string, unknown>;
  readonly #script = new Script(FIND);
  readonly #found = new Map<string, readonly Span[]>();
  /** Searches are only collected. */
  #asked: Map<string, Asked> | null = null;

  /** @throws FaultError if one of them is not a regular expression */
  constructor(sources: readonly string[]) {
    for (const [place, source] of sources.entries()) checkPattern(source, place);
    this.#sources = sources;
    this.#context = createContext({ sources: [...sources], texts: [] });
  }

  get count(): number {
    return this.#sources.length;
  }

  /** Runs the work twice, first to collect its searches and run them together. The work must change nothing. */
  prepare(work: () => void): void {
    this.#found.clear();
    if (this.count === 0) return;
    this.#asked = new Map();
    try {
      work();
      const asked = [...this.#asked.values()];
      for (const some of together(asked)) this.#runTogether(some);
    } finally {
      this.#asked = null;
    }
  }

  /** @throws FaultError if a pattern takes too long on this text */
  find(text: string, row: number): readonly Span[] {
    if (this.count === 0 || text === '') return NONE;
    const known = this.#found.get(text);
    if (known !== undefined) return known;
    if (this.#asked === null) return this.#alone({ text, row });
    this.#asked.set(text, { text, row });
    return NONE;
  }

  #runTogether(asked: readonly Asked[]): void {
    try {
      const found = this.#run(
        asked.map(({ text }) => text),
        TOGETHER,
      );
      for (const [place, { text }] of asked.entries()) this.#found.set(text, found[place] ?? NONE);
    } catch (error) {
      if (!isTimeout(error)) throw error;
      for (const one of asked) this.#found.set(one.text, this.#alone(one));
    }
  }

  #alone({ text, row }: Asked): readonly Span[] {
    const found = withinTime(() => this.#run([text], ALONE));
    if (found === null) throw new FaultError(tooSlow(this.#sources, row));
    return found[0] ?? NONE;
  }

  #run(texts: readonly string[], timeout: number): Span[][] {
    this.#context.texts = texts;
    const found = foundSchema.parse(this.#script.runInContext(this.#context, { timeout }));
    return found.map((numbers, place) => spansOf(texts[place] ?? '', numbers));
  }
}

/** Whether a pattern, with the flag `u`, matches a text; null if it takes too long. One that is not valid matches nothing. */
export function matchesPattern(source: string, text: string): boolean | null {
  Object.assign(matching, { source, text });
  try {
    return withinTime(() => MATCH.runInContext(matching, { timeout: ALONE }) === true);
  } catch {
    return false;
  } finally {
    matching.text = '';
  }
}

const MATCH = new Script("new RegExp(source, 'u').test(text)");
const matching: Record<string, string> = {};
createContext(matching);

/** Runs work that has a time limit; null if it does not end within it. */
function withinTime<T>(work: () => T): T | null {
  let worked = 0;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && worked < ALONE; attempt++) {
    const before = process.cpuUsage();
    try {
      return work();
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const { user, system } = process.cpuUsage(before);
      worked += (user + system) / 1000 + ALONE / MAX_ATTEMPTS;
    }
  }
  return null;
}

/** Triples of a pattern's place, and where a match begins and ends; the array is of another realm. */
const foundSchema = z.array(z.array(z.number()));

const FIND = `texts.map((text) => {
  const found = [];
  sources.forEach((source, place) => {
    for (const match of text.matchAll(new RegExp(source, 'g'))) {
      if (match[0] !== '') found.push(place, match.index, match.index + match[0].length);
    }
  });
  return found;
})`;

function spansOf(text: string, numbers: readonly number[]): Span[] {
  const spans: Span[] = [];
  for (let at = 0; at + 2 < numbers.length; at += 3) {
    const [place = 0, start = 0, end = 0] = numbers.slice(at, at + 3);
    const whole = wholeCharacters(text, start, end);
    const value = text.slice(whole.start, whole.end);
    spans.push({ ...whole, kind: `${KIND} ${place + 1}`, value, learned: [value] });
  }
  return spans;
}

const KIND = 'pattern';

/** Whether a pattern of the user matched it. */
export const isOfPattern = ({ kind }: Span): boolean => kind.startsWith(`${KIND} `);

/** Splits no surrogate pair, because a lone surrogate cannot be written. */
function wholeCharacters(text: string, start: number, end: number): { start: number; end: number } {
  const isTorn = (place: number) => HIGH.test(text.charAt(place - 1)) && LOW.test(text.charAt(place));
  return { start: isTorn(start) ? start - 1 : start, end: isTorn(end) ? end + 1 : end };
}

const HIGH = /[\ud800-\udbff]/;
const LOW = /[\udc00-\udfff]/;

function* together(asked: readonly Asked[]): Generator<Asked[]> {
  let some: Asked[] = [];
  let length = 0;
  for (const one of asked) {
    if (some.length > 0 && length + one.text.length > MAX_TOGETHER) {
      yield some;
      some = [];
      length = 0;
    }
    some.push(one);
    length += one.text.length;
  }
  if (some.length > 0) yield some;
}

/** The error of a timeout. It comes from another realm, so `instanceof` does not work. */
const timeoutSchema = z.object({ code: z.literal('ERR_SCRIPT_EXECUTION_TIMEOUT') });
const isTimeout = (error: unknown): boolean => timeoutSchema.safeParse(error).success;

function checkPattern(source: string, place: number): void {
  const error = compileError(source);
  if (error === null) return;
  throw new FaultError({
    code: 'bad-pattern',
    what: `Pattern ${place + 1} is not a valid regular expression: it fails at character ${failsAt(source)}.`,
    why: messageOf(error),
    next: 'Correct it, or write a backslash before characters that are meant as they are.',
    evidence: source,
  });
}

function compileError(source: string): Error | null {
  try {
    void new RegExp(source, 'g');
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The character, counted from 1, from which on no further one makes it valid. */
function failsAt(source: string): number {
  let place = source.length;
  while (place > 1 && compileError(source.slice(0, place - 1)) !== null) place--;
  return place;
}

const tooSlow = (sources: readonly string[], row: number): Fault => ({
  code: 'pattern-too-slow',
  what: `A pattern of yours takes too long on row ${rowNumber(row)}, so nothing was exported.`,
  why: 'Some regular expressions try very many ways to match, most often where one repetition stands in another, such as (a+)+.',
  next: 'Write it without a repetition in a repetition, or leave it away.',
  evidence: sources.join('\n'),
});
