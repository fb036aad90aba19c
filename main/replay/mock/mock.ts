import type { ValueDifference } from '#shared/contract/comparison.ts';
import type { MatchMode, MockMatch } from '#shared/contract/mocks.ts';
import { FaultInjector, type Injected } from './faults/fault-injector.ts';
import type { InjectedFault } from './faults/read-faults.ts';
import type { LatencyRule } from './latency.ts';
import { Library, Matcher } from './matcher.ts';
import { isRepeatable, type RecordedRequest, type Recording } from './recording.ts';

/** The response to a request that no recording answers. */
export interface ForwardedAnswer {
  readonly member: 'result' | 'error';
  /** JSON text. */
  readonly json: string;
}

/** A request that is sent on to a server, and how that server reaches the client. */
export interface ForwardedRequest {
  readonly method: string;
  /** JSON text; null without params. */
  readonly params: string | null;
  /** Asks the client; resolves with its answer. */
  ask(method: string, params: string): Promise<ForwardedAnswer>;
  readonly signal: AbortSignal;
}

export interface MockOptions {
  readonly match: MatchMode;
  readonly latency: LatencyRule;
  /** Faults to inject, and the seed of their choices; null for none. */
  readonly faults: { readonly injected: readonly InjectedFault[]; readonly seed: number } | null;
  /** Sends a request that no recording answers to a server; null to answer it with an error. */
  readonly forward: ((request: ForwardedRequest) => Promise<ForwardedAnswer>) | null;
  /** Called at the end of each exchange, in the order they end. */
  readonly onExchange: (exchange: MockedExchange) => void;
}

/** What a client asked for, and what it was answered. */
export interface MockedExchange {
  /** Clients are counted from 1. */
  readonly client: number;
  readonly method: string;
  readonly target: string | null;
  /** JSON text as it was sent; null without params. */
  readonly params: string | null;
  readonly match: MockMatch;
  /** Why it is inexact or a miss; empty otherwise. */
  readonly why: string;
  readonly differences: readonly ValueDifference[];
  /** The recorded request: its file and its row; of a miss, the nearest. */
  readonly recorded: { readonly file: string; readonly row: number } | null;
  /** The response as it was really sent, which may be no JSON after a fault; null if none was. */
  readonly response: string | null;
  /** The faults that were injected into what was sent for it. */
  readonly faults: readonly Injected[];
}

/** Counts of a mock, and what of the recordings was not requested. */
export interface MockSummary {
  readonly clients: number;
  readonly exact: number;
  readonly inexact: number;
  readonly misses: number;
  readonly forwarded: number;
  readonly unused: readonly RecordedRequest[];
  /** The faults that were injected, in their order. */
  readonly faults: readonly Injected[];
}

/** A recorded request with its response. */
export interface RecordedTexts {
  /** JSON text without `_meta`; null without params. */
  readonly params: string | null;
  /** The message; null if none was recorded. */
  readonly response: string | null;
}

/** Recordings served to any number of clients. */
export class Mock {
  readonly options: MockOptions;
  readonly library: Library;
  readonly #matchers: Matcher[] = [];
  readonly #injected: Injected[] = [];
  readonly #counts = { exact: 0, inexact: 0, miss: 0, forwarded: 0, silent: 0, cancelled: 0, own: 0 };

  constructor(recordings: readonly Recording[], options: MockOptions) {
    this.library = new Library(recordings);
    this.options = options;
  }

  /** A further client: each begins at the start of the recordings. */
  newClient(): { readonly number: number; readonly matcher: Matcher; readonly faults: FaultInjector | null } {
    const { match, faults } = this.options;
    const matcher = new Matcher(this.library, match);
    const number = this.#matchers.push(matcher);
    const injector =
      faults && new FaultInjector(faults.injected, faults.seed, (one) => this.#injected.push(one));
    return { number, matcher, faults: injector };
  }

  ended(exchange: MockedExchange): void {
    this.#counts[exchange.match]++;
    this.options.onExchange(exchange);
  }

  /** What a recording has in this row; null if it is no request of a client. */
  async recorded(file: string, row: number): Promise<RecordedTexts | null> {
    const request = this.library.requests.find((one) => one.row === row && one.recording.name === file);
    if (request === undefined) return null;
    const response = request.steps.findLast(({ kind }) => kind === 'respond');
    return {
      params: request.params,
      response: response === undefined ? null : await request.recording.text(response.row),
    };
  }

  get summary(): MockSummary {
    const { exact, inexact, miss, forwarded } = this.#counts;
    const isUsed = (request: RecordedRequest): boolean =>
      this.#matchers.some(({ used }) => used.has(request));
    const unused = this.library.requests.filter(
      // A continuation is a part of the exchange that it continues.
      (one) => one.hasResponse && !one.isContinuation && !isRepeatable(one.method) && !isUsed(one),
    );
    return {
      clients: this.#matchers.length,
      exact,
      inexact,
      misses: miss,
      forwarded,
      unused,
      faults: this.#injected,
    };
  }
}
