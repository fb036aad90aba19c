import type { ValueDifference } from '#shared/contract/comparison.ts';
import { messageOf } from '#shared/contract/fault.ts';
import { memberText, withValueAt } from '#shared/json/members.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import { onOneLine } from '#shared/json/tokens.ts';
import { CANCELLED, LISTEN, PROGRESS } from '#shared/protocol/methods.ts';
import { targetOf } from '#trace/view/call-reader.ts';
import { ClientQuestions } from './client-questions.ts';
import {
  type Delivery,
  type FaultInjector,
  firstHalf,
  type Injected,
  type OutgoingMessage,
} from './faults/fault-injector.ts';
import { wait } from './latency.ts';
import { type Asked, describe, type Match, type Matcher, type Miss } from './matcher.ts';
import type { Mock, MockedExchange } from './mock.ts';
import { missError, ownAnswer } from './own-answers.ts';
import { type RecordedRequest, type Recording, type Step, subscriptionPath } from './recording.ts';

/** Where messages to the client go: standard output, the response to a POST, or the stream of a GET. */
export interface Outlet {
  /** @param text a message on one line */
  send(text: string): void;
  /** Sends the response, after which nothing more belongs to the request. @param status of the recorded HTTP response */
  respond(text: string, status: number | null): void;
  /** Sends the first half of a message and ends the connection. */
  cut(text: string): void;
  /** Ends the request without a response. @param status of HTTP; null if a stream just ends */
  end(status: number | null): void;
}

/** A request of the client under way. */
interface Exchange {
  readonly id: string;
  readonly token: string | null;
  readonly outlet: Outlet;
  readonly stop: AbortController;
  /** What was injected into what was sent for it. */
  readonly faults: Injected[];
  /** Whether its response was sent. */
  isAnswered: boolean;
  /** Whether a fault in a message before the response ended it. */
  isEnded: boolean;
}

/** For whom the steps of a recording are played. */
interface Player {
  readonly recording: Recording;
  /** The request that they answer, with the recorded one; null for what follows a notification. */
  readonly answers: { readonly exchange: Exchange; readonly request: RecordedRequest } | null;
  readonly outlet: Outlet;
  /** Ends the wait for the client's answers. */
  readonly signal: AbortSignal;
  /**
   * Called when the turn of the response has come, with what was really sent of it, null for nothing, and how the client's answers before
   * it differ from the recorded ones.
   */
  readonly onResponse?: (response: string | null, differences: readonly ValueDifference[]) => void;
}

/** One client of a mock, over any transport. Requests, responses and notifications in both directions. */
export class Conversation {
  readonly #mock: Mock;
  readonly #matcher: Matcher;
  readonly #number: number;
  /** Takes what belongs to no request. */
  readonly #stream: Outlet;
  /** Aborted when the client can answer no more. */
  readonly #closing = new AbortController();
  /** Requests of the client by id as JSON text. */
  readonly #exchanges = new Map<string, Exchange>();
  readonly #questions: ClientQuestions;
  /** The client's listen requests, by the recorded ones. */
  readonly #listening = new Map<RecordedRequest, Exchange>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** For each exchange whose response a fault holds: reports that the response was never sent. */
  readonly #held = new Map<Exchange, () => void>();
  readonly #faults: FaultInjector | null;

  constructor(mock: Mock, stream: Outlet) {
    const { number, matcher, faults } = mock.newClient();
    this.#faults = faults;
    this.#mock = mock;
    this.#number = number;
    this.#matcher = matcher;
    this.#stream = stream;
    this.#questions = new ClientQuestions((key) => matcher.remember(key));
    for (const recording of mock.library.recordings) {
      this.#follow(recording, recording.opening, recording.opening[0]?.at ?? 0);
    }
  }

  /** Takes a message of the client. @param text valid JSON-RPC @param outlet where the response goes */
  take(text: string, outlet: Outlet): void {
    const method = memberText(text, ['method']);
    const id = memberText(text, ['id']);
    if (method === null) {
      if (id !== null) this.#questions.answered(id, text);
      return;
    }
    const name = String(JSON.parse(method));
    const params = memberText(text, ['params']);
    if (id === null) this.#notification(name, params);
    else this.#request(id, { method: name, params }, outlet);
  }

  /**
   * Ends a request that the client cancelled, or whose connection it closed.
   *
   * @param id JSON text
   * @param outlet the connection that was closed: another client may use the same id
   */
  cancel(id: string, outlet?: Outlet): void {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined || (outlet !== undefined && exchange.outlet !== outlet)) return;
    this.#exchanges.delete(id);
    exchange.stop.abort();
    exchange.outlet.end(null);
    for (const [request, one] of this.#listening) if (one === exchange) this.#listening.delete(request);
  }

  /** The client sends nothing more: sends what does not depend on its answers. Idempotent. */
  async finish(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#underWay);
    for (const report of this.#held.values()) report();
  }

  /** Stops at once. Idempotent. */
  async close(): Promise<void> {
    for (const { stop } of this.#exchanges.values()) stop.abort();
    await this.finish();
  }

  #notification(method: string, params: string | null): void {
    if (method === CANCELLED) {
      const id = memberText(params ?? '{}', ['requestId']);
      if (id !== null) this.cancel(id);
    }
    const recorded = this.#matcher.notified(method, params);
    if (recorded === null) return;
    this.#follow(recorded.recording, recorded.steps, recorded.at);
  }

  #request(id: string, { method, params }: { method: string; params: string | null }, outlet: Outlet): void {
    const asked: Asked = { method, target: targetOf(method, params), params };
    const match = this.#matcher.match(asked);
    const stop = new AbortController();
    const token = memberText(params ?? '{}', ['_meta', 'progressToken']);
    const exchange: Exchange = { id, token, outlet, stop, faults: [], isAnswered: false, isEnded: false };
    this.#exchanges.set(id, exchange);
    this.#track(
      this.#answerOrFail(asked, match, exchange).finally(() => {
        // A listen request stays open until the client or the recorded server ends it.
        if (method !== LISTEN && this.#exchanges.get(id) === exchange) this.#exchanges.delete(id);
      }),
    );
  }

  /** A recording that cannot be read, such as a file that was changed, is no reason to leave the client without an answer. */
  async #answerOrFail(asked: Asked, match: Match, exchange: Exchange): Promise<void> {
    try {
      await this.#answer(asked, match, exchange);
    } catch (error) {
      const message = `The mock failed: ${messageOf(error)}`;
      const answer = JSON.stringify({ code: errorCodes.internalError, message });
      const response = `{"jsonrpc":"2.0","id":${exchange.id},"error":${answer}}`;
      if (exchange.isAnswered || exchange.stop.signal.aborted) return;
      exchange.outlet.respond(response, null);
      const { faults } = exchange;
      this.#ended(asked, { match: 'miss', why: message, differences: [], recorded: null, response, faults });
    }
  }

  async #answer(asked: Asked, match: Match, exchange: Exchange): Promise<void> {
    if (match.kind === 'miss') return this.#answerMiss(asked, match, exchange);
    const { request } = match;
    const { outlet, stop } = exchange;
    const isListen = request.method === LISTEN;
    if (isListen) this.#listening.set(request, exchange);
    const player = {
      recording: request.recording,
      answers: { exchange, request },
      outlet,
      signal: AbortSignal.any([stop.signal, this.#closing.signal]),
    };
    const report = (response: string | null, differences: readonly ValueDifference[], isPlayed: boolean) => {
      const isAnswered = isPlayed || isListen;
      const isSilent = !isAnswered && !request.hasResponse && !stop.signal.aborted;
      if (isSilent && request.status !== null && request.status >= 400) outlet.end(request.status);
      const isInexact = match.kind === 'inexact' || differences.length > 0;
      const answered = `The client answered a question of ${describe(request)} otherwise than recorded.`;
      this.#ended(asked, {
        match: isSilent ? 'silent' : !isAnswered ? 'cancelled' : isInexact ? 'inexact' : 'exact',
        why: match.why === '' && differences.length > 0 ? answered : match.why,
        differences: [...match.differences, ...differences],
        recorded: request,
        response,
        faults: exchange.faults,
      });
    };
    let isReported = false;
    const onResponse: Player['onResponse'] = (response, differences) => {
      this.#held.delete(exchange);
      if (!isReported) report(response, differences, true);
      isReported = true;
    };
    const unsent = await this.#play(request.steps, { ...player, onResponse }, request.at);
    if (isReported) return;
    if (unsent === null) report(null, [], false);
    else this.#held.set(exchange, () => onResponse(null, unsent));
  }

  async #answerMiss(asked: Asked, miss: Miss, exchange: Exchange): Promise<void> {
    const { method, params } = asked;
    const own = await ownAnswer(method, miss, this.#mock.library.recordings);
    const { forward } = this.#mock.options;
    const { signal } = exchange.stop;
    const isForwarded = own === null && forward !== null;
    const answer =
      own ??
      (forward === null
        ? await missError(method, miss, this.#mock.library.recordings)
        : await forward({
            method,
            params,
            signal,
            ask: (question, text) =>
              this.#questions.forward(
                question,
                text,
                (message) => exchange.outlet.send(message),
                AbortSignal.any([signal, this.#closing.signal]),
              ),
          }));
    const response = `{"jsonrpc":"2.0","id":${exchange.id},"${answer.member}":${onOneLine(answer.json)}}`;
    const isCancelled = signal.aborted;
    exchange.isAnswered = true;
    if (!isCancelled) exchange.outlet.respond(response, null);
    const match = isCancelled ? 'cancelled' : isForwarded ? 'forwarded' : own === null ? 'miss' : 'own';
    const { why, differences, nearest } = miss;
    this.#ended(asked, {
      match,
      why: match === 'miss' ? why : '',
      differences: match === 'miss' ? differences : [],
      recorded: match === 'own' ? null : nearest,
      response: isCancelled ? null : response,
      faults: exchange.faults,
    });
  }

  #ended(
    { method, target, params }: Asked,
    {
      recorded,
      ...outcome
    }: Pick<MockedExchange, 'match' | 'why' | 'differences' | 'response' | 'faults'> & {
      recorded: RecordedRequest | null;
    },
  ): void {
    const place = recorded === null ? null : { file: recorded.recording.name, row: recorded.row };
    this.#mock.ended({ client: this.#number, method, target, params, ...outcome, recorded: place });
  }

  /** Plays what followed a notification, or the start of the session. */
  #follow(recording: Recording, steps: readonly Step[], at: number): void {
    if (steps.length === 0) return;
    const player = { recording, answers: null, outlet: this.#stream, signal: this.#closing.signal };
    this.#track(this.#play(steps, player, at));
  }

  /**
   * Sends what the server sent, in order. Returns null, or how the client's answers differ from the recorded ones if a fault still holds the
   * response.
   */
  async #play(
    steps: readonly Step[],
    player: Player,
    startedAt: number,
  ): Promise<readonly ValueDifference[] | null> {
    const { recording, signal } = player;
    let isHeld = false;
    const differences: ValueDifference[] = [];
    let previous = startedAt;
    const isOver = (): boolean => player.answers?.exchange.stop.signal.aborted === true;
    for (const step of steps) {
      if (step.kind === 'await') {
        const differing = await this.#questions.differences(step, recording, signal);
        if (differing === null) break;
        differences.push(...differing);
        // The client takes its own time to answer.
        previous = step.at;
        continue;
      }
      const stop = player.answers?.exchange.stop.signal ?? this.#closing.signal;
      await wait(this.#mock.options.latency, step.at - previous, stop);
      previous = step.at;
      if (isOver()) break;
      const isResponse = step.kind === 'respond' && step.listen === null;
      const report = (sent: string | null) => isResponse && player.onResponse?.(sent, differences);
      const isKept = await this.#send(step, player, report);
      isHeld ||= isResponse && isKept;
    }
    return isHeld ? differences : null;
  }

  /**
   * Sends one message of the recording, if this client gets it; returns whether a fault holds it.
   *
   * @param report gets what was really sent
   */
  async #send(step: Step, player: Player, report: (sent: string | null) => void): Promise<boolean> {
    const { recording, answers, outlet } = player;
    const recorded = onOneLine(await recording.text(step.row));
    const listening = step.listen === null ? null : (this.#listening.get(step.listen) ?? null);
    // The client has not subscribed.
    if (step.listen !== null && listening === null) return false;
    const exchange = listening ?? answers?.exchange ?? null;
    const to = exchange?.outlet ?? outlet;
    const text = this.#textFor(step, recorded, { exchange, isListening: listening !== null }, recording);
    if (text === null) return false;
    const isResponse = step.kind === 'respond';
    const status = (step.listen ?? answers?.request)?.status ?? null;
    const request = isResponse ? (step.listen ?? answers?.request) : undefined;
    const message: OutgoingMessage = {
      recording,
      row: step.row,
      method: request?.method ?? String(JSON.parse(memberText(text, ['method']) ?? '""')),
      target: request?.target ?? null,
      isResponse,
      text,
      onFault: (injected) => exchange?.faults.push(injected),
    };
    const delivery: Delivery = {
      send: (sent) => {
        if (!isResponse) return to.send(sent);
        if (exchange !== null) exchange.isAnswered = true;
        to.respond(sent, status);
        report(exchange?.isEnded === true ? null : sent);
      },
      sendBefore: (copy) => to.send(copy),
      cut: (whole) => {
        to.cut(whole);
        if (exchange !== null) exchange.isEnded = true;
        report(firstHalf(whole).toString('utf8'));
      },
      fail: (code) => {
        to.end(code);
        if (exchange !== null) exchange.isEnded = true;
        report(null);
      },
      drop: () => report(null),
    };
    if (this.#faults === null) {
      delivery.send(text);
      return false;
    }
    return this.#faults.deliver(
      message,
      delivery,
      () => this.#exchanges.size - this.#listening.size,
      // The end of the input stops nothing that can still be sent.
      answers?.exchange.stop.signal ?? neverAborted,
    );
  }

  /** A message under the ids of this client; null if it gets none. */
  #textFor(
    { kind, row }: Step,
    recorded: string,
    { exchange, isListening }: { readonly exchange: Exchange | null; readonly isListening: boolean },
    recording: Recording,
  ): string | null {
    if (isListening && exchange !== null) {
      const member = kind === 'respond' ? 'result' : 'params';
      const text = withValueAt(recorded, [member, ...subscriptionPath], exchange.id);
      return kind === 'respond' ? withValueAt(text, ['id'], exchange.id) : text;
    }
    if (kind === 'ask') return withValueAt(recorded, ['id'], this.#questions.ask(recorded, row, recording));
    if (kind === 'respond') return exchange === null ? null : withValueAt(recorded, ['id'], exchange.id);
    return this.#notificationFor(recorded, exchange, recording);
  }

  /** A notification with the client's progress token, or our id of a question; null if the client wants no progress. */
  #notificationFor(text: string, exchange: Exchange | null, recording: Recording): string | null {
    const method = memberText(text, ['method']);
    if (method === JSON.stringify(PROGRESS) && exchange !== null) {
      return exchange.token === null ? null : withValueAt(text, ['params', 'progressToken'], exchange.token);
    }
    if (method !== JSON.stringify(CANCELLED)) return text;
    const requestId = memberText(text, ['params', 'requestId']) ?? '';
    const asked = this.#questions.idOf(recording, requestId);
    return withValueAt(text, ['params', 'requestId'], asked ?? exchange?.id ?? requestId);
  }

  #track(work: Promise<unknown>): void {
    // A request has its error by now; a notification has no response that could report one.
    const ended = work.catch(() => undefined).finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
  }
}

const neverAborted = new AbortController().signal;
