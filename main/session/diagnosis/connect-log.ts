import type {
  HttpConnectedRecord,
  HttpEndRecord,
  HttpFailure,
  HttpResponseRecord,
} from '#shared/trace/record.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { Piece, WireEvent } from '#transports/transport.ts';

/** What came on one output of a process. */
interface OutputLog {
  bytes: number;
  /** Microseconds of the clock; null if nothing came. */
  firstAt: number | null;
  messages: number;
}

/** What happened to the process of a server. Instants are microseconds of the clock. */
export interface ProcessLog {
  spawned: { readonly pid: number; readonly at: number; readonly row: number } | null;
  /** The system's error, if it could not be started. */
  failure: string | null;
  readonly stdout: OutputLog;
  readonly stderr: OutputLog;
  exit: {
    readonly code: number | null;
    readonly signal: string | null;
    readonly at: number;
    readonly row: number;
  } | null;
}

/** What happened in one HTTP exchange. Instants are microseconds of the clock. */
export interface ExchangeLog {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly at: number;
  readonly isAuthorized: boolean;
  connected: Pick<HttpConnectedRecord, 'remote' | 'proxy' | 'took' | 'tls'> | null;
  response: Pick<HttpResponseRecord, 'at' | 'status' | 'reason' | 'httpVersion' | 'headers'> | null;
  end: HttpEndRecord['how'] | null;
  failure: HttpFailure | null;
}

/** Exchanges kept: the last ones decide how a connection went. */
const MAX_EXCHANGES = 20;

const noProcess = (): ProcessLog => ({
  spawned: null,
  failure: null,
  stdout: { bytes: 0, firstAt: null, messages: 0 },
  stderr: { bytes: 0, firstAt: null, messages: 0 },
  exit: null,
});

/** Collects what a transport reports while a session is being opened; of a process that is started again, only the last start. */
export class ConnectLog {
  process = noProcess();
  /** How often the process was started. */
  starts = 0;
  /** Whether the server of an http:// URL turned out to speak TLS. */
  speaksTls = false;
  /** Whether the server has sent any message. */
  isAnswered = false;
  #exchanges: ExchangeLog[] = [];

  /** The exchanges, in order. */
  get exchanges(): readonly ExchangeLog[] {
    return this.#exchanges;
  }

  /**
   * Adds an event, with the messages it completed.
   *
   * @param row the last row of the trace
   */
  add(event: WireEvent, recorded: readonly RecordedMessage[], row: number): void {
    const messages = recorded.filter(
      ({ direction, envelope }) => direction === 'in' && 'message' in envelope,
    );
    if (messages.length > 0) this.isAnswered = true;
    switch (event.kind) {
      case 'process':
        return this.#process(event, row);
      case 'stderr-bytes':
        return addOutput(this.process.stderr, event, 0);
      case 'message-bytes':
        if (event.channel === 'stdout') addOutput(this.process.stdout, event, messages.length);
        return;
      case 'http-request': {
        const { exchange, method, url, at, headers } = event;
        const isAuthorized = headers.some(([name]) => name.toLowerCase() === 'authorization');
        const added = { id: exchange, method, url, at, isAuthorized };
        this.#exchanges = [
          ...this.#exchanges.slice(1 - MAX_EXCHANGES),
          { ...added, connected: null, response: null, end: null, failure: null },
        ];
        return;
      }
      case 'http-connected':
        return this.#update(event.exchange, { connected: event.reused ? null : event });
      case 'http-response':
        return event.interim ? undefined : this.#update(event.exchange, { response: event });
      case 'http-end':
        this.speaksTls ||= event.failure?.code === 'TLS_ANSWER';
        return this.#update(event.exchange, { end: event.how, failure: event.failure ?? null });
      case 'body-bytes':
      case 'sse-bytes':
        return;
    }
  }

  #process({ at, change }: Extract<WireEvent, { kind: 'process' }>, row: number): void {
    if (change.what === 'spawn') {
      this.process = { ...noProcess(), spawned: { pid: change.pid, at, row } };
      this.isAnswered = false;
      this.starts++;
    }
    if (change.what === 'spawn-failed') this.process.failure = change.message;
    if (change.what === 'exit') {
      this.process.exit = { code: change.code, signal: change.signal, at, row };
    }
  }

  #update(id: number, change: Partial<ExchangeLog>): void {
    const exchange = this.#exchanges.find((one) => one.id === id);
    if (exchange !== undefined) Object.assign(exchange, change);
  }
}

function addOutput(output: OutputLog, { bytes, at, more, cut }: Piece, messages: number): void {
  output.firstAt ??= at;
  // A whole line ended with a newline.
  output.bytes += bytes.length + (more || cut ? 0 : 1);
  output.messages += messages;
}
