import { randomUUID } from 'node:crypto';
import { objectOnOneLine } from '#session/rpc/request.ts';
import type { Answer } from '#session/rpc/peer.ts';
import type { SessionState } from '#session/session-state.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { InboxAnswer, InboxEntry, InboxMethod } from '#shared/contract/inbox.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { ClientProfile } from '#shared/contract/servers.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { Origin } from '#shared/trace/record.ts';
import { memberText, memberTexts } from '#shared/json/members.ts';

/** A question of the server, on its way to the user. */
interface Question {
  readonly method: InboxMethod;
  /** JSON text of an object. */
  readonly params: string;
  readonly by: InboxEntry['by'];
  readonly key: string | null;
  /** Row it came in. */
  readonly row: number;
  readonly callId: string | null;
  /** Lets the time of what depends on the answer stand still; each gives what lets it go on. */
  readonly pauses: readonly (() => () => void)[];
  /** Takes the answer; gives the row it stands in, null while it is in none. */
  readonly deliver: (answer: Answer, origin: Origin) => number | null;
  /** There will be no answer, because who asked is gone. */
  readonly lost?: () => void;
}

/** A question that was put in the inbox. */
export interface Asked {
  readonly entryId: string;
  /** What it was asked for is over: an answer is of no use any more. */
  withdraw(): void;
  /** The answer stands in this row. */
  noteResponseRow(row: number): void;
}

interface Waiting {
  readonly question: Question;
  readonly resume: () => void;
  delay: NodeJS.Timeout | undefined;
}

/** Questions that are over are kept, to be looked at, up to so many, and to so many characters of their params. */
const MAX_SETTLED = 1000;
const MAX_SETTLED_TEXT = 32 * 1024 * 1024;
/** A server that asks more at a time floods; the rest is refused, so that it does not fill the memory. */
const MAX_WAITING = 1000;
const tooMany: InboxAnswer = {
  kind: 'error',
  code: -32000,
  message: 'Too many questions wait for an answer',
};

type Speaker = NonNullable<InboxEntry['answer']>['by'];

/** Requests of the server to the user, until the user or a rule answers them. Nothing else answers them. */
export class Inbox {
  readonly #state: SessionState;
  readonly #onChange: (entry: Redacted<InboxEntry>) => void;
  readonly #entries = new Map<string, InboxEntry>();
  readonly #waiting = new Map<string, Waiting>();
  /** Ids of those that are over, the first of them first. */
  readonly #settled = new Set<string>();
  #settledText = 0;
  /** The server's `elicitationId` of each entry, for elicitation in URL mode. */
  readonly #elicitationIds = new Map<string, string>();
  #isOver = false;

  constructor(state: SessionState, onChange: (entry: Redacted<InboxEntry>) => void) {
    this.#state = state;
    this.#onChange = onChange;
  }

  list(): Redacted<InboxEntry>[] {
    return [...this.#entries.values()].map((entry) => this.#state.redacted(entry));
  }

  /** How many questions wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  isWaiting(entryId: string): boolean {
    return this.#waiting.has(entryId);
  }

  /** Puts a question to the user, or to the first rule that fits it. */
  ask(question: Question): Asked {
    const { method, params, by, key, row, callId } = question;
    const id = randomUUID();
    const ends = question.pauses.map((pause) => pause());
    this.#waiting.set(id, { question, resume: () => ends.forEach((end) => end()), delay: undefined });
    this.#entries.set(id, {
      id,
      sessionId: this.#state.id,
      method,
      params,
      by,
      key,
      row,
      callId,
      receivedAt: Date.now(),
      state: 'waiting',
      suggestion: suggestedResult(method, params, this.#state.profile),
      answer: null,
      responseRow: null,
      completedRow: null,
    });
    this.#noteElicitationId(id, params);
    this.#changed(id);
    // A stream may still bring something after the end.
    if (this.#isOver) this.#end(id, 'lost');
    else if (this.#waiting.size > MAX_WAITING) this.#deliver(id, tooMany, 'limit');
    else this.#applyRule(id, method);
    return {
      entryId: id,
      withdraw: () => this.#end(id, 'withdrawn'),
      noteResponseRow: (responseRow) => this.#change(id, { responseRow }),
    };
  }

  /** @throws FaultError when there is no such question, it was answered, or this is no answer to it */
  answer(entryId: string, content: InboxAnswer): void {
    if (!this.#waiting.has(entryId)) {
      throw new FaultError({
        code: 'nothing-to-answer',
        what: 'This question does not wait for an answer any more.',
        why: 'It was answered, the server took it back, or the session has ended.',
      });
    }
    const fault = this.#deliver(entryId, content, 'user');
    if (fault !== null) throw new FaultError(fault);
  }

  /** What the user did at the address of a question is complete, the server says (MCP 2025-11-25 elicitation). */
  noteComplete(elicitationId: unknown, row: number): void {
    for (const [id, own] of this.#elicitationIds) {
      if (own === elicitationId) this.#change(id, { completedRow: row });
    }
  }

  /** Before we disconnect: cancels every open request on behalf of the user. */
  cancelAll(): void {
    for (const id of this.#waiting.keys()) this.#deliver(id, { kind: 'cancel' }, 'closing');
  }

  /** Who asked is gone: nobody waits any more. */
  loseAll(): void {
    for (const id of this.#waiting.keys()) this.#end(id, 'lost');
  }

  /** The session has ended: nobody waits any more, and nobody will. */
  end(): void {
    this.#isOver = true;
    this.loseAll();
  }

  #noteElicitationId(id: string, params: string): void {
    if (!params.includes('elicitationId')) return;
    const asked: unknown = JSON.parse(params);
    if (isObject(asked) && typeof asked.elicitationId === 'string') {
      this.#elicitationIds.set(id, asked.elicitationId);
    }
  }

  #applyRule(id: string, method: InboxMethod): void {
    const rule = this.#state.profile.rules.find((one) => one.method === method);
    const waiting = this.#waiting.get(id);
    if (rule === undefined || waiting === undefined) return;
    // A rule that cannot answer this question leaves it to the user.
    if (rule.delay === 0) this.#deliver(id, rule.answer, 'rule');
    else waiting.delay = setTimeout(() => this.#deliver(id, rule.answer, 'rule'), rule.delay);
  }

  /** Gives why it could not be said; null when it was. */
  #deliver(id: string, content: InboxAnswer, by: Speaker): Fault | null {
    const waiting = this.#waiting.get(id);
    const entry = this.#entries.get(id);
    if (waiting === undefined || entry === undefined) return null;
    const answer = wireAnswer(entry.method, content, entry.suggestion);
    if ('fault' in answer) return answer.fault;
    this.#forget(id, waiting);
    const responseRow = waiting.question.deliver(answer, by === 'user' ? 'user' : 'automatic');
    this.#change(id, { state: 'answered', answer: { content, by }, responseRow });
    this.#settle(id);
    waiting.resume();
    return null;
  }

  #end(id: string, state: 'withdrawn' | 'lost'): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#forget(id, waiting);
    this.#change(id, { state });
    this.#settle(id);
    waiting.resume();
    if (state === 'lost') waiting.question.lost?.();
  }

  /** It is over, and the oldest that are go when there are too many. */
  #settle(id: string): void {
    this.#settled.add(id);
    this.#settledText += this.#entries.get(id)?.params.length ?? 0;
    for (const oldest of this.#settled) {
      const isTooMuch = this.#settled.size > MAX_SETTLED || this.#settledText > MAX_SETTLED_TEXT;
      // The last one can be seen in any case.
      if (!isTooMuch || oldest === id) return;
      this.#settledText -= this.#entries.get(oldest)?.params.length ?? 0;
      this.#settled.delete(oldest);
      this.#entries.delete(oldest);
      this.#elicitationIds.delete(oldest);
    }
  }

  #forget(id: string, { delay }: Waiting): void {
    clearTimeout(delay);
    this.#waiting.delete(id);
  }

  #change(id: string, change: Partial<InboxEntry>): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.set(id, { ...entry, ...change });
    this.#changed(id);
  }

  #changed(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#onChange(this.#state.redacted(entry));
  }
}

/**
 * The result that follows from a question by itself, as JSON text: the roots the user set, the defaults of a form,
 * consent to open a page. Null when nothing follows: what a model would say, or a form with a required field that
 * has no default.
 *
 * @param params JSON text of an object
 */
export function suggestedResult(
  method: InboxMethod,
  params: string,
  profile: Pick<ClientProfile, 'roots'>,
): string | null {
  switch (method) {
    case 'roots/list': {
      const roots = profile.roots.map(({ uri, name }) => ({ uri, ...(name !== null && { name }) }));
      return JSON.stringify({ roots });
    }
    case 'elicitation/create':
      return suggestedForm(params);
    case 'sampling/createMessage':
      return null;
  }
}

function suggestedForm(params: string): string | null {
  const question: unknown = JSON.parse(params);
  if (!isObject(question)) return null;
  if (question.mode === 'url') return '{"action":"accept"}';
  const { requestedSchema } = question;
  if (!isObject(requestedSchema) || !isObject(requestedSchema.properties)) return null;
  const required = new Set<unknown>(Array.isArray(requestedSchema.required) ? requestedSchema.required : []);
  const texts = memberTexts(memberText(params, ['requestedSchema', 'properties']) ?? '{}');
  const members: string[] = [];
  for (const [key, property] of Object.entries(requestedSchema.properties)) {
    const hasDefault = isObject(property) && Object.hasOwn(property, 'default');
    if (!hasDefault && required.has(key)) return null;
    // As written, so that a number does not change on its way.
    const value = hasDefault ? memberText(texts.get(key) ?? '{}', ['default']) : null;
    if (value !== null) members.push(`${JSON.stringify(key)}:${value}`);
  }
  return `{"action":"accept","content":{${members.join(',')}}}`;
}

/** The code a user's refusal goes out with (MCP 2025-06-18 sampling, error handling). */
const REJECTED = -1;

/** What each question is called in an error. */
const names: Readonly<Record<InboxMethod, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

/**
 * What an answer of the user means on the wire. Only elicitation has results for declining and cancelling; any other
 * question is then answered with an error.
 *
 * @param suggestion the result that follows from the question by itself, if any does
 * @returns the answer, or why it cannot be sent
 */
function wireAnswer(
  method: InboxMethod,
  content: InboxAnswer,
  suggestion: string | null,
): Answer | { readonly fault: Fault } {
  switch (content.kind) {
    case 'result':
      return resultOf(content.json);
    case 'error':
      return { error: { code: content.code, message: content.message } };
    case 'defaults':
      return suggestion === null ? { fault: nothingFollows } : { result: suggestion };
    case 'decline':
      return refusal(method, 'decline', 'rejected');
    case 'cancel':
      return refusal(method, 'cancel', 'cancelled');
  }
}

function refusal(method: InboxMethod, action: string, word: string): Answer {
  if (method === 'elicitation/create') return { result: JSON.stringify({ action }) };
  return { error: { code: REJECTED, message: `User ${word} ${names[method]} request` } };
}

function resultOf(json: string): Answer | { readonly fault: Fault } {
  const written = objectOnOneLine(json);
  return 'why' in written ? { fault: badAnswer(written.why) } : { result: written.text };
}

const badAnswer = (why: string): Fault => ({
  code: 'bad-answer',
  what: 'The answer is not a JSON object, so it was not sent.',
  why,
  next: 'Write the result as an object, for example {"action": "accept", "content": {}}.',
});

const nothingFollows: Fault = {
  code: 'no-defaults',
  what: 'This question has no answer that follows from it by itself.',
  why: 'A required field has no default, or the question asks what only a person or a model can say.',
  next: 'Write the answer, decline or cancel.',
};
