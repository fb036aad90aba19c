import { faultOf } from '#shared/contract/fault.ts';
import { newestLegacyRevision, newestModernRevision, eraOf } from '#shared/protocol/revisions.ts';
import type { FlowResponse, RawRequest } from '#authorization/exchange.ts';
import { protocolVersionOf, type Reception, receptionOf, sessionIdOf, type TestAnswer } from './answers.ts';
import {
  endRequest,
  messageRequest,
  type RequestForm,
  type Sent,
  streamRequest,
  type TestMethod,
} from './requests.ts';

/** Milliseconds for one request of a test. */
const REQUEST_LIMIT = 10_000;

export interface ProbeOptions {
  readonly form: Omit<RequestForm, 'revision'>;
  /** The revision of the session; null if it has none yet. */
  readonly revision: string | null;
  readonly send: (request: RawRequest) => Promise<FlowResponse>;
  readonly markSecret: (kind: string, value: string) => void;
  /** Marks the row of an exchange as one of a test. */
  readonly mark: (row: number, note: string) => void;
  /** Ends the run. */
  readonly stop: AbortSignal;
}

/** How a server is asked something that needs a token. */
export interface Way {
  readonly transport: 'streamable-http' | 'http-sse';
  readonly revision: string;
  readonly method: TestMethod;
  /** The session in which it is sent; none by default. */
  readonly sessionId?: string | null;
}

/** A request of a test with its answer. */
export interface Asked {
  readonly answer: TestAnswer;
  readonly reception: Reception;
}

/** Sends the requests of a run, one after the other, each on a connection of its own. */
export class Probe {
  readonly #options: ProbeOptions;
  /** The sessions that the server opened for requests of this run, with what opened them. */
  readonly #begun: { readonly sessionId: string; readonly sent: Sent; readonly revision: string }[] = [];

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#options.stop.aborted;
  }

  form(revision: string): RequestForm {
    return { ...this.#options.form, revision };
  }

  /** The ways to try, the likeliest first. */
  get ways(): readonly Way[] {
    const { revision } = this.#options;
    const modern: Way = {
      transport: 'streamable-http',
      revision: revision !== null && eraOf(revision) === 'modern' ? revision : newestModernRevision,
      method: 'server/discover',
    };
    const legacyRevision =
      revision !== null && eraOf(revision) === 'legacy' ? revision : newestLegacyRevision;
    const legacy: Way = { transport: 'streamable-http', revision: legacyRevision, method: 'initialize' };
    const sse: Way = { transport: 'http-sse', revision: legacyRevision, method: 'ping' };
    return revision !== null && eraOf(revision) === 'legacy' ? [legacy, sse, modern] : [modern, legacy, sse];
  }

  /** Asks the server in this way. @param test the label of the test, for the mark of the row */
  async ask(way: Way, test: string, sent: Sent): Promise<Asked> {
    const form = this.form(way.revision);
    if (way.transport === 'http-sse') {
      const answer = await this.send(streamRequest(form, { sent }), test, sent);
      return { answer, reception: receptionOf(answer, 'stream') };
    }
    const answer = await this.send(
      messageRequest(form, way.method, { sent, sessionId: way.sessionId ?? null }),
      test,
      sent,
    );
    if (way.method === 'initialize') this.#noteSession(answer, way, sent);
    return { answer, reception: receptionOf(answer, 'result') };
  }

  /** Finds the way in which the server takes this token; the last one that was tried, if it takes none. */
  async findWay(test: string, sent: Sent): Promise<Asked & { readonly way: Way }> {
    let last: (Asked & { readonly way: Way }) | null = null;
    for (const way of this.ways) {
      const asked = await this.ask(way, test, sent);
      const agreed = asked.answer.response && protocolVersionOf(asked.answer.response);
      last = { ...asked, way: way.method === 'initialize' && agreed ? { ...way, revision: agreed } : way };
      const status = asked.answer.response?.status;
      const isDecided = asked.reception === 'accepted' || status === 401 || status === 403;
      if (isDecided || status === undefined || this.isStopped) break;
    }
    if (last === null) throw new Error('there is a way to try');
    return last;
  }

  /** Sends a request, and marks its row. Never rejects. */
  async send(request: RawRequest, test: string, sent: Sent): Promise<TestAnswer> {
    const { markSecret, mark, stop, send } = this.#options;
    if (sent.kind === 'token' || sent.kind === 'query') markSecret('access_token', sent.token.accessToken);
    for (const [name, value] of request.headers)
      if (name === 'DPoP' || name === 'Authorization') markSecret(`header:${name}`, value);
    const { end } = request;
    const ends = [stop, ...(end === undefined ? [AbortSignal.timeout(REQUEST_LIMIT)] : [end])];
    try {
      const response = await send({ ...request, end: AbortSignal.any(ends) });
      mark(response.row, `Server test: ${test}`);
      if (sent.kind === 'token' || sent.kind === 'query') sent.token.prover?.readNonce(response);
      return { response, fault: null };
    } catch (error) {
      return { response: null, fault: faultOf('tested the server', error) };
    }
  }

  /** Ends the sessions that the server opened for this run. */
  async endSessions(): Promise<void> {
    for (const { sessionId, sent, revision } of this.#begun.splice(0))
      await this.send(endRequest(this.form(revision), sent, sessionId), 'the end of its session', sent);
  }

  #noteSession(answer: TestAnswer, { revision }: Way, sent: Sent): void {
    const sessionId = sessionIdOf(answer);
    if (sessionId !== null) this.#begun.push({ sessionId, sent, revision });
  }
}
