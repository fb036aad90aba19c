import { TOOLS_CALL } from '#shared/protocol/methods.ts';
import { MAX_FINDINGS_PER_PAGE } from '#shared/contract/checks.ts';
import type { Vocabulary } from '#shared/contract/trace.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { nextTurn } from '#transports/async.ts';

/** Limit of reported words of each kind. */
const MAX_WORDS = 200;
/** Limit of distinct words to count; later ones are ignored. */
const MAX_COUNTED = 10_000;
const STRETCH = 32 * 1024;

/** Counts the words that complete filters of one trace. Each call continues where the last one stopped. */
export class VocabularyCount {
  readonly #trace: ReadableTrace;
  readonly #methods = new WordCount();
  readonly #tools = new WordCount();
  readonly #names = new WordCount();
  readonly #loggers = new WordCount();
  readonly #rules = new WordCount();
  #rows = 0;
  #findings = 0;
  #counting: Promise<void> | undefined;

  constructor(trace: ReadableTrace) {
    this.#trace = trace;
  }

  async words(): Promise<Vocabulary> {
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined;
    });
    await this.#counting;
    const redactedWords = (count: WordCount) =>
      count.mostFrequent().map((word) => this.#trace.redacted(word));
    return {
      methods: redactedWords(this.#methods),
      tools: redactedWords(this.#tools),
      names: redactedWords(this.#names),
      loggers: redactedWords(this.#loggers),
      rules: redactedWords(this.#rules),
    };
  }

  async #count(): Promise<void> {
    const { index, findings } = this.#trace;
    while (this.#rows < index.columns.count) {
      const end = Math.min(this.#rows + STRETCH, index.columns.count);
      for (; this.#rows < end; this.#rows++) this.#take(this.#rows);
      await nextTurn();
    }
    while (this.#findings < findings.count) {
      const page = findings.page(this.#findings, MAX_FINDINGS_PER_PAGE);
      for (const { rule } of page) this.#rules.add(rule);
      this.#findings += page.length;
      await nextTurn();
    }
  }

  #take(row: number): void {
    const { columns } = this.#trace.index;
    const method = columns.method(row);
    if (method !== null) this.#methods.add(method);
    const logger = columns.logger(row);
    if (logger !== null) this.#loggers.add(logger);
    const subject = columns.kind(row) === 'request' ? columns.subject(row) : null;
    if (subject === null) return;
    this.#names.add(subject);
    if (method === TOOLS_CALL) this.#tools.add(subject);
  }
}

class WordCount {
  readonly #counts = new Map<string, number>();

  add(word: string): void {
    const count = this.#counts.get(word);
    if (count !== undefined || this.#counts.size < MAX_COUNTED) this.#counts.set(word, (count ?? 0) + 1);
  }

  mostFrequent(): string[] {
    const words = [...this.#counts].sort((a, b) => b[1] - a[1]);
    return words.slice(0, MAX_WORDS).map(([word]) => word);
  }
}
