import { randomUUID } from 'node:crypto';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Handlers } from '#shared/contract/index.ts';
import { completionsUrl } from '#shared/contract/language-model.ts';
import { truncate } from '#shared/format.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { Sessions } from '#session/sessions.ts';
import { redactAndLearnUrl, redactorFor, redactTexts } from '#trace/recorder/credentials.ts';

interface LanguageModelOptions {
  readonly secrets: {
    get(key: string): Promise<string | null>;
    set(key: string, value: string): Promise<void>;
    remove(key: string): Promise<void>;
  };
  /** The base URL of the API, with its secrets; null if the user has none. @throws FaultError if one is not held */
  readonly url: () => Promise<string | null>;
  readonly sessions: Pick<Sessions, 'get'>;
  /** Notes that the key is about to be removed, and the name under which it is kept until it is deleted. */
  readonly noteRemoval: (
    name: string,
    held: { readonly id: string; readonly heldAs: string },
  ) => Promise<void>;
}

/** What the key is called where it can be brought back. */
const hostOf = (url: string | null): string =>
  url !== null && URL.canParse(url) ? new URL(url).host : 'the language model';

/** Where the key is stored. */
const KEY = 'model/key';

/** Milliseconds for one request; a model may think for minutes. */
const TIMEOUT = 600_000;

/** Limit of bytes of a response. */
const MAX_RESPONSE = 16 * 1024 * 1024;

/**
 * The language model of the user, behind an OpenAI-compatible API (https://platform.openai.com/docs/api-reference/chat). It is
 * asked only by a command of the user, who has read the request; its response goes back to the user, not to the server.
 */
export class LanguageModel {
  readonly #options: LanguageModelOptions;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: LanguageModelOptions) {
    this.#options = options;
  }

  get handlers(): Pick<Handlers, Extract<keyof Handlers, `model/${string}`>> {
    const { secrets, sessions } = this.#options;
    return {
      'model/has-key': async () => ({ hasKey: (await secrets.get(KEY)) !== null }),
      'model/set-key': async ({ key }) => {
        if (key === null) await this.#removeKey();
        else {
          const usable = key.trim();
          if (!isSendable(usable)) throw new FaultError(unusableKey);
          await secrets.set(KEY, usable);
        }
        return null;
      },
      'model/ask': async ({ sessionId, entryId, body }) => {
        const { inbox, redacted } = sessions.get(sessionId).features;
        inbox.requireWaiting(entryId, 'sampling/createMessage');
        const url = await this.#options.url();
        if (url === null) throw new FaultError(noModel);
        const key = (await secrets.get(KEY))?.trim() ?? null;
        // `fetch` quotes a value that no header can have in its error.
        if (key !== null && !isSendable(key)) throw new FaultError(unusableKey);
        const target = completionsUrl(url);
        const redactor = redactorFor(new Map(key === null ? [] : [['model key', key]]));
        // Its address may hold a credential too, which the model or an error may repeat.
        const shownTarget = redactAndLearnUrl(redactor, target);
        const outcome = redactTexts(redactor, await this.#track(this.#post(target, body, key)));
        inbox.note(entryId, redactTexts(redactor, noteOf(shownTarget, body, outcome)));
        if ('fault' in outcome) throw new FaultError(redacted(outcome.fault));
        return redacted({ text: outcome.text, duration: outcome.duration });
      },
    };
  }

  /** Ends the requests that run. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
  }

  async #removeKey(): Promise<void> {
    const { secrets, noteRemoval, url } = this.#options;
    const key = await secrets.get(KEY);
    if (key === null) return;
    const heldAs = `removed/${randomUUID()}`;
    // Without its secrets the address cannot be used, but the key can be removed.
    const address = await url().catch(() => null);
    await noteRemoval(hostOf(address), { id: KEY, heldAs });
    await secrets.set(heldAs, key);
    await secrets.remove(KEY);
  }

  async #track<T>(request: Promise<T>): Promise<T> {
    this.#running.add(request);
    try {
      return await request;
    } finally {
      this.#running.delete(request);
    }
  }

  async #post(url: string, body: string, key: string | null): Promise<Outcome> {
    const started = performance.now();
    const timeout = AbortSignal.timeout(TIMEOUT);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(key !== null && { authorization: `Bearer ${key}` }),
        },
        body,
        // Neither the key nor the prompt goes to another address than the one the user entered.
        redirect: 'manual',
        signal: AbortSignal.any([timeout, this.#closing.signal]),
      });
      const text = await readLimited(response);
      const duration = performance.now() - started;
      const { status } = response;
      const fault = status === 200 ? contentFault(text) : statusFault(status, text, key !== null);
      return fault === null ? { text, status, duration } : { fault, text, status, duration };
    } catch (error) {
      const fault = timeout.aborted ? timedOut : connectFault(url, error);
      return { fault, text: '', status: null, duration: performance.now() - started };
    }
  }
}

interface Response {
  readonly text: string;
  readonly status: number | null;
  readonly duration: number;
}

type Outcome = Response | (Response & { readonly fault: Fault });

/** @throws Error if the body is too large */
async function readLimited(response: globalThis.Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_RESPONSE) throw new Error(`its response is larger than ${MAX_RESPONSE} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** What the trace says of a request to the model. */
function noteOf(url: string, body: string, { text, status, duration }: Outcome): string {
  const outcome = status === null ? 'no response' : `${status} after ${Math.round(duration)} ms`;
  const response = text === '' ? '' : `\nResponse: ${truncate(text, MAX_NOTED)}`;
  return `Asked a language model: POST ${url}, ${outcome}.\nRequest: ${truncate(body, MAX_NOTED)}${response}`;
}

/** Limit of characters of a request or a response in a note: images of the server are in its own message. */
const MAX_NOTED = 100_000;

const noModel: Fault = {
  code: 'no-model',
  what: 'No language model is configured, so none was asked.',
  next: 'Enter the address of its API under “Model…” in the Inbox.',
};

/** Whether a header can carry the key: visible ASCII, as the tokens of RFC 6750 section 2.1 are. */
const isSendable = (key: string): boolean => /^[!-~]+$/.test(key);

const unusableKey: Fault = {
  code: 'model-key-unusable',
  what: 'The key of the language model cannot be sent.',
  why: 'It has a line break, a blank or a letter beyond ASCII, which no Authorization header can carry.',
  next: 'Copy the key again, and enter it under “Model…” in the Inbox.',
};

const timedOut: Fault = {
  code: 'model-timeout',
  what: `The model did not respond within ${TIMEOUT / 60_000} minutes.`,
  why: 'It may be loading, or the request is too long for it.',
  next: 'Ask again, with fewer tokens or another model.',
};

function connectFault(url: string, error: unknown): Fault {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { host } = new URL(url);
  return {
    code: 'model-not-reached',
    what: `The model at ${host} could not be asked.`,
    why: cause instanceof Error ? cause.message : String(cause),
    next: 'Check that it runs, and its address under “Model…” in the Inbox.',
  };
}

const statusNotes: Readonly<Record<number, readonly [why: string, next: string]>> = {
  400: ['It does not accept the request.', 'Change the parameters of the request, and ask again.'],
  401: ['It does not accept the key.', 'Enter another key under “Model…” in the Inbox.'],
  403: ['The key may not use this model.', 'Choose another model, or another key.'],
  404: ['It has no such model, or another path.', 'Check the name of the model and the address.'],
  413: ['The request is too large.', 'Shorten the messages, and ask again.'],
  429: ['It limits how often it is asked, or the account has no credit left.', 'Ask again later.'],
};

function statusFault(status: number, text: string, hasKey: boolean): Fault {
  const [why, next] =
    status === 401 && !hasKey
      ? ['It needs a key, and none is stored.', 'Enter one under “Model…” in the Inbox.']
      : status >= 300 && status < 400
        ? ['It redirects to another address, which is not followed.', 'Enter the address that it really has.']
        : (statusNotes[status] ?? ['It failed to complete the request.', 'Ask again later.']);
  const said = errorMessage(text);
  return {
    code: 'model-error',
    what: `The model responded with the status ${status}.`,
    why: said === null ? why : `${why} It says: ${truncate(said, 500)}`,
    next,
  };
}

/** What an API says of an error: `{"error":{"message":…}}`, or a variant of it. */
function errorMessage(text: string): string | null {
  const read = parsed(text);
  if (!isObject(read)) return text.trim() === '' ? null : text.trim();
  const { error, message, detail } = read;
  const said = isObject(error) ? error.message : (error ?? message ?? detail);
  return typeof said === 'string' ? said : JSON.stringify(read);
}

/** A response that has no message to answer with. */
function contentFault(text: string): Fault | null {
  const read = parsed(text);
  const choices = isObject(read) ? read.choices : undefined;
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (isObject(first) && isObject(first.message)) return null;
  return {
    code: 'no-completion',
    what: 'The response of the model is not a chat completion.',
    why: text.trim() === '' ? 'It is empty.' : `It begins with: ${truncate(text.trim(), 200)}`,
    next: 'Check the address: it is that of an OpenAI-compatible API, such as http://localhost:11434/v1.',
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
