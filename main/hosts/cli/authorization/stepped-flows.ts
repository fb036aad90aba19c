import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { askAboutFlow } from '#hosts/cli/flow-questions.ts';
import { type HeadlessSession, Interrupted } from '#hosts/cli/headless-session.ts';
import { faultText, print, say, visibleLines, visibleText } from '#hosts/cli/output.ts';
import type { LineQuestions } from '#hosts/cli/terminal-questions.ts';
import { advised } from './advice.ts';
import { type FlowPrinter, requestLines, resultLines } from './flow-printer.ts';
import { PASTE_INTRO, takePastedCallbacks } from './pasted-callback.ts';

/** What can be done about a flow; each is a command of the contract. */
type FlowCommand = 'back' | 'skip' | 'run' | 'cancel' | 'override';

interface Choice {
  readonly letter: string;
  readonly label: string;
  readonly command: FlowCommand;
  /** Whether the request before which the flow then stops is sent at once. */
  readonly resends?: boolean;
}

/** What can be done after a step failed, besides leaving the flow. */
function choicesAfterFault({ canOverride, steps }: AuthorizationFlow): readonly Choice[] {
  const isSent = steps.some(({ request, state }) => request !== null && state !== 'taken-back');
  const isRefresh = steps.some(({ name }) => name === 'refresh');
  return [
    ...(canOverride ? [{ letter: 'c', label: '(c)ontinue anyway', command: 'override' } as const] : []),
    ...(isRefresh ? [{ letter: 'a', label: '(a)uthorize again', command: 'cancel' } as const] : []),
    ...(isSent
      ? ([
          { letter: 'b', label: '(b)ack', command: 'back' },
          { letter: 'r', label: '(r)etry', command: 'back', resends: true },
        ] as const)
      : []),
  ];
}

const whenStopped: ReadonlyMap<string, FlowCommand> = new Map([
  ['b', 'back'],
  ['k', 'skip'],
  ['r', 'run'],
  ['q', 'cancel'],
]);

/** Asks on the terminal before each request of the flows of a session, and after each step that fails. */
export class SteppedFlows {
  readonly #session: HeadlessSession;
  readonly #terminal: LineQuestions;
  readonly #printer: FlowPrinter;
  readonly #followed = new Map<string, Promise<void>>();
  readonly #stop: () => void;
  /** Withdraws what is being asked. */
  readonly #closed = new AbortController();
  readonly #over: AbortSignal;
  #hasQuit = false;

  constructor(session: HeadlessSession, terminal: LineQuestions, printer: FlowPrinter) {
    this.#session = session;
    this.#terminal = terminal;
    this.#printer = printer;
    this.#over = AbortSignal.any([session.interruption, this.#closed.signal]);
    this.#stop = session.on('authorization/changed', (flow) => void this.untilOver(flow));
  }

  /** Follows the flows that began before anyone listened. */
  async start(): Promise<void> {
    for (const flow of await this.#session.request('authorization/flows', {})) void this.untilOver(flow);
  }

  /** Waits until a flow is done, or was left after it failed. */
  untilOver(flow: AuthorizationFlow): Promise<void> {
    const followed = this.#followed.get(flow.id) ?? this.#follow(flow.id);
    this.#followed.set(flow.id, followed);
    return followed;
  }

  close(): void {
    this.#stop();
    this.#closed.abort();
  }

  async #follow(id: string): Promise<void> {
    try {
      if (this.#hasQuit) await this.#request(id, 'cancel');
      let next: Next = { key: '' };
      while (next !== 'over') next = await this.#step(await this.#untilAsked(id, next.key), next);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
    }
  }

  /** The flow once it waits for the user at another point than this one, or is over. */
  #untilAsked(id: string, before: string): Promise<AuthorizationFlow> {
    return this.#session.until(async () => {
      const flow = (await this.#session.request('authorization/flows', {})).find((one) => one.id === id);
      return flow !== undefined && flow.state !== 'running' && keyOf(flow) !== before ? flow : null;
    });
  }

  async #step(flow: AuthorizationFlow, { resends = false }: { readonly resends?: boolean }): Promise<Next> {
    await this.#printer.written();
    switch (flow.state) {
      case 'stopped':
        if (resends) return (await this.#send(flow.id)) ? { key: '' } : this.#askBefore(flow);
        return this.#askBefore(flow);
      case 'failed':
        return this.#askAfterFault(flow);
      case 'waiting':
        return this.#wait(flow);
      default:
        return 'over';
    }
  }

  async #askBefore(flow: AuthorizationFlow): Promise<Next> {
    const step = flow.steps.find(({ id }) => id === flow.currentStep);
    if (step === undefined) return { key: keyOf(flow) };
    await this.#printAbove(flow);
    const shown = step.request === null ? '' : `${requestLines(step.request)}\n`;
    const chosen = await this.#ask(
      `\n${step.id}  ${step.name} ${visibleText(step.label)}\n${shown}[Enter] send, (b)ack, s(k)ip, (r)un to the end, (q)uit: `,
    );
    if (chosen === '') await this.#send(flow.id);
    const command = whenStopped.get(chosen);
    this.#hasQuit = command === 'cancel';
    if (command !== undefined) await this.#request(flow.id, command);
    return { key: '' };
  }

  async #askAfterFault(flow: AuthorizationFlow): Promise<Next> {
    // What runs to the end without a question ends without one, too.
    if (flow.mode === 'automatic') return 'over';
    const choices = choicesAfterFault(flow);
    await this.#printAbove(flow);
    const failed = flow.steps.findLast(({ state }) => state === 'failed');
    const result = failed === undefined ? '' : `${resultLines(failed)}\n`;
    const fault =
      flow.fault === null ? '' : `sightglass: ${faultText(await advised(this.#session, flow.fault))}\n`;
    const labels = [...choices.map(({ label }) => label), '[Enter] or (q)uit'];
    const where = failed === undefined ? 'failed' : `failed at step ${failed.id}`;
    const chosen = await this.#ask(
      `\n${visibleLines(`${result}${fault}`)}\n${where}: ${labels.join(', ')}: `,
    );
    const choice = choices.find(({ letter }) => letter === chosen);
    if (choice === undefined && chosen !== '' && chosen !== 'q') return { key: '' };
    this.#hasQuit = choice === undefined;
    const { command = 'cancel', resends = false } = choice ?? {};
    const isDone = await this.#request(flow.id, command);
    return command === 'cancel' ? 'over' : { key: '', resends: resends && isDone };
  }

  /** What was typed, without spaces and in lower case; `q` where the input has ended. @throws Interrupted if nothing is asked any more */
  async #ask(question: string): Promise<string> {
    const line = await this.#terminal.ask(question, this.#over);
    if (this.#over.aborted) throw new Interrupted();
    return line === null ? 'q' : line.trim().toLowerCase();
  }

  /** Prints the steps that a question stands below. One that failed is a part of its question. */
  async #printAbove(flow: AuthorizationFlow): Promise<void> {
    const lines = this.#printer.newLines(flow);
    if (lines.length > 0) await print(lines.join('\n'));
  }

  async #wait(flow: AuthorizationFlow): Promise<Next> {
    const key = keyOf(flow);
    const { question, browserUrl } = flow;
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#over]);
    const left = this.#untilAsked(flow.id, key).then(
      () => over.abort(),
      () => over.abort(),
    );
    if (question !== null)
      await askAboutFlow(this.#session, flow, { question, terminal: this.#terminal, signal });
    else if (browserUrl !== null) {
      await this.#printAbove(flow);
      say(`open this URL in a browser to authorize:\n${browserUrl}`);
      const how = { terminal: this.#terminal, intro: PASTE_INTRO, signal };
      const end = await takePastedCallbacks(this.#session, flow, how);
      if (end === 'ended') await this.#request(flow.id, 'cancel');
    }
    if (this.#over.aborted) throw new Interrupted();
    await left;
    return { key };
  }

  #send(flowId: string): Promise<boolean> {
    return this.#attempt(() =>
      this.#session.request('authorization/send', { flowId, request: null, wrongValue: null }),
    );
  }

  #request(flowId: string, command: FlowCommand): Promise<boolean> {
    return this.#attempt(() => this.#session.request(`authorization/${command}`, { flowId }));
  }

  /** Says why something could not be done; returns whether it was. */
  async #attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      say(faultText(error.fault));
      return false;
    }
  }
}

/** What comes after a point at which the flow waited. */
type Next = 'over' | { readonly key: string; readonly resends?: boolean };

/** The point at which a flow waits for the user. */
const keyOf = ({ state, currentStep, steps, question }: AuthorizationFlow): string =>
  JSON.stringify([state, currentStep, steps.length, question?.kind]);
