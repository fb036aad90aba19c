import { randomUUID } from 'node:crypto';
import { objectOnOneLine } from '#session/rpc/request.ts';
import type { Answer } from '#session/rpc/incoming-request.ts';
import { relatedTaskIn } from '#session/tasks/related-task.ts';
import type { SessionState } from '#session/session-state.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { type InboxAnswer, type InboxEntry, ruleApplies } from '#shared/contract/inbox.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { ClientProfile } from '#shared/contract/servers.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type Rejection, rejectionError } from '#shared/protocol/rejections.ts';
import type { Origin } from '#shared/trace/record.ts';
import { memberText, memberTexts } from '#shared/json/members.ts';

/** A request of the server for the user. */
interface Question {
  readonly method: string;
  /** JSON text of an object. */
  readonly params: string;
  readonly by: InboxEntry['by'];
  readonly key: string | null;
  /** The row of its message. */
  readonly row: number;
  readonly callId: string | null;
  /** Functions that pause the timeouts of the requests waiting for the answer; each returns a function that resumes one. */
  readonly pauses: readonly (() => () => void)[];
  /** Delivers the answer; returns the row in which it was sent, null if it is not sent yet. */
  readonly deliver: (answer: Answer, origin: Origin) => number | null;
  /** Called when the session ends before the answer. */
  readonly lost?: () => void;
}

/** A question in the inbox, as its sender sees it. */
export interface InboxQuestion {
  readonly entryId: string;
  /** Withdraws the question, because no answer is needed any more. */
  withdraw(): void;
  /** Sets the row in which the answer was sent. */
  noteResponseRow(row: number): void;
  /** Notes that the user sent the response with the composer, in this row. */
  noteAnswered(content: InboxAnswer, row: number): void;
}

interface Waiting {
  readonly question: Question;
  readonly resume: () => void;
  delay: NodeJS.Timeout | undefined;
}

/** How many settled questions stay listed, and how many characters of params they may hold together. */
const MAX_SETTLED = 1000;
const MAX_SETTLED_TEXT = 32 * 1024 * 1024;
/** More questions at a time are refused, so that a flood does not fill the memory. */
const MAX_WAITING = 1000;
const tooMany: InboxAnswer = {
  kind: 'error',
  code: -32000,
  message: 'Too many questions wait for an answer',
};

const MINUTE = 60_000;

const tooFast = (limit: number): InboxAnswer => ({
  kind: 'error',
  code: -32000,
  message: `Too many requests: this client takes at most ${limit} a minute`,
});

/** Who answers: the user, a rule, or a limit. */
type AnsweredBy = NonNullable<InboxEntry['answer']>['by'];

/** Requests of the server that wait for the user. Only the user or a rule answers them. */
export class Inbox {
  readonly #state: SessionState;
  readonly #onChange: (entry: Redacted<InboxEntry>) => void;
  readonly #entries = new Map<string, InboxEntry>();
  readonly #waiting = new Map<string, Waiting>();
  /** Ids of settled questions, oldest first. */
  readonly #settled = new Set<string>();
  #settledText = 0;
  /** The server's `elicitationId` of each entry, for elicitation in URL mode. */
  readonly #elicitationIds = new Map<string, string>();
  /** When the requests of the last minute came, in milliseconds since the Unix epoch. */
  readonly #recent: number[] = [];
  #isDecliningAll = false;
  #isOver = false;

  constructor(state: SessionState, onChange: (entry: Redacted<InboxEntry>) => void) {
    this.#state = state;
    this.#onChange = onChange;
  }

  list(): Redacted<InboxEntry>[] {
    return [...this.#entries.values()].map((entry) => this.#state.redacted(entry));
  }

  /** The number of questions that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  get isDecliningAll(): boolean {
    return this.#isDecliningAll;
  }

  /** Declines all questions that wait, and all later ones, until it is switched off. */
  declineAll(isOn: boolean): void {
    this.#isDecliningAll = isOn;
    if (isOn) for (const id of this.#waiting.keys()) this.#deliver(id, { kind: 'decline' }, 'declining');
    this.#state.changed();
  }

  isWaiting(entryId: string): boolean {
    return this.#waiting.has(entryId);
  }

  /** Adds a question; the first matching rule answers it, or else the user. */
  add(question: Question): InboxQuestion {
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
    // A stream may still deliver requests after the session has ended.
    if (this.#isOver) this.#end(id, 'lost');
    else this.#answerAutomatically(id, question);
    return {
      entryId: id,
      withdraw: () => this.#end(id, 'withdrawn'),
      noteResponseRow: (responseRow) => this.#change(id, { responseRow }),
      noteAnswered: (content, responseRow) => this.#noteAnswered(id, content, responseRow),
    };
  }

  /** Answers a question for the user. @throws FaultError if it does not wait, or the answer is invalid */
  answer(entryId: string, content: InboxAnswer): void {
    if (!this.#waiting.has(entryId)) throw new FaultError(notWaiting);
    const fault = this.#deliver(entryId, content, 'user');
    if (fault !== null) throw new FaultError(fault);
  }

  /** @throws FaultError unless the question waits and has this method */
  requireWaiting(entryId: string, method: string): void {
    if (!this.#waiting.has(entryId)) throw new FaultError(notWaiting);
    if (this.#entries.get(entryId)?.method !== method) {
      throw new FaultError({ code: 'another-method', what: `This question is not ${method}.` });
    }
  }

  /** Notes which call became a task, for the questions of the task that came before. */
  noteTask(taskId: string, callId: string): void {
    for (const { id, params, callId: known } of this.#entries.values()) {
      if (known === null && relatedTaskIn(params) === taskId) this.#change(id, { callId });
    }
  }

  /** Adds to the note on the row of a question, in the trace. */
  note(entryId: string, text: string): void {
    const entry = this.#entries.get(entryId);
    if (entry === undefined) return;
    const { trace } = this.#state;
    const before = trace.index.columns.mark(entry.row) ?? '';
    trace.mark(entry.row, before === '' ? text : `${before}\n\n${text}`);
  }

  /** The server reports that the user has completed a URL elicitation (MCP 2025-11-25 elicitation). */
  noteComplete(elicitationId: unknown, row: number): void {
    for (const [id, known] of this.#elicitationIds) {
      if (known === elicitationId) this.#change(id, { completedRow: row });
    }
  }

  /** Cancels every open question for the user, before we disconnect. */
  cancelAll(): void {
    for (const id of this.#waiting.keys()) this.#deliver(id, { kind: 'cancel' }, 'closing');
  }

  /** Marks every open question as lost: the server no longer waits. */
  loseAll(): void {
    for (const id of this.#waiting.keys()) this.#end(id, 'lost');
  }

  /** Marks open and later questions as lost, because the session has ended. */
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

  /** Answers a question without the user, if a limit or a rule says so. */
  #answerAutomatically(id: string, question: Question): void {
    const limit = this.#state.profile.requestsPerMinute;
    const isTooFast = limit !== undefined && this.#countRecent(limit) > limit;
    if (this.#waiting.size > MAX_WAITING) this.#deliver(id, tooMany, 'limit');
    else if (isTooFast) this.#deliver(id, tooFast(limit), 'rate');
    else if (this.#isDecliningAll) this.#deliver(id, { kind: 'decline' }, 'declining');
    else this.#applyRule(id, question);
  }

  /** Counts one more request, and those of the minute before it. Requests that were refused count, too. */
  #countRecent(limit: number): number {
    const now = Date.now();
    this.#recent.push(now);
    // Requests further beyond the limit make no difference, so they need not be kept.
    while (this.#recent.length > limit + 1 || (this.#recent[0] ?? now) <= now - MINUTE) this.#recent.shift();
    return this.#recent.length;
  }

  #applyRule(id: string, question: Question): void {
    const rule = this.#state.profile.rules.find((one) => ruleApplies(one, question));
    const waiting = this.#waiting.get(id);
    if (rule === undefined || waiting === undefined) return;
    // If the rule cannot answer this question, the user has to.
    if (rule.delay === 0) this.#deliver(id, rule.answer, 'rule');
    else waiting.delay = setTimeout(() => this.#deliver(id, rule.answer, 'rule'), rule.delay);
  }

  /** Delivers an answer; returns a fault if it is invalid. */
  #deliver(id: string, content: InboxAnswer, by: AnsweredBy): Fault | null {
    const waiting = this.#waiting.get(id);
    const entry = this.#entries.get(id);
    if (waiting === undefined || entry === undefined) return null;
    const answer = wireAnswer(entry, content);
    if ('fault' in answer) return answer.fault;
    this.#forget(id, waiting);
    const responseRow = waiting.question.deliver(answer, by === 'user' ? 'user' : 'automatic');
    this.#answered(id, waiting, { answer: { content, by }, responseRow });
    return null;
  }

  #noteAnswered(id: string, content: InboxAnswer, responseRow: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#forget(id, waiting);
    this.#answered(id, waiting, { answer: { content, by: 'user' }, responseRow });
  }

  #answered(id: string, { resume }: Waiting, answered: Pick<InboxEntry, 'answer' | 'responseRow'>): void {
    this.#change(id, { state: 'answered', ...answered });
    this.#settle(id);
    resume();
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

  /** Marks a question as settled, and drops the oldest settled ones if there are too many. */
  #settle(id: string): void {
    this.#settled.add(id);
    this.#settledText += this.#entries.get(id)?.params.length ?? 0;
    for (const oldest of this.#settled) {
      const isTooMuch = this.#settled.size > MAX_SETTLED || this.#settledText > MAX_SETTLED_TEXT;
      // The newest is always kept.
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
 * The suggested result, as JSON text: the roots the user set, the defaults of a form, or consent to open a page. Null
 * if there is none: for sampling, and for a form with a required field without a default.
 *
 * @param params JSON text of an object
 */
export function suggestedResult(
  method: string,
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
    // Only a person or a model answers sampling, and nobody knows what an unknown request wants.
    default:
      return null;
  }
}

function suggestedForm(params: string): string | null {
  const question: unknown = JSON.parse(params);
  if (!isObject(question)) return null;
  if (question.mode === 'url') return '{"action":"accept"}';
  const { requestedSchema } = question;
  if (!isObject(requestedSchema) || !isObject(requestedSchema.properties)) return null;
  if (fieldsWithoutDefault(params).length > 0) return null;
  const texts = memberTexts(memberText(params, ['requestedSchema', 'properties']) ?? '{}');
  const members: string[] = [];
  for (const [key, property] of Object.entries(requestedSchema.properties)) {
    const hasDefault = isObject(property) && Object.hasOwn(property, 'default');
    // As text, so that numbers keep their digits.
    const value = hasDefault ? memberText(texts.get(key) ?? '{}', ['default']) : null;
    if (value !== null) members.push(`${JSON.stringify(key)}:${value}`);
  }
  return `{"action":"accept","content":{${members.join(',')}}}`;
}

/** The required fields of a form for which its schema has no default, in their order. @param params of the question, as JSON text */
function fieldsWithoutDefault(params: string): string[] {
  const question: unknown = JSON.parse(params);
  if (!isObject(question) || !isObject(question.requestedSchema)) return [];
  const { properties, required } = question.requestedSchema;
  if (!isObject(properties) || !Array.isArray(required)) return [];
  return required
    .filter((key) => typeof key === 'string')
    .filter((key) => {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return !(isObject(property) && Object.hasOwn(property, 'default'));
    });
}

/**
 * The JSON-RPC response for an answer of the user. Only elicitation has results for declining and cancelling; other
 * requests get an error.
 *
 * @returns the response, or a fault if it cannot be sent
 */
function wireAnswer(
  { method, params, suggestion }: Pick<InboxEntry, 'method' | 'params' | 'suggestion'>,
  content: InboxAnswer,
): Answer | { readonly fault: Fault } {
  switch (content.kind) {
    case 'result':
      return resultOf(content.json);
    case 'error':
      return { error: { code: content.code, message: content.message } };
    case 'defaults':
      return suggestion === null ? { fault: noDefaults(params) } : { result: suggestion };
    case 'decline':
    case 'cancel':
      return rejection(method, content.kind);
  }
}

function rejection(method: string, action: Rejection): Answer {
  const error = rejectionError(method, action);
  return error === null ? { result: JSON.stringify({ action }) } : { error };
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

const notWaiting: Fault = {
  code: 'nothing-to-answer',
  what: 'This question no longer waits for an answer.',
  why: 'It was answered, the server cancelled it, or the session has ended.',
};

/** @param params of the question, as JSON text */
function noDefaults(params: string): Fault {
  const fields = fieldsWithoutDefault(params).map((field) => JSON.stringify(field));
  const [isOne, named] = [fields.length === 1, fields.join(', ')];
  return {
    code: 'no-defaults',
    what:
      fields.length === 0
        ? 'This question has no default answer.'
        : `This question has no default answer: the required ${isOne ? `field ${named} has` : `fields ${named} have`} no default.`,
    ...(fields.length === 0 && { why: 'Only a person or a model can answer it.' }),
    next: 'Write the answer, decline or cancel.',
  };
}
