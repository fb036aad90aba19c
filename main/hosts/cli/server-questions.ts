import { truncate } from '#shared/format.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { type InboxAnswer, type InboxEntry, type InboxRule, ruleApplies } from '#shared/contract/inbox.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { questionNameOf } from './client-options.ts';
import type { HeadlessSession } from './headless-session.ts';
import type { LineQuestions } from './terminal-questions.ts';
import { faultText, say, visibleLines, visibleJson, visibleText } from './output.ts';

/**
 * Responds to every request of the server: those without a rule are put to the user, or declined and reported without
 * a terminal.
 */
export class ServerQuestions {
  readonly #session: HeadlessSession;
  readonly #rules: readonly InboxRule[];
  readonly #openTerminal: (() => LineQuestions) | null;
  readonly #seen = new Set<string>();
  /** Requests that the user is being asked about. */
  readonly #asking = new Map<string, AbortController>();
  readonly #stop: () => void;
  #terminal: LineQuestions | null = null;

  /** @param openTerminal opens the terminal to ask the user; null if there is none */
  constructor(
    session: HeadlessSession,
    rules: readonly InboxRule[],
    openTerminal: (() => LineQuestions) | null,
  ) {
    this.#session = session;
    this.#rules = rules;
    this.#openTerminal = openTerminal;
    this.#stop = session.on('inbox/changed', (entry) => this.#take(entry));
  }

  /** Handles requests that arrived before this listened. */
  async takeEarlier(): Promise<void> {
    for (const entry of await this.#session.request('inbox/list', {})) this.#take(entry);
  }

  close(): void {
    this.#stop();
    for (const controller of this.#asking.values()) controller.abort();
    this.#terminal?.close();
  }

  #take(entry: InboxEntry): void {
    if (entry.state !== 'waiting') {
      this.#asking.get(entry.id)?.abort();
      return;
    }
    if (this.#seen.has(entry.id)) return;
    this.#seen.add(entry.id);
    if (entry.by === 'error') return reportPageRequest(entry);
    if (this.#isAnsweredByRule(entry)) return;
    void (this.#openTerminal === null ? this.#decline(entry) : this.#ask(entry, this.#openTerminal));
  }

  /** A rule that answers with defaults cannot answer a request without a suggestion. */
  #isAnsweredByRule(entry: InboxEntry): boolean {
    const { suggestion } = entry;
    const rule = this.#rules.find((one) => ruleApplies(one, entry));
    return rule !== undefined && (rule.answer.kind !== 'defaults' || suggestion !== null);
  }

  async #decline(entry: InboxEntry): Promise<void> {
    if ((await this.#answer(entry, { kind: 'decline' })) !== 'said') return;
    const hasRule = this.#rules.some(({ method }) => method === entry.method);
    const why = hasRule ? 'nothing follows from it by itself' : 'nobody is there to answer';
    say(`the server asks ${questionLine(entry)}`);
    say(`${why}, so that was declined; to answer: ${answerOption(entry)}`);
  }

  async #ask(entry: InboxEntry, openTerminal: () => LineQuestions): Promise<void> {
    this.#terminal ??= openTerminal();
    const controller = new AbortController();
    this.#asking.set(entry.id, controller);
    const isSettled = await this.#askUntilAnswered(entry, this.#terminal, controller.signal);
    this.#asking.delete(entry.id);
    if (!isSettled && !controller.signal.aborted) await this.#decline(entry);
  }

  /** Returns false if the terminal was closed or the request is over. */
  async #askUntilAnswered(entry: InboxEntry, terminal: LineQuestions, signal: AbortSignal): Promise<boolean> {
    let question = questionPrompt(entry);
    for (;;) {
      const line = await terminal.ask(question, signal);
      if (line === null) return false;
      const outcome = await this.#answer(entry, answerOf(line, entry));
      if (outcome === 'said' || outcome === 'over') return true;
      question = `${visibleLines(faultText(outcome))}\n> `;
    }
  }

  /** `over` if the question was answered or cancelled in the meantime. A fault says why this is not a valid response. */
  async #answer({ id }: InboxEntry, answer: InboxAnswer): Promise<'said' | 'over' | Fault> {
    try {
      await this.#session.request('inbox/answer', { entryId: id, answer });
      return 'said';
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      return error.fault.code === 'nothing-to-answer' ? 'over' : error.fault;
    }
  }
}

function answerOf(line: string, { suggestion }: InboxEntry): InboxAnswer {
  const said = line.trim();
  if (said === 'd') return { kind: 'decline' };
  if (said === 'c') return { kind: 'cancel' };
  return said === '' && suggestion !== null ? { kind: 'defaults' } : { kind: 'result', json: said };
}

/** A request made by an error asks the user to open a page; it has no response. */
function reportPageRequest(entry: InboxEntry): void {
  say(`before the call is repeated, the server wants this page opened: ${questionSummary(entry)}`);
}

/** A server request in one line. All of it is untrusted. */
function questionSummary({ method, params }: InboxEntry): string {
  const question: unknown = JSON.parse(params);
  if (!isObject(question)) return '';
  switch (method) {
    case 'elicitation/create':
      return short([question.message, question.url]);
    case 'sampling/createMessage':
      return short([lastTextOf(question.messages)]);
    default:
      return '';
  }
}

/** The method and summary of a server request. */
function questionLine(entry: InboxEntry): string {
  const summary = questionSummary(entry);
  return summary === '' ? entry.method : `${entry.method}: ${summary}`;
}

/** The whole server request, and how to respond at the terminal. */
function questionPrompt(entry: InboxEntry): string {
  const { params, suggestion } = entry;
  const whole = visibleJson(JSON.stringify(JSON.parse(params), null, 2)).replaceAll('\n', '\n  ');
  return [
    `The server asks ${questionLine(entry)}`,
    `  ${whole}`,
    `Answer with the result as JSON, such as ${exampleOf(entry)}`,
    `or with d to decline, c to cancel${suggestion === null ? '' : `, nothing for ${visibleText(suggestion)}`}.`,
    '> ',
  ].join('\n');
}

/** The option that would respond to this request. */
const answerOption = (entry: InboxEntry): string =>
  `--answer '${questionNameOf(entry.method)}=${entry.suggestion === null ? exampleOf(entry) : 'defaults'}'`;

/** An example result for this request. */
function exampleOf({ method, params }: InboxEntry): string {
  switch (method) {
    case 'elicitation/create':
      return isForm(params) ? '{"action":"accept","content":{…}}' : '{"action":"accept"}';
    case 'sampling/createMessage':
      return '{"role":"assistant","content":{"type":"text","text":"…"},"model":"none"}';
    case 'roots/list':
      return '{"roots":[]}';
    default:
      return '{}';
  }
}

function isForm(params: string): boolean {
  const question: unknown = JSON.parse(params);
  return !isObject(question) || question.mode !== 'url';
}

function lastTextOf(messages: unknown): unknown {
  if (!Array.isArray(messages)) return undefined;
  const last: unknown = messages.at(-1);
  const content = isObject(last) ? last.content : undefined;
  const block: unknown = Array.isArray(content) ? content.at(-1) : content;
  return isObject(block) ? block.text : undefined;
}

const MAX_LENGTH = 200;

function short(parts: readonly unknown[]): string {
  const text = visibleText(parts.filter((part) => typeof part === 'string').join(' '));
  return truncate(text, MAX_LENGTH);
}
