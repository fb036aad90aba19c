import type { AuthorizationFlow, AuthorizationStep, StepRequest } from '#shared/contract/authorization.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { print, visibleText } from '#hosts/cli/output.ts';
import { trapLines } from './provider.ts';

/** Prints the steps of flows as they end. */
export class FlowPrinter {
  readonly #session: HeadlessSession;
  readonly #holdsFailed: boolean;
  readonly #printed = new Map<string, string>();
  #stop: (() => void) | null = null;
  #printing: Promise<void> = Promise.resolve();

  /** @param holdsFailed whether a step that failed is printed in the end only: the question after it shows it */
  constructor(session: HeadlessSession, holdsFailed: boolean) {
    this.#session = session;
    this.#holdsFailed = holdsFailed;
  }

  /** Begins with the flows that changed before anyone listened. */
  async start(): Promise<void> {
    this.#stop = this.#session.on('authorization/changed', (flow) => this.#show(flow, this.#holdsFailed));
    await this.#showAll(this.#holdsFailed);
  }

  /** The steps of a flow that are not printed so far; they count as printed. */
  newLines(flow: AuthorizationFlow, holdsFailed = this.#holdsFailed): string[] {
    const lines: string[] = [];
    for (const step of flow.steps) {
      const key = `${flow.id} ${step.id}`;
      const text = stepLines(step);
      if (text === null || this.#printed.get(key) === text) continue;
      if (holdsFailed && step.state === 'failed' && !step.isOverridden) continue;
      this.#printed.set(key, text);
      lines.push(text);
    }
    return [...lines, ...this.#newHints(flow)];
  }

  /** What is known of the identity provider, for the steps that are printed. */
  #newHints(flow: AuthorizationFlow): string[] {
    return trapLines(flow).flatMap(({ key, text, stepId }) => {
      const printed = `${flow.id} ${key}`;
      if (this.#printed.has(printed) || !this.#printed.has(`${flow.id} ${stepId}`)) return [];
      this.#printed.set(printed, text);
      return [visibleText(text)];
    });
  }

  /** Waits until everything so far is written. */
  written(): Promise<void> {
    return this.#printing;
  }

  /** Prints what is left. */
  async close(): Promise<void> {
    if (this.#stop === null) return;
    await this.#showAll(false);
    this.#stop();
    await this.#printing;
  }

  async #showAll(holdsFailed: boolean): Promise<void> {
    for (const flow of await this.#session.request('authorization/flows', {})) this.#show(flow, holdsFailed);
  }

  #show(flow: AuthorizationFlow, holdsFailed: boolean): void {
    const lines = this.newLines(flow, holdsFailed);
    if (lines.length > 0) this.#printing = this.#printing.then(() => print(lines.join('\n')));
  }
}

/** `done   3  server-metadata   200   …`, with what is wrong below; null before it has ended, unless it waits in vain. */
function stepLines(step: AuthorizationStep): string | null {
  const { state, findings, outcome } = step;
  const isStray = state === 'waiting' && findings.length > 0;
  if (!isStray && state !== 'done' && state !== 'failed' && state !== 'skipped' && state !== 'taken-back')
    return null;
  return `${state.padEnd(10)} ${resultLines(step, isStray ? strayResponse : outcome)}`;
}

/** What came of a step, with what is wrong below. @param said by default its outcome */
export function resultLines(
  { id, name, label, response, outcome, findings }: AuthorizationStep,
  said = outcome,
): string {
  const status = response === null ? '' : String(response.status);
  const what = visibleText(label === '' ? said : `${said} (${label})`);
  return [
    `${String(id).padStart(2)}  ${name.padEnd(21)} ${status.padEnd(3)}  ${what}`.trimEnd(),
    ...findings.map(
      ({ severity, text, source }) =>
        `${' '.repeat(14)}${severity}: ${visibleText(text)} (${visibleText(source)})`,
    ),
  ].join('\n');
}

const strayResponse =
  'A response came that does not belong to this request; it was not used. The flow goes on waiting; Ctrl-C ends it.';

/** A request as it would be sent, a line for each parameter. */
export function requestLines({ method, url, query, headers, body }: StepRequest): string {
  const line = ({ name, value, fingerprint }: StepRequest['query'][number]) =>
    `    ${visibleText(name)} = ${value === null ? `(secret ${fingerprint ?? ''})` : visibleText(value)}`;
  return [
    `  ${method} ${visibleText(url)}`,
    ...[...query, ...headers, ...body].filter(({ isOn }) => isOn).map(line),
  ].join('\n');
}
