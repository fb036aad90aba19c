import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { memberText } from '#shared/json/members.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { bodyOf, isLocalRequest, listenLocally } from '#replay/mock/http-server.ts';
import { answerRequests, closeListener } from '#transports/listener.ts';
import { type LatencyRule, wait } from '#replay/mock/latency.ts';
import { type ByteExchange, type ByteSummary, MAX_QUOTED } from './byte-report.ts';
import { Gate, isSameText } from './gate.ts';
import type { HttpAct, RecordedExchange, Timed, WireRecording } from './wire-recording.ts';

interface ByteHttpOptions {
  readonly latency: LatencyRule;
  readonly onExchange: (exchange: ByteExchange) => void;
}

/** Exchanges ahead that are searched for an equal one. */
const MAX_AHEAD = 1000;

/**
 * Serves the exchanges of a recording on 127.0.0.1 byte by byte: header lines in their order and case, bodies and streams in the
 * recorded pieces. What came on a stream after later requests waits for these.
 */
export class ByteHttpServer {
  readonly url: string;
  readonly #recording: WireRecording;
  readonly #options: ByteHttpOptions;
  readonly #server: Server;
  readonly #port: number;
  readonly #gate: Gate<RecordedExchange>;
  readonly #counts = { exact: 0, inexact: 0, miss: 0 };
  readonly #stop = new AbortController();
  #closing: Promise<void> | undefined;

  private constructor(recording: WireRecording, options: ByteHttpOptions, server: Server, port: number) {
    const { served } = recording;
    this.#recording = recording;
    this.#options = options;
    this.#server = server;
    this.#port = port;
    this.#gate = new Gate(served);
    this.url = `http://127.0.0.1:${port}${served[0]?.url.pathname ?? '/'}`;
    answerRequests(server, (request, response) => this.#take(request, response));
  }

  /** @param port 0 for any free one @throws FaultError if it cannot listen there */
  static async listen(
    recording: WireRecording,
    port: number,
    options: ByteHttpOptions,
  ): Promise<ByteHttpServer> {
    const { server, port: taken } = await listenLocally(port);
    return new ByteHttpServer(recording, options, server, taken);
  }

  get summary(): ByteSummary {
    return {
      exact: this.#counts.exact,
      inexact: this.#counts.inexact,
      misses: this.#counts.miss,
      unused: this.#gate.missing().map(nameOf),
      placeholders: this.#recording.placeholders,
    };
  }

  /** Breaks every connection off. Idempotent. */
  close(): Promise<void> {
    this.#stop.abort();
    this.#closing ??= closeListener(this.#server);
    return this.#closing;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLocalRequest(request, this.#port)) {
      response.writeHead(403).end();
      return;
    }
    const body = await bodyOf(request);
    const asked = `${request.method ?? ''} ${request.url ?? ''}`;
    if (body === null) {
      this.#counts.miss++;
      this.#options.onExchange({ asked: `${asked} (body too large)`, match: 'miss', recorded: null });
      response.writeHead(413).end('The body is larger than 64 MiB: no recording has such a request.\n');
      return;
    }
    const [recorded, isSame] = this.#find(request, body);
    const match = recorded === null ? 'miss' : isSame ? 'exact' : 'inexact';
    this.#counts[match]++;
    const text = body === '' ? asked : `${asked} ${body}`;
    this.#options.onExchange({ asked: text, match, recorded: recorded === null ? null : nameOf(recorded) });
    if (recorded === null) {
      response.writeHead(404).end('The recording has no such request left.\n');
      return;
    }
    this.#gate.come(recorded);
    await this.#play(recorded, response);
  }

  /** The next recorded request to this path with the same body, else with the same method of JSON-RPC, else any. */
  #find({ method, url }: IncomingMessage, body: string): [RecordedExchange | null, boolean] {
    const left = this.#gate
      .missing(MAX_AHEAD)
      .filter((one) => one.method === method && one.url.pathname + one.url.search === url);
    const same = left.find((one) => isSameText(one.body, body));
    if (same !== undefined) return [same, true];
    const rpcMethod = memberText(body, ['method']);
    const alike = left.find((one) => memberText(one.body, ['method']) === rpcMethod);
    return [alike ?? left[0] ?? null, false];
  }

  async #play(exchange: RecordedExchange, response: ServerResponse): Promise<void> {
    const { signal } = this.#stop;
    let previous = exchange.at;
    const isStream = exchange.acts.some(({ act }) => act.do === 'head' && isEventStream(act.headers));
    for (const { act, at, seq } of exchange.acts) {
      if (isStream && act.do !== 'head') await this.#gate.passed(seq);
      await wait(this.#options.latency, at - previous, signal);
      previous = at;
      if (response.destroyed) return;
      await perform(act, exchange.acts, response);
    }
  }
}

async function perform(
  act: HttpAct,
  acts: readonly Timed<HttpAct>[],
  response: ServerResponse,
): Promise<void> {
  switch (act.do) {
    case 'head':
      if (act.isInterim) response.socket?.write(interimHead(act), 'latin1');
      else writeHead(act, acts, response);
      return;
    case 'bytes':
      return new Promise((resolve) => {
        // The client may be gone; its end is its own.
        response.write(act.bytes, () => resolve());
      });
    case 'end':
      if (act.how === 'complete') {
        if (act.trailers.length > 0) response.addTrailers(Object.fromEntries(act.trailers));
        response.end();
      } else if (act.how !== 'dropped') response.destroy();
      return;
  }
}

function writeHead(
  { status, reason, headers }: HttpAct & { do: 'head' },
  acts: readonly Timed<HttpAct>[],
  response: ServerResponse,
): void {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  // What the recorded server did not send, Node must not add.
  for (const name of ['date', 'connection', 'content-length', 'transfer-encoding']) {
    if (!names.has(name)) response.removeHeader(name);
  }
  response.sendDate = false;
  const lines = headers.flatMap(([name, value]) => [name, valueOf(name, value, acts)]);
  response.writeHead(status, reason, lines);
  response.flushHeaders();
}

/** The recorded value, but the time is now, and a body in which placeholders stand for secrets has its own length. */
function valueOf(name: string, value: string, acts: readonly Timed<HttpAct>[]): string {
  if (/^date$/i.test(name)) return new Date().toUTCString();
  if (!/^content-length$/i.test(name)) return value;
  const isWhole = acts.some(({ act }) => act.do === 'end' && act.how === 'complete');
  const bytes = acts.reduce((sum, { act }) => sum + (act.do === 'bytes' ? act.bytes.length : 0), 0);
  return isWhole && bytes > 0 ? String(bytes) : value;
}

const interimHead = ({ status, reason, headers }: HttpAct & { do: 'head' }): string =>
  [`HTTP/1.1 ${status} ${reason}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\r\n',
  );

const isEventStream = (headers: HeaderLines): boolean =>
  headers.some(([name, value]) => /^content-type$/i.test(name) && /^text\/event-stream/i.test(value));

const nameOf = ({ method, url, body }: RecordedExchange): string =>
  `${method} ${url.pathname}${url.search}${body === '' ? '' : ` ${body}`}`.slice(0, MAX_QUOTED);
