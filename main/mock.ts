import type { Readable, Writable } from 'node:stream';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { MockHttpServer } from '#replay/mock/http-server.ts';
import { latencyOf } from '#replay/mock/latency.ts';
import type { MatchMode } from '#replay/mock/matcher.ts';
import { Mock, type MockOptions, type MockSummary } from '#replay/mock/mock.ts';
import { Recording } from '#replay/mock/recording.ts';
import { serveStdio } from '#replay/mock/stdio-server.ts';
import { TraceFromFile } from '#trace/opened/trace-from-file.ts';

export { latencyPattern } from '#replay/mock/latency.ts';
export { describe as describeRecorded, matchModes } from '#replay/mock/matcher.ts';
export type { ForwardedAnswer, ForwardedRequest, MockedExchange, MockSummary } from '#replay/mock/mock.ts';

interface MockSettings extends Pick<MockOptions, 'forward' | 'onExchange'> {
  readonly paths: readonly string[];
  readonly match: MatchMode;
  /** As `latencyPattern` has it. */
  readonly latency: string;
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
  static async open({ paths, latency, ...options }: MockSettings): Promise<TraceMock> {
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
      return new TraceMock(new Mock(recordings, { ...options, latency: latencyOf(latency) }), traces);
    } catch (error) {
      for (const trace of traces) await trace.close();
      throw error;
    }
  }

  /** Serves one client, until it closes its end or the signal aborts. */
  serveStdio(input: Readable, output: Writable, signal: AbortSignal): Promise<void> {
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

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#http?.close();
    for (const trace of this.#traces) await trace.close();
  }
}

const nothingToServe = (path: string): Fault => ({
  code: 'no-requests',
  what: `${path} holds no request of a client, so there is nothing to answer.`,
  next: 'Record a session in which the client asks for something.',
});
