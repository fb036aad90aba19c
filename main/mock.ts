import type { Readable, Writable } from 'node:stream';
import { readNamedText } from '#files/named-file.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { MatchMode } from '#shared/contract/mocks.ts';
import type { ByteExchange, ByteSummary } from '#replay/mock/bytes/byte-report.ts';
import { ByteHttpServer } from '#replay/mock/bytes/byte-http.ts';
import { type ProcessOutputs, serveBytesOnStdio } from '#replay/mock/bytes/byte-stdio.ts';
import { WireRecording } from '#replay/mock/bytes/wire-recording.ts';
import { type InjectedFault, readFaults, requireRecorded } from '#replay/mock/faults/read-faults.ts';
import { MockHttpServer } from '#replay/mock/http-server.ts';
import { latencyOf } from '#replay/mock/latency.ts';
import { Mock, type MockOptions, type MockSummary, type RecordedTexts } from '#replay/mock/mock.ts';
import { Recording } from '#replay/mock/recording.ts';
import { serveStdio } from '#replay/mock/stdio-server.ts';
import { TraceFromFile } from '#trace/opened/trace-from-file.ts';

export { describe as describeRecorded } from '#replay/mock/matcher.ts';
export type { ByteExchange, ByteSummary } from '#replay/mock/bytes/byte-report.ts';
export type { ProcessOutputs } from '#replay/mock/bytes/byte-stdio.ts';
export { MissForwarder } from '#replay/mock/forward-misses.ts';
export type { ForwardingSession } from '#replay/mock/forward-misses.ts';
export type { ForwardedAnswer, ForwardedRequest, MockedExchange, MockSummary } from '#replay/mock/mock.ts';

interface MockSettings extends Pick<MockOptions, 'forward' | 'onExchange'> {
  readonly paths: readonly string[];
  readonly match: MatchMode;
  /** As `latencyPattern` has it. */
  readonly latency: string;
  /** A file of faults, and the seed of their choices; null for none. */
  readonly faults: { readonly path: string; readonly seed: number } | null;
  /** Reads the text of that file, by default at once, which may take seconds. @throws FaultError that names the line */
  readonly readFaults?: (text: string, path: string) => InjectedFault[] | Promise<InjectedFault[]>;
}

/** A mock of trace files: reads them, and serves them until it is closed. It needs no engine. */
export class TraceMock {
  /** What is wrong with the files, although they can be served. */
  readonly faults: readonly Fault[];
  readonly #mock: Mock;
  readonly #traces: readonly TraceFromFile[];
  #http: MockHttpServer | null = null;

  private constructor(mock: Mock, traces: readonly TraceFromFile[]) {
    this.#mock = mock;
    this.#traces = traces;
    this.faults = traces.flatMap((trace) => trace.view().faults);
  }

  /** @throws FaultError if a file is no trace, or holds no request of a client */
  static async open({
    paths,
    latency,
    faults,
    readFaults: read = readFaults,
    ...options
  }: MockSettings): Promise<TraceMock> {
    const traces: TraceFromFile[] = [];
    try {
      const recordings: Recording[] = [];
      for (const path of paths) {
        const trace = await TraceFromFile.open(path, () => undefined);
        traces.push(trace);
        await trace.readAll();
        const recording = await Recording.of(trace, path);
        if (recording.requests.length === 0) throw new FaultError(nothingToServe(path));
        recordings.push(recording);
      }
      const injected =
        faults && (await read(await readNamedText(faults.path, 'file of faults'), faults.path));
      if (faults && injected) requireRecorded(injected, faults.path, recordings);
      const mock = new Mock(recordings, {
        ...options,
        latency: latencyOf(latency),
        faults: faults && injected && { seed: faults.seed, injected },
      });
      return new TraceMock(mock, traces);
    } catch (error) {
      for (const trace of traces) await trace.close();
      throw error;
    }
  }

  /** Serves one client, until it closes its end or the signal aborts. @throws FaultError if a fault needs HTTP */
  serveStdio(input: Readable, output: Writable, signal: AbortSignal): Promise<void> {
    const onlyHttp = this.#mock.options.faults?.injected.find((fault) => fault.do === 'status');
    if (onlyHttp !== undefined) throw new FaultError(needsHttp(onlyHttp.line));
    return serveStdio(this.#mock, { input, output, signal });
  }

  /** Serves on 127.0.0.1 until it is closed; returns the URL. @throws FaultError if it cannot listen there */
  async serveHttp(port: number): Promise<string> {
    this.#http = await MockHttpServer.listen(this.#mock, port);
    return this.#http.url;
  }

  get summary(): MockSummary {
    return this.#mock.summary;
  }

  /** Of the server that was recorded. Untrusted. */
  get serverName(): string {
    return this.#traces[0]?.header.server.name ?? '';
  }

  /** A recorded request with its response, as JSON texts; null if the file has none in this row. */
  recorded(file: string, row: number): Promise<RecordedTexts | null> {
    return this.#mock.recorded(file, row);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#http?.close();
    for (const trace of this.#traces) await trace.close();
  }
}

const needsHttp = (line: number): Fault => ({
  code: 'bad-fault-file',
  what: `Line ${line} of the faults: status is an answer of HTTP, and the mock serves standard input and output.`,
  next: 'Give --http PORT, or leave the fault out.',
});

interface ByteMockSettings {
  readonly path: string;
  /** As `latencyPattern` has it. */
  readonly latency: string;
  readonly onExchange: (exchange: ByteExchange) => void;
}

/** A mock of one trace that sends exactly the recorded bytes, to a client that sends what the recorded one sent. */
export class ByteMock {
  readonly faults: readonly Fault[];
  readonly #recording: WireRecording;
  readonly #settings: ByteMockSettings;
  #http: ByteHttpServer | null = null;

  private constructor(recording: WireRecording, settings: ByteMockSettings, faults: readonly Fault[]) {
    this.#recording = recording;
    this.#settings = settings;
    this.faults = faults;
  }

  /** @throws FaultError if the file is no trace */
  static async open(settings: ByteMockSettings): Promise<ByteMock> {
    const trace = await TraceFromFile.open(settings.path, () => undefined);
    try {
      await trace.readAll();
      const recording = await WireRecording.read(settings.path, trace.header.server.transport);
      return new ByteMock(recording, settings, trace.view().faults);
    } finally {
      await trace.close();
    }
  }

  /** Serves one client, until it closes its end or the signal aborts. @throws FaultError if it was not recorded on stdio */
  serveStdio(input: Readable, outputs: ProcessOutputs, signal: AbortSignal): Promise<ByteSummary> {
    const { path, latency, onExchange } = this.#settings;
    if (this.#recording.transport === 'http') throw new FaultError(otherTransport(path, 'http'));
    return serveBytesOnStdio(this.#recording, input, outputs, {
      latency: latencyOf(latency),
      signal,
      onExchange,
    });
  }

  /** Serves on 127.0.0.1; returns the URL. @throws FaultError if it cannot listen there, or it was not recorded over HTTP */
  async serveHttp(port: number): Promise<string> {
    const { path, latency, onExchange } = this.#settings;
    if (this.#recording.transport === 'stdio') throw new FaultError(otherTransport(path, 'stdio'));
    this.#http = await ByteHttpServer.listen(this.#recording, port, {
      latency: latencyOf(latency),
      onExchange,
    });
    return this.#http.url;
  }

  /** Of HTTP; null before it is served there. */
  get summary(): ByteSummary | null {
    return this.#http?.summary ?? null;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#http?.close();
  }
}

const otherTransport = (path: string, transport: 'stdio' | 'http'): Fault => ({
  code: 'recorded-otherwise',
  what: `${path} was recorded over ${transport === 'http' ? 'HTTP' : 'stdio'}, so its bytes can be served there only.`,
  next: transport === 'http' ? 'Give --http PORT.' : 'Leave out --http, or leave out --bytes.',
});

const nothingToServe = (path: string): Fault => ({
  code: 'no-requests',
  what: `${path} holds no request of a client, so there is nothing to answer.`,
  next: 'Record a session in which the client asks for something.',
});
