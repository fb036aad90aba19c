import { isAbsolute } from 'node:path';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import type { Emit, Handlers } from '#shared/contract/index.ts';
import {
  MAX_KEPT_EXCHANGES,
  type MockExchange,
  type MockExchangeDetail,
  type MockSettings,
  type ServedMock,
  type ShownText,
} from '#shared/contract/mocks.ts';
import { memberText } from '#shared/json/members.ts';
import { type ForwardingSession, MissForwarder } from './forward-misses.ts';
import type { MockedExchange, MockOptions, MockSummary, RecordedTexts } from './mock.ts';

/** A mock of one trace file. */
export interface OpenMock {
  readonly serverName: string;
  readonly summary: MockSummary;
  /** Returns the URL. @throws FaultError if it cannot listen on the port */
  serveHttp(port: number): Promise<string>;
  recorded(file: string, row: number): Promise<RecordedTexts | null>;
  close(): Promise<void>;
}

interface ServedMocksOptions {
  /** Reads a trace. @throws FaultError if it cannot be served, or its faults cannot be read */
  readonly open: (
    path: string,
    settings: MockSettings,
    forward: MockOptions['forward'],
    onExchange: (exchange: MockedExchange) => void,
  ) => Promise<OpenMock>;
  /** The session of a server that is ready; null if there is none. */
  readonly sessionTo: (serverId: string) => ForwardingSession | null;
  /** Calls back when a question of any server comes or changes, until the function it returns is called. */
  readonly onQuestion: (listener: (entry: InboxEntry) => void) => () => void;
  readonly answer: (sessionId: string, entryId: string, answer: InboxAnswer) => void;
  /** Adds a server to those of this run; returns its id. @param name untrusted */
  readonly addServer: (url: string, name: string) => Promise<string>;
  /** Runs an action at most once per interval. */
  readonly throttle: (milliseconds: number, action: () => void) => { request(): void };
  readonly emit: Emit;
}

type MocksCommand = Extract<keyof Handlers, `mocks/${string}`>;

/** Milliseconds between two events about one mock. */
const NOTICE_EVERY = 100;
/** Limit of characters of all kept texts of a mock. */
const MAX_KEPT_TEXT = 32 * 1024 * 1024;
/** Limit of characters of the name of a recorded server. */
const MAX_NAME = 100;
/** Limit of characters of a method, a target or the name of a client. */
const MAX_WORD = 200;
/** Limit of characters of a text that is shown. */
const MAX_SHOWN_TEXT = 1024 * 1024;

/** The mocks that the window serves, each beside the server that leads to it. */
export class ServedMocks {
  readonly #options: ServedMocksOptions;
  readonly #mocks = new Map<string, RunningMock>();
  /** Those whose servers were removed, and can be brought back. */
  readonly #removed = new Set<string>();
  #isClosing = false;

  constructor(options: ServedMocksOptions) {
    this.#options = options;
  }

  readonly handlers: Pick<Handlers, MocksCommand> = {
    'mocks/list': () =>
      [...this.#mocks.entries()].flatMap(([serverId, mock]) =>
        this.#removed.has(serverId) ? [] : [mock.view(serverId)],
      ),
    'mocks/start': async ({ path, settings }) => {
      if (this.#isClosing) throw new FaultError(isClosing);
      if (settings.faults !== null && !isAbsolute(settings.faults.path))
        throw new FaultError(notAbsolute(settings.faults.path));
      const mock = new RunningMock(path, settings, this.#options);
      const serverId = await this.#add(mock);
      this.#mocks.set(serverId, mock);
      const { emit, throttle } = this.#options;
      const notice = throttle(NOTICE_EVERY, () => emit('mocks/changed', mock.view(serverId)));
      mock.onChange = () => notice.request();
      const view = mock.view(serverId);
      emit('mocks/changed', view);
      return view;
    },
    'mocks/restart': async ({ serverId }) => {
      const mock = this.#of(serverId);
      try {
        await mock.stop();
        await mock.start();
      } finally {
        // Its server may have been removed.
        if (this.#mocks.get(serverId) === mock) this.#changed(serverId, mock);
      }
      return mock.view(serverId);
    },
    'mocks/stop': async ({ serverId }) => {
      const mock = this.#of(serverId);
      await mock.stop();
      return this.#changed(serverId, mock);
    },
    'mocks/exchanges': ({ serverId, run, after }) => this.#of(serverId).exchanges(run, after),
    'mocks/exchange': ({ serverId, run, number }) => this.#of(serverId).exchange(run, number),
  };

  /**
   * Ends the mocks whose servers were removed. One that can be brought back is only stopped.
   *
   * @param servers the list as it is now
   */
  follow(servers: readonly { readonly id: string }[], canComeBack: (serverId: string) => boolean): void {
    for (const [serverId, mock] of this.#mocks) {
      if (servers.some(({ id }) => id === serverId)) {
        // It is back, stopped.
        if (this.#removed.delete(serverId)) this.#changed(serverId, mock);
      } else if (!canComeBack(serverId)) this.forget(serverId);
      else if (!this.#removed.has(serverId)) {
        this.#removed.add(serverId);
        void mock.stop();
      }
    }
  }

  /** Ends the mock of a server that is gone. Idempotent. */
  forget(serverId: string): void {
    const mock = this.#mocks.get(serverId);
    this.#mocks.delete(serverId);
    this.#removed.delete(serverId);
    void mock?.end();
  }

  /** Ends all of them. Idempotent. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all([...this.#mocks.values()].map((mock) => mock.end()));
  }

  /** Starts a mock and adds its server; returns its id. The mock ends if either fails. */
  async #add(mock: RunningMock): Promise<string> {
    try {
      const { serverName, url } = await mock.start();
      if (this.#isClosing) throw new FaultError(isClosing);
      const serverId = await this.#options.addServer(url, `${serverName.slice(0, MAX_NAME)} (mock)`);
      if (this.#isClosing) throw new FaultError(isClosing);
      return serverId;
    } catch (error) {
      await mock.end();
      throw error;
    }
  }

  #changed(serverId: string, mock: RunningMock): ServedMock {
    const view = mock.view(serverId);
    this.#options.emit('mocks/changed', view);
    return view;
  }

  /** @throws FaultError if there is no such mock */
  #of(serverId: string): RunningMock {
    const mock = this.#mocks.get(serverId);
    if (mock === undefined) throw new FaultError(noMock);
    return mock;
  }
}

/** An exchange with its texts. */
interface KeptExchange {
  readonly view: MockExchange;
  readonly exchange: MockedExchange;
  readonly size: number;
}

type RunningMockOptions = Pick<ServedMocksOptions, 'open' | 'sessionTo' | 'onQuestion' | 'answer'>;

/** One mock: it runs or is stopped, and keeps what it was asked in its last run. */
class RunningMock {
  onChange: () => void = () => undefined;
  readonly #path: string;
  readonly #options: RunningMockOptions;
  #settings: MockSettings;
  #mock: OpenMock | null = null;
  /** Sends on what no recording answers; null if nothing is. */
  #forwarder: MissForwarder | null = null;
  #isRunning = false;
  #isEnded = false;
  #url = '';
  #run = 0;
  #total = 0;
  #keptText = 0;
  #kept: KeptExchange[] = [];
  readonly #clientNames = new Map<number, string>();
  /** The start or stop under way; the next one waits for it. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(path: string, settings: MockSettings, options: RunningMockOptions) {
    this.#path = path;
    this.#settings = settings;
    this.#options = options;
  }

  /** @throws FaultError if the trace cannot be served, the port is taken, or the mock was ended */
  start(): Promise<{ readonly serverName: string; readonly url: string }> {
    return this.#inTurn(async () => {
      if (this.#isEnded) throw new FaultError(noMock);
      const run = this.#run + 1;
      const { forwardTo } = this.#settings;
      const forwarder = forwardTo === null ? null : this.#forwarderTo(forwardTo);
      const mock = await this.#serve(run, forwarder?.forward ?? null).catch((error: unknown) => {
        forwarder?.close();
        throw error;
      });
      this.#forwarder = forwarder;
      this.#run = run;
      this.#total = 0;
      this.#keptText = 0;
      this.#kept = [];
      this.#clientNames.clear();
      this.#mock = mock;
      this.#isRunning = true;
      // Its clients know the port that was free.
      this.#settings = { ...this.#settings, port: Number(new URL(this.#url).port) };
      return { serverName: mock.serverName, url: this.#url };
    });
  }

  /** Opens the trace and listens; closes the mock if that fails. */
  async #serve(run: number, forward: MissForwarder['forward'] | null): Promise<OpenMock> {
    const mock = await this.#options.open(this.#path, this.#settings, forward, (exchange) => {
      // An exchange that ends while a mock is stopped belongs to no later run.
      if (this.#run === run) this.#ended(exchange);
    });
    try {
      this.#url = await mock.serveHttp(this.#settings.port);
    } catch (error) {
      await mock.close();
      throw error;
    }
    return mock;
  }

  /** Idempotent. */
  stop(): Promise<void> {
    return this.#inTurn(async () => {
      this.#isRunning = false;
      await this.#mock?.close();
      this.#forwarder?.close();
    });
  }

  #forwarderTo(serverId: string): MissForwarder {
    const { sessionTo, onQuestion, answer } = this.#options;
    const session = () => {
      const ready = sessionTo(serverId);
      if (ready === null) throw new FaultError(notConnected);
      return ready;
    };
    return new MissForwarder({ session, onQuestion, answer, declinesOthers: false });
  }

  /** Stops it for good. Idempotent. */
  end(): Promise<void> {
    this.#isEnded = true;
    return this.stop();
  }

  view(serverId: string): ServedMock {
    const summary = this.#mock?.summary;
    return {
      serverId,
      path: this.#path,
      url: this.#url,
      settings: this.#settings,
      isRunning: this.#isRunning,
      run: this.#run,
      total: this.#total,
      clients: summary?.clients ?? 0,
      inexact: summary?.inexact ?? 0,
      misses: summary?.misses ?? 0,
      faults: summary?.faults.length ?? 0,
      unused: summary?.unused.length ?? 0,
    };
  }

  exchanges(run: number, after: number): { run: number; exchanges: MockExchange[] } {
    const from = run === this.#run ? after : 0;
    return {
      run: this.#run,
      exchanges: this.#kept.flatMap(({ view }) => (view.number > from ? [view] : [])),
    };
  }

  /** @throws FaultError if it is no longer kept */
  async exchange(run: number, number: number): Promise<MockExchangeDetail> {
    const kept = run === this.#run ? this.#kept.find(({ view }) => view.number === number) : undefined;
    if (kept === undefined) throw new FaultError(notKept);
    const { view, exchange } = kept;
    const place = exchange.recorded;
    // The trace of a mock that is stopped is closed.
    const reading = place === null ? null : this.#mock?.recorded(place.file, place.row).catch(() => null);
    const recorded = (await reading) ?? null;
    return {
      ...view,
      why: exchange.why,
      differences: [...exchange.differences],
      params: shownText(exchange.params),
      response: shownText(exchange.response),
      recorded: recorded && {
        params: shownText(recorded.params),
        response: shownText(recorded.response),
      },
    };
  }

  #ended(exchange: MockedExchange): void {
    const { client, method, target, match, recorded, faults, params, response } = exchange;
    this.#noteClient(client, method, params);
    const view: MockExchange = {
      number: ++this.#total,
      at: Date.now(),
      client,
      clientName: this.#clientNames.get(client) ?? null,
      method: method.slice(0, MAX_WORD),
      target: target?.slice(0, MAX_WORD) ?? null,
      match,
      recordedRow: recorded?.row ?? null,
      faults: faults.map(({ do: what, line }) => ({ do: what, line })),
    };
    const explained = exchange.why.length + JSON.stringify(exchange.differences).length;
    const size = (params?.length ?? 0) + (response?.length ?? 0) + explained;
    this.#kept.push({ view, exchange, size });
    this.#keptText += size;
    while (
      this.#kept.length > MAX_KEPT_EXCHANGES ||
      (this.#keptText > MAX_KEPT_TEXT && this.#kept.length > 1)
    )
      this.#keptText -= this.#kept.shift()?.size ?? 0;
    this.onChange();
  }

  /** Clients name themselves in the handshake, or in each request (MCP 2026-07-28 basic/index, request metadata). */
  #noteClient(client: number, method: string, params: string | null): void {
    if (this.#clientNames.has(client)) return;
    const holder = method === 'initialize' ? ['clientInfo'] : ['_meta', 'io.modelcontextprotocol/clientInfo'];
    const name = memberText(params ?? '{}', [...holder, 'name']);
    if (name?.startsWith('"') === true)
      this.#clientNames.set(client, String(JSON.parse(name)).slice(0, MAX_WORD));
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(action);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

const shownText = (text: string | null): ShownText | null =>
  text === null ? null : { text: text.slice(0, MAX_SHOWN_TEXT), isCut: text.length > MAX_SHOWN_TEXT };

const noMock: Fault = {
  code: 'no-mock',
  what: 'This server is not a mock of this run.',
  next: 'Serve the trace as a mock again.',
};

const notConnected: Fault = {
  code: 'not-connected',
  what: 'The server that misses are forwarded to is not connected.',
  next: 'Connect to it.',
};

const notKept: Fault = {
  code: 'exchange-not-kept',
  what: 'This exchange is no longer kept.',
  why: `Of each run the last ${MAX_KEPT_EXCHANGES} exchanges are kept, and fewer if they are large.`,
  next: 'Use "sightglass mock FILE --report FILE" to keep all of them.',
};

const notAbsolute = (path: string): Fault => ({
  code: 'bad-fault-file',
  what: `The faults ${path} are not named by their full path.`,
  next: 'Begin the path at the root of the disk.',
});

const isClosing: Fault = {
  code: 'closing',
  what: 'Sightglass is closing, so no mock was started.',
  next: 'Open Sightglass again.',
};
