import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { faultText, say } from '#hosts/cli/output.ts';
import type { LineQuestions } from '#hosts/cli/terminal-questions.ts';

export const PASTE_INTRO =
  'If the browser cannot come back to this machine, paste the address that it was sent to:\n';

/** What a pasted text is: the callback of the request, or why it is not. No message has anything of the text, which may hold a code. */
type Pasted = { readonly url: string } | { readonly why: string };

/**
 * Reads what somebody pasted in place of the redirect of the browser: the whole address, its query with or without the `?`, or the
 * part behind a `#`.
 *
 * @param authorizationUrl what the browser was given; its `state` must come back
 */
export function readPastedCallback(text: string, authorizationUrl: string): Pasted {
  const pasted = text.trim().replace(/^(["'<])(.*)["'>]$/s, '$2');
  const asked = URL.canParse(authorizationUrl)
    ? new URL(authorizationUrl).searchParams
    : new URLSearchParams();
  const redirectUri = asked.get('redirect_uri') ?? 'http://127.0.0.1/callback';
  const address = addressOf(pasted, redirectUri);
  if (address === null)
    return {
      why: 'That is neither an address nor the query of one. A code alone does not say which request it answers.',
    };
  const query = new URLSearchParams(address.search);
  const behindHash = new URLSearchParams(address.hash.slice(1));
  const answer = isAnswer(query) || !isAnswer(behindHash) ? query : behindHash;
  if (!isAnswer(answer)) {
    return {
      why: answer.has('response_type')
        ? 'That is the address of the authorization request, not the one that the browser was sent to afterwards.'
        : 'That has neither a code nor an error in it.',
    };
  }
  const state = answer.get('state');
  if (state === null) return { why: 'That has no state, so it may answer another request.' };
  if (state !== asked.get('state'))
    return { why: 'That answers another request: its state is a different one.' };
  return { url: address.href };
}

const isAnswer = (parameters: URLSearchParams): boolean => parameters.has('code') || parameters.has('error');

function addressOf(text: string, redirectUri: string): URL | null {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return URL.canParse(text) ? new URL(text) : null;
  const [, before = '', sign, rest = ''] = /^([^?#]*)([?#])(.*)$/s.exec(text) ?? [];
  const isAddress = sign !== undefined && !before.includes('=');
  const query = isAddress ? `${sign}${rest}` : `?${text}`;
  if (!query.includes('=')) return null;
  const named = before === '' || !isAddress ? redirectUri : `http://${before}`;
  return URL.canParse(`${named}${query}`) ? new URL(`${named}${query}`) : null;
}

/**
 * Takes lines as the callback of a flow that waits for its browser, until the signal aborts. A line that is not the answer is said to be none.
 *
 * @returns whether the input ended before
 */
export async function takePastedCallbacks(
  session: HeadlessSession,
  { id: flowId, browserUrl }: Pick<AuthorizationFlow, 'id' | 'browserUrl'>,
  { terminal, intro, signal }: { terminal: LineQuestions; intro: string; signal: AbortSignal },
): Promise<'ended' | 'withdrawn'> {
  const take = async (line: string): Promise<void> => {
    if (line.trim() === '') return;
    const read = readPastedCallback(line, browserUrl ?? '');
    if ('why' in read) say(`${read.why} Still waiting.`);
    else await give(session, flowId, read.url);
  };
  await terminal.read(intro, (line) => void take(line), signal);
  return signal.aborted ? 'withdrawn' : 'ended';
}

async function give(session: HeadlessSession, flowId: string, url: string): Promise<void> {
  try {
    await session.request('authorization/callback', { flowId, url });
  } catch (error) {
    // The browser was faster, or the flow takes this for no answer.
    if (!(error instanceof FaultError)) throw error;
    say(faultText(error.fault));
  }
}

/** Takes pasted callbacks for every flow of a session that waits for its browser. */
export class PastedCallbacks {
  readonly #session: HeadlessSession;
  readonly #open: () => LineQuestions;
  readonly #intro: string;
  readonly #waiting = new Map<string, { readonly step: number | null; readonly over: AbortController }>();
  readonly #stop: () => void;

  /** @param open the lines to read, once a flow waits */
  constructor(session: HeadlessSession, open: () => LineQuestions, intro: string) {
    this.#session = session;
    this.#open = open;
    this.#intro = intro;
    this.#stop = session.on('authorization/changed', (flow) => this.#take(flow));
  }

  /** Begins with the flows that waited before anyone listened. */
  async start(): Promise<void> {
    for (const flow of await this.#session.request('authorization/flows', {})) this.#take(flow);
  }

  close(): void {
    this.#stop();
    for (const { over } of this.#waiting.values()) over.abort();
  }

  #take(flow: AuthorizationFlow): void {
    const { id, currentStep: step, state, browserUrl } = flow;
    const before = this.#waiting.get(id);
    const isWaiting = state === 'waiting' && browserUrl !== null;
    if (isWaiting && before?.step === step) return;
    before?.over.abort();
    this.#waiting.delete(id);
    if (!isWaiting) return;
    const over = new AbortController();
    this.#waiting.set(id, { step, over });
    void this.#read(flow, over.signal);
  }

  async #read(flow: AuthorizationFlow, signal: AbortSignal): Promise<void> {
    const how = { terminal: this.#open(), intro: this.#intro, signal };
    const end = await takePastedCallbacks(this.#session, flow, how);
    if (end === 'ended' && !process.stdin.isTTY)
      say('standard input ended without the callback; still waiting for the browser');
  }
}
