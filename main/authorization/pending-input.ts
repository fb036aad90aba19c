import { setTimeout as delay } from 'node:timers/promises';
import type { FlowQuestion } from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { formatQuantity } from '#shared/format.ts';
import { withResolvers } from '#transports/async.ts';
import type { ReceivedRequest } from '#transports/received-request.ts';
import type { AwaitedRedirect } from './callback-listener.ts';
import type { FlowEnvironment } from './flow-types.ts';
import { notOurs, readPasted } from './pasted-callback.ts';
import { type ArrivedCallback, isAt, isStrayAnswer, recordableUrl } from './received-callback.ts';

type Surroundings = Pick<
  FlowEnvironment,
  'openBrowser' | 'nextCallback' | 'recordCallback' | 'isWatched' | 'browserLimit'
>;

/** Milliseconds that an automatic flow waits for its browser: an error page of the authorization server sends nobody back. */
const BROWSER_LIMIT = 10 * 60_000;

interface CallbackOptions {
  /** Which redirect ends the wait. */
  readonly awaited: AwaitedRedirect;
  readonly redirectUri: string;
  readonly signal: AbortSignal;
  /** Whether the browser is opened, and waited for until a limit; else the user opens it, in their own time unless they chose a limit. */
  readonly isAutomatic: boolean;
  readonly onWaiting: () => void;
  /** Called on success and on failure. */
  readonly onEnd: () => void;
}

/** What a flow waits for: the callback of the browser, the choice of an authorization server, or an answer. */
export class PendingInput {
  readonly #environment: Surroundings;
  #issuers: readonly string[] = [];
  #browserUrl: string | null = null;
  #callback: (ReturnType<typeof withResolvers<ArrivedCallback>> & WaitedFor) | null = null;
  /** The last redirect that was not the one waited for; null without one. It tells why the wait ends without an answer. */
  #stray: ArrivedCallback | null = null;
  #onChoice: ((issuer: string) => void) | null = null;
  #question: FlowQuestion | null = null;
  #onAnswer: ((isYes: boolean) => void) | null = null;

  constructor(environment: Surroundings) {
    this.#environment = environment;
  }

  /** The authorization servers to choose from. */
  get issuers(): readonly string[] {
    return this.#issuers;
  }

  /** The URL of the authorization request that the browser is to open. */
  get browserUrl(): string | null {
    return this.#browserUrl;
  }

  /** What the user is asked. */
  get question(): FlowQuestion | null {
    return this.#question;
  }

  /**
   * What the browser was redirected to, or the user pasted. Without an answer, a redirect that belongs to no request of ours is
   * returned when the wait ends.
   *
   * @param url what the browser opens
   */
  async callback(
    url: string,
    { awaited, redirectUri, signal, isAutomatic, onWaiting, onEnd }: CallbackOptions,
  ): Promise<ArrivedCallback> {
    const { openBrowser, nextCallback, isWatched, browserLimit } = this.#environment;
    if (openBrowser === null && !isWatched) throw new FaultError(needsBrowser);
    const given = withResolvers<ArrivedCallback>();
    const waitedFor: AwaitedRedirect = {
      ...awaited,
      onStray: (stray) => {
        // A request without an answer in it says nothing about why none came.
        if (isStrayAnswer(stray)) this.#stray = stray;
        awaited.onStray(stray);
      },
    };
    this.#callback = { ...given, awaited: waitedFor, redirectUri };
    this.#browserUrl = url;
    onWaiting();
    const redirected = nextCallback(signal, waitedFor);
    const opened = isAutomatic && openBrowser !== null ? openBrowser(url) : null;
    const isOver = new AbortController();
    const time = browserLimit ?? (isAutomatic ? BROWSER_LIMIT : null);
    const limit =
      time === null
        ? null
        : delay(time, undefined, { signal: isOver.signal, ref: false }).then(() => {
            if (this.#stray === null) throw new FaultError(neverRedirected(url, time));
            return this.#stray;
          });
    limit?.catch(() => undefined);
    try {
      // Rejects if the browser does not open, and otherwise never settles: opening the browser is not the callback.
      const failed = opened?.then(() => new Promise<never>(() => undefined)) ?? [];
      return await Promise.race([
        given.promise,
        redirected,
        ...[failed].flat(),
        ...(limit === null ? [] : [limit]),
      ]);
    } finally {
      isOver.abort();
      this.#callback = null;
      onEnd();
    }
  }

  /** The authorization server that the user chooses. */
  async choice(issuers: readonly string[], onWaiting: () => void): Promise<string> {
    const chosen = withResolvers<string>();
    this.#onChoice = chosen.resolve;
    this.#issuers = issuers;
    onWaiting();
    return chosen.promise;
  }

  /** Whether the user says yes. */
  async answer(question: FlowQuestion, onWaiting: () => void): Promise<boolean> {
    const answered = withResolvers<boolean>();
    this.#onAnswer = answered.resolve;
    this.#question = question;
    onWaiting();
    return answered.promise;
  }

  /** @throws FaultError unless an answer is awaited */
  takeAnswer(isYes: boolean): void {
    if (this.#onAnswer === null) throw new FaultError(notWaiting('an answer'));
    this.#onAnswer(isYes);
  }

  /**
   * Takes what the user pasted. The flow goes on waiting if it is not the answer.
   *
   * @throws FaultError that says what is wrong with it, or if no callback is awaited
   */
  takeCallback(pasted: string): void {
    const { awaited, redirectUri, resolve } = this.#awaited;
    const url = readPasted(pasted, redirectUri);
    const received = { method: 'GET', url };
    const untrusted = awaited.whyUntrusted(received);
    const isAnswer = awaited.isAnswer(url) && isAt(url, redirectUri);
    const request: ReceivedRequest = {
      ...received,
      url: recordableUrl(url),
      headers: [],
      received: { by: 'pasted', ...(untrusted !== null && { untrusted }) },
      response: null,
    };
    const row = this.#environment.recordCallback(request, isAnswer);
    const arrived: ArrivedCallback = { ...received, by: 'pasted', row };
    if (isAnswer) return resolve(arrived);
    awaited.onStray(arrived);
    throw new FaultError(notOurs(untrusted ?? ''));
  }

  /** Ends the wait: the browser shows an error page, of the server or of ours. @throws FaultError unless a callback is awaited */
  refuseCallback(): void {
    const awaited = this.#awaited;
    if (this.#stray === null) awaited.reject(new FaultError(errorPage(this.#browserUrl ?? '')));
    else awaited.resolve(this.#stray);
  }

  get #awaited() {
    if (this.#callback === null) throw new FaultError(notWaiting('a callback'));
    return this.#callback;
  }

  /** @throws FaultError unless this authorization server can be chosen */
  takeChoice(issuer: string): void {
    if (this.#onChoice === null || !this.#issuers.includes(issuer)) {
      throw new FaultError(notWaiting('a choice of this authorization server'));
    }
    this.#onChoice(issuer);
  }

  /** Opens the URL of the authorization request in the system's browser. @throws FaultError if there is none to open */
  async openBrowser(): Promise<void> {
    const { openBrowser } = this.#environment;
    const url = this.#browserUrl;
    if (openBrowser === null || url === null) throw new FaultError(notWaiting('a browser of this host'));
    await openBrowser(url);
  }

  /** Nothing is awaited any more. */
  clear(): void {
    this.#callback = null;
    this.#stray = null;
    this.#onChoice = null;
    this.#onAnswer = null;
    this.#question = null;
    this.#issuers = [];
    this.#browserUrl = null;
  }
}

/** A callback that is awaited. */
interface WaitedFor {
  readonly awaited: AwaitedRedirect;
  readonly redirectUri: string;
}

const notWaiting = (what: string): Fault => ({
  code: 'flow-not-waiting',
  what: `The flow does not wait for ${what}.`,
});

const serverOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).host : 'the authorization server';

const errorPage = (url: string): Fault => ({
  code: 'authorization-error-page',
  what: `The browser shows an error page of ${serverOf(url)}, and was not redirected back.`,
  why: 'A server must not redirect for a redirect URI or client that it does not know (RFC 6749 section 4.1.2.1).',
  next: 'Read the page in the browser. Correct the redirect URI or the client in the settings of the server, or take the step back.',
});

/** `10 minutes`, `90 seconds`, `0.5 seconds`. */
const waited = (milliseconds: number): string => {
  const seconds = milliseconds / 1000;
  if (seconds % 60 === 0) return formatQuantity(seconds / 60, 'minute');
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
};

const neverRedirected = (url: string, time: number): Fault => ({
  code: 'authorization-timeout',
  what: `The browser was not redirected back within ${waited(time)}, so the authorization was given up.`,
  why: `Nobody signed in, or ${serverOf(url)} showed an error page instead of a redirect, as it must for a redirect URI or client that it does not know (RFC 6749 section 4.1.2.1).`,
  next: 'Read the page in the browser. Correct the redirect URI or the client in the settings of the server, then authorize again.',
});

const needsBrowser: Fault = {
  code: 'authorization-needs-browser',
  what: 'The server demands authorization in a browser, and none can be opened from here.',
  next: 'Connect in the window of the app. In a terminal, run "sightglass auth --save" with this server first.',
};
