import { issuerChangeText, itOrThem } from '#shared/authorization/own-credentials.ts';
import type { AuthorizationFlow, FlowQuestion } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { HeadlessSession } from './headless-session.ts';
import { faultText, say, visibleText } from './output.ts';
import type { LineQuestions } from './terminal-questions.ts';

/** Asks the questions of authorization flows on the terminal. */
export class FlowQuestions {
  readonly #session: HeadlessSession;
  readonly #openTerminal: () => LineQuestions;
  readonly #asked = new Set<string>();
  /** What is being asked, by the flow. */
  readonly #asking = new Map<string, AbortController>();
  readonly #stop: () => void;

  constructor(session: HeadlessSession, openTerminal: () => LineQuestions) {
    this.#session = session;
    this.#openTerminal = openTerminal;
    this.#stop = session.on('authorization/changed', (flow) => this.#take(flow));
  }

  /** Asks what was asked before this listened. */
  async takeEarlier(): Promise<void> {
    for (const flow of await this.#session.request('authorization/flows', {})) this.#take(flow);
  }

  close(): void {
    this.#stop();
    for (const controller of this.#asking.values()) controller.abort();
  }

  #take(flow: AuthorizationFlow): void {
    const key = `${flow.id} ${flow.currentStep}`;
    const { question } = flow;
    if (flow.state !== 'waiting' || question === null) this.#asking.get(flow.id)?.abort();
    else if (!this.#asked.has(key)) {
      this.#asked.add(key);
      const controller = new AbortController();
      this.#asking.set(flow.id, controller);
      const how = { question, terminal: this.#openTerminal(), signal: controller.signal };
      void askAboutFlow(this.#session, flow, how);
    }
  }
}

/** Asks the question of a flow, and answers it unless it was withdrawn; where the input ended, the answer is no. */
export async function askAboutFlow(
  session: HeadlessSession,
  { id: flowId }: AuthorizationFlow,
  {
    question,
    terminal,
    signal,
  }: { readonly question: FlowQuestion; readonly terminal: LineQuestions; readonly signal?: AbortSignal },
): Promise<void> {
  const line = await terminal.ask(`${questionText(question)} [y/N] `, signal);
  if (signal?.aborted === true) return;
  const isYes = line !== null && /^\s*y(es)?\s*$/i.test(line);
  try {
    await session.request('authorization/answer', { flowId, isYes });
  } catch (error) {
    // The flow was cancelled while the user read the question.
    if (!(error instanceof FaultError)) throw error;
    say(faultText(error.fault));
  }
}

function questionText(question: FlowQuestion): string {
  switch (question.kind) {
    case 'other-issuer':
      return `${visibleText(issuerChangeText(question))}\nSend ${itOrThem(question.credentials)} to ${visibleText(question.issuer)}?`;
    case 'resource-query':
      return `The URL of the server has a query (${question.parameters.map(visibleText).join(', ')}), and the server has no resource metadata.\nSend the query to the authorization server ${visibleText(question.issuer)}, as a part of resource?`;
    case 'private-address':
      return `${faultText(question.fault)}\nGo to ${visibleText(question.url)}?`;
  }
}
