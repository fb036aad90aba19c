import { TOOLS_CALL } from '#shared/protocol/methods.ts';
import { MAX_FINDINGS_PER_PAGE } from '#shared/contract/checks.ts';
import type { Filter, Pattern, Range, Term } from '#shared/trace/filter/filter.ts';
import { fold } from '#shared/trace/filter/fold.ts';
import { instantIn, type TraceClock } from '#shared/trace/filter/instants.ts';
import { hasStatus, type IsFacts, isMarked, hasProperty } from '#shared/trace/filter/match.ts';
import { isWithin } from '#shared/trace/filter/numbers.ts';
import { patternTest } from '#shared/trace/filter/pattern.ts';
import type { Findings } from '#trace/findings.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { Matches } from './text-search.ts';
import { nextTurn } from '#transports/async.ts';

/** The result of testing a row by its columns: `MAYBE` if it depends on its text. */
const NO = 0;
export const YES = 1;
export const MAYBE = 2;
type Truth = typeof NO | typeof YES | typeof MAYBE;

type Test = (row: number) => Truth;

/** Limit of strings with a cached result; a server that never repeats itself must not fill our memory. */
const MAX_REMEMBERED = 10_000;

/** A filter compiled to tests of a trace's columns. `matchesRow` defines the meaning. */
export class Predicate {
  /** The texts to search if the columns do not decide. */
  readonly texts: readonly string[];
  /** The result by the columns of a row. */
  readonly test: Test;
  readonly #settled: Settled;
  readonly #rules: readonly RuleRows[];

  /** @param sessions the names of the trace */
  constructor(trace: ReadableTrace, filter: Filter, sessions: readonly string[]) {
    const compiler = new Compiler(trace, sessions);
    this.test = compiler.compile(filter);
    this.texts = compiler.texts;
    this.#settled = compiler.settled;
    this.#rules = compiler.rules;
  }

  /** Adds new findings in steps; call it before `refresh` to leave that little to do. */
  async prepare(): Promise<void> {
    for (const rules of this.#rules) await rules.prepare();
  }

  /** Updates everything that is not derived from the columns. */
  refresh(): void {
    for (const rules of this.#rules) rules.refresh();
  }

  /**
   * Whether a row matches, once its texts were searched.
   * @param order its index among the rows that were searched
   */
  settle(row: number, order: number, matches: Matches): boolean {
    this.#settled.row = row;
    this.#settled.order = order;
    this.#settled.matches = matches;
    const truth = this.test(row);
    this.#settled.row = NO_ROW;
    return truth === YES;
  }
}

const NO_ROW = -1;

/** The row whose texts are known, its index among the rows that were searched, and what they hold. */
interface Settled {
  row: number;
  order: number;
  matches: Matches | null;
}

class Compiler {
  readonly texts: string[] = [];
  readonly rules: RuleRows[] = [];
  readonly settled: Settled = { row: NO_ROW, order: 0, matches: null };
  readonly #trace: ReadableTrace;
  readonly #columns: RowColumns;
  readonly #sessions: readonly string[];
  readonly #clock: TraceClock;

  constructor(trace: ReadableTrace, sessions: readonly string[]) {
    this.#trace = trace;
    this.#columns = trace.index.columns;
    this.#sessions = sessions;
    this.#clock = clockOf(trace);
  }

  compile(filter: Filter): Test {
    switch (filter.type) {
      case 'and':
        return every(filter.parts.map((part) => this.compile(part)));
      case 'or':
        return some(filter.parts.map((part) => this.compile(part)));
      case 'not':
        return not(this.compile(filter.part));
      case 'term':
        return this.#term(filter.term);
    }
  }

  #term(term: Term): Test {
    const columns = this.#columns;
    switch (term.field) {
      case 'word':
        return this.#word(term.text);
      case 'text':
        return some(term.values.map((value) => this.#text(value)));
      case 'method':
        return this.#named(term.values, columns.method);
      case 'name':
        return this.#named(term.values, columns.subject);
      case 'logger':
        return this.#named(term.values, columns.logger);
      case 'tool': {
        const isTool = this.#named(term.values, columns.subject);
        return (row) => (columns.method(row) === TOOLS_CALL ? isTool(row) : NO);
      }
      case 'id':
        return this.#id(term.values);
      case 'session':
        return always(this.#sessions.some(anyOf(term.values)));
      case 'dir':
        return when((row) => term.values.some((value) => value === columns.direction(row)));
      case 'kind': {
        const kinds = new Set(term.values);
        return when((row) => kinds.has(columns.kind(row)));
      }
      case 'status':
        return when((row) => {
          const facts = { status: columns.status(row), code: columns.code(row) };
          return term.values.some((value) => hasStatus(value, facts));
        });
      case 'dur':
        return within(term.values, columns.duration);
      case 'size':
        return within(term.values, columns.size);
      case 'level':
        return within(term.values, columns.logSeverity);
      case 'row':
        return within(term.values, (row) => row + 1);
      case 'exchange':
        return within(term.values, (row) => numberOf(columns.exchangeRow(row)));
      case 'since': {
        const from = instantIn(term.instant, this.#clock);
        return when((row) => columns.at(row) >= from);
      }
      case 'until': {
        const to = instantIn(term.instant, this.#clock);
        return when((row) => columns.at(row) <= to);
      }
      case 'finding':
        return some(
          term.values.map((value) => {
            if ('rule' in value) return this.#rule(value.rule);
            if ('any' in value) return when((row) => columns.finding(row) !== null);
            return when((row) => columns.finding(row) === value.severity);
          }),
        );
      case 'mark':
        return when((row) => {
          const note = columns.mark(row);
          return note !== null && term.values.some((value) => isMarked(value, note));
        });
      case 'is':
        return this.#is(term.values);
    }
  }

  #word(text: string): Test {
    const folded = fold(text);
    const contains = this.#remembered((one) => fold(one).includes(folded));
    const inText = this.#text(text);
    const columns = this.#columns;
    return (row) => {
      const isNamedSo =
        contains(columns.method(row)) || contains(columns.subject(row)) || contains(columns.kind(row));
      return isNamedSo ? YES : inText(row);
    };
  }

  #text(text: string): Test {
    const folded = fold(text);
    const known = this.texts.indexOf(folded);
    const textIndex = known === -1 ? this.texts.push(folded) - 1 : known;
    const { settled } = this;
    return (row) => {
      if (settled.row !== row || settled.matches === null) return MAYBE;
      return settled.matches.has(settled.order, textIndex) ? YES : NO;
    };
  }

  #named(patterns: readonly Pattern[], column: (row: number) => string | null): Test {
    const matches = this.#remembered(anyOf(patterns));
    return when((row) => matches(column(row)));
  }

  /** Numeric ids rarely repeat, and comparing them is fast. */
  #id(patterns: readonly Pattern[]): Test {
    const columns = this.#columns;
    const matches = this.#remembered(anyOf(patterns));
    const texts = patterns.flatMap((pattern) => (pattern.length === 1 ? [fold(pattern[0])] : []));
    const numbers = new Set(texts.filter((text) => String(Number(text)) === text).map(Number));
    const isExact = texts.length === patterns.length;
    return when((row) => {
      const id = columns.id(row);
      if (id === null) return false;
      return isExact && typeof id === 'number' ? numbers.has(id) : matches(String(id));
    });
  }

  #rule(pattern: Pattern): Test {
    const rows = new RuleRows(this.#trace.findings, pattern);
    this.rules.push(rows);
    return when((row) => rows.has(row));
  }

  #is(words: Extract<Term, { field: 'is' }>['values']): Test {
    const columns = this.#columns;
    let current = 0;
    // Evaluated lazily, because most words need only one of them.
    const facts: IsFacts = {
      get kind() {
        return columns.kind(current);
      },
      get direction() {
        return columns.direction(current);
      },
      get error() {
        return columns.isError(current);
      },
      get automatic() {
        return columns.isAutomatic(current);
      },
      get probe() {
        return columns.isPartOfProbe(current);
      },
      get replayed() {
        return columns.isReplayed(current);
      },
      get composed() {
        return columns.composed(current);
      },
      get finding() {
        return columns.finding(current);
      },
      get mark() {
        return columns.mark(current);
      },
    };
    return when((row) => {
      current = row;
      return words.some((word) => hasProperty(word, facts));
    });
  }

  /** A cached test for few, frequent strings, with secrets replaced. */
  #remembered(test: (text: string) => boolean): (text: string | null) => boolean {
    const matches = new Map<string, boolean>();
    let last: string | null = null;
    let wasMatch = false;
    return (text) => {
      if (text === null) return false;
      if (text === last) return wasMatch;
      let isMatch = matches.get(text);
      if (isMatch === undefined) {
        isMatch = test(this.#trace.redacted(text));
        if (matches.size === MAX_REMEMBERED) matches.clear();
        matches.set(text, isMatch);
      }
      last = text;
      wasMatch = isMatch;
      return isMatch;
    };
  }
}

/** The current times of a trace, for the times in a filter. */
export function clockOf({ header, index }: ReadableTrace): TraceClock {
  const { at, wall } = header.clock;
  const { count } = index.columns;
  return { at, wall, lastAt: count === 0 ? at : index.columns.at(count - 1) };
}

const numberOf = (row: number | null): number | null => (row === null ? null : row + 1);

function anyOf(patterns: readonly Pattern[]): (text: string) => boolean {
  const tests = patterns.map(patternTest);
  return (text) => tests.some((test) => test(text));
}

const always = (isSo: boolean): Test => when(() => isSo);

const when =
  (test: (row: number) => boolean): Test =>
  (row) =>
    test(row) ? YES : NO;

const within = (ranges: readonly Range[], column: (row: number) => number | null): Test =>
  when((row) => {
    const value = column(row);
    if (value === null) return false;
    for (const range of ranges) if (isWithin(value, range)) return true;
    return false;
  });

const not =
  (test: Test): Test =>
  (row) => {
    const truth = test(row);
    return truth === MAYBE ? MAYBE : truth === YES ? NO : YES;
  };

function every(tests: readonly Test[]): Test {
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (row) => {
    let truth: Truth = YES;
    for (const test of tests) {
      const one = test(row);
      if (one === NO) return NO;
      if (one === MAYBE) truth = MAYBE;
    }
    return truth;
  };
}

function some(tests: readonly Test[]): Test {
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (row) => {
    let truth: Truth = NO;
    for (const test of tests) {
      const one = test(row);
      if (one === YES) return YES;
      if (one === MAYBE) truth = MAYBE;
    }
    return truth;
  };
}

/** The rows with findings of the rules that match a pattern. */
class RuleRows {
  readonly #findings: Findings;
  readonly #isRule: (rule: string) => boolean;
  readonly #rows = new Set<number>();
  #taken = 0;

  constructor(findings: Findings, pattern: Pattern) {
    this.#findings = findings;
    this.#isRule = patternTest(pattern);
  }

  has(row: number): boolean {
    return this.#rows.has(row);
  }

  /** Adds new findings in steps, to leave few for `refresh`. */
  async prepare(): Promise<void> {
    while (this.#findings.count - this.#taken > MAX_FINDINGS_PER_PAGE) {
      this.#take();
      await nextTurn();
    }
  }

  /** Adds all new findings. */
  refresh(): void {
    while (this.#taken < this.#findings.count) this.#take();
  }

  #take(): void {
    const page = this.#findings.page(this.#taken, MAX_FINDINGS_PER_PAGE);
    this.#taken += page.length;
    for (const { rule, rows } of page) {
      if (this.#isRule(rule)) for (const row of rows) this.#rows.add(row);
    }
  }
}
