import { setTimeout as delay } from 'node:timers/promises';
import { type AuthorizationStep, MAX_BODY } from '#shared/contract/authorization.ts';
import { FaultError, faultOf } from '#shared/contract/fault.ts';
import { findWrongValue } from '#shared/authorization/wrong-values.ts';
import { isPrivateHost } from '#shared/private-address.ts';
import { checkNoResponse } from './checks/findings.ts';
import type { RawRequest, FlowResponse } from './exchange.ts';
import type { FlowSteps, StepNode } from './flow-steps.ts';
import type { Conclusion, FlowContext, FlowEnvironment, PlannedStep, SentRequest } from './flow-types.ts';
import { answersOf } from './step-answers.ts';
import { materialize } from './step-request.ts';

type ExchangeAct = Extract<PlannedStep['act'], { kind: 'exchange' }>;

export interface StepExchangesOptions {
  readonly environment: FlowEnvironment;
  readonly steps: FlowSteps;
}

interface SendOptions {
  readonly signal: AbortSignal;
  /** Whether the user sends the step, and has seen its URL. */
  readonly isConfirmed: boolean;
}

/** Sends the requests of steps, and keeps what was received with the step. */
export class StepExchanges {
  readonly #options: StepExchangesOptions;
  /** Ends the wait of a request that is sent late on purpose; null while none is. */
  #endWait: (() => void) | null = null;

  constructor(options: StepExchangesOptions) {
    this.#options = options;
  }

  /** Sends the request of a step in its turn, late or twice if its wrong value says so. */
  async send(node: StepNode, act: ExchangeAct, { signal, ...sent }: SendOptions): Promise<Conclusion> {
    const raw = requestOf(node);
    const isConfirmed = sent.isConfirmed || this.isAtChosenProvider(node, raw.url);
    const { environment } = this.#options;
    const wrong = findWrongValue(node.shown.wrongValue ?? '')?.change;
    if (wrong?.kind === 'late') await this.#waitToBeLate(node, wrong.milliseconds, signal);
    if (wrong?.kind === 'twice') await environment.send(raw, isConfirmed);
    const exchange = () => this.#exchange(node, act, { raw, signal, isConfirmed });
    return act.inTurn === undefined ? exchange() : act.inTurn(exchange, isConfirmed);
  }

  /** Ends the wait of a request that is sent late on purpose. @throws FaultError unless one waits */
  endWait(): void {
    if (this.#endWait === null) throw new FaultError(notLate);
    this.#endWait();
  }

  async #waitToBeLate(node: StepNode, milliseconds: number, signal: AbortSignal): Promise<void> {
    const { environment, steps } = this.#options;
    const waiting = new AbortController();
    const stop = () => waiting.abort();
    signal.addEventListener('abort', stop, { once: true });
    const ended = new Promise<void>((resolve) => {
      this.#endWait = resolve;
    });
    steps.change(node, { lateUntil: Date.now() + milliseconds });
    try {
      await Promise.race([(environment.waitToBeLate ?? wait)(milliseconds, waiting.signal), ended]);
    } finally {
      this.#endWait = null;
      signal.removeEventListener('abort', stop);
      steps.change(node, { lateUntil: null });
      stop();
    }
  }

  /** Sends the requests one after the other, in a branch of their own: no step of the flow follows from them. */
  async scan(plans: readonly PlannedStep[], contextNow: () => FlowContext): Promise<void> {
    const { steps } = this.#options;
    const append = steps.sideBranch();
    for (const plan of plans) {
      const node = append(plan, contextNow());
      const { act } = plan;
      if (act.kind !== 'exchange') continue;
      const startedAt = performance.now();
      steps.change(node, { state: 'running', startedAt: Date.now() });
      const sent = { raw: requestOf(node), signal: null, isConfirmed: false };
      const ended = await this.#exchange(node, act, sent).catch((error: unknown) => ({
        outcome: faultOf('scanned for metadata', error).what,
        findings: [],
      }));
      steps.change(node, {
        state: 'done',
        duration: Math.round((performance.now() - startedAt) * 1000),
        outcome: ended.outcome,
        findings: [...(ended.findings ?? [])],
      });
    }
  }

  /** One request and what is concluded from its response. */
  async #exchange(node: StepNode, act: ExchangeAct, sent: Sending): Promise<Conclusion> {
    const { environment, steps } = this.#options;
    let response: FlowResponse;
    // Credentials are bound to an issuer that gets them, not to one at an address that the request is kept from.
    const isSent = sent.isConfirmed || (await environment.faultOfPrivate(sent.raw.url)) === null;
    if (isSent) await node.plan.beforeSend?.();
    try {
      response = await environment.send(sent.raw, sent.isConfirmed);
    } catch (error) {
      // A flow must not go on by itself where a public server leads to a private address.
      if (!(error instanceof FaultError)) throw error;
      const { fault } = error;
      if (fault.code === 'private-address') {
        if (act.withheld === undefined) throw error;
        return act.withheld(fault);
      }
      const { findings } = checkNoResponse(fault, { row: null });
      const failed = (await act.failed?.(fault)) ?? { context: node.before, outcome: fault.what, fault };
      return { ...failed, findings: [...findings, ...(failed.findings ?? [])] };
    }
    // A step that was taken back stores nothing.
    if (sent.signal?.aborted === true) return { context: node.before, outcome: '' };
    const conclusion = withTextsHidden(await act.conclude(response, sentOf(node)), response.shown.hide);
    steps.change(node, { response: shownOf(response), row: response.row });
    return conclusion;
  }

  /** Whether a URL is at the origin of an identity provider on this machine or its network, which the user chose. */
  isAtChosenProvider({ plan: { parties }, before: { testIssuer } }: StepNode, { origin }: URL): boolean {
    const issuer = testIssuer ?? this.#options.environment.settings.identityProvider?.issuer ?? '';
    if (!parties.includes('identity-provider') || !URL.canParse(issuer)) return false;
    const chosen = new URL(issuer);
    return isPrivateHost(chosen) && chosen.origin === origin;
  }
}

/** What was concluded may quote the response, which nothing else has redacted then. */
function withTextsHidden(conclusion: Conclusion, hide: (text: string) => string): Conclusion {
  const { outcome, findings, fault } = conclusion;
  const hidden = (text: string | null): string | null => (text === null ? null : hide(text));
  return {
    ...conclusion,
    outcome: hide(outcome),
    ...(findings !== undefined && {
      findings: findings.map((one) => ({
        ...one,
        text: hide(one.text),
        expected: hidden(one.expected),
        received: hidden(one.received),
      })),
    }),
    ...(fault != null && {
      fault: {
        ...fault,
        what: hide(fault.what),
        ...(fault.why !== undefined && { why: hide(fault.why) }),
        ...(fault.quote !== undefined && { quote: hide(fault.quote) }),
      },
    }),
  };
}

const shownOf = ({ status, shown: { headers, text } }: FlowResponse): AuthorizationStep['response'] => ({
  status,
  headers: headers.map(([name, value]) => [name, value]),
  body: text.slice(0, MAX_BODY),
});

const notLate = { code: 'flow-not-late', what: 'The flow holds nothing back that could be sent now.' };

const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal });

interface Sending {
  readonly raw: RawRequest;
  /** Aborts when the step is taken back; null if it cannot be. */
  readonly signal: AbortSignal | null;
  /** As `SendRequest` takes it. */
  readonly isConfirmed: boolean;
}

/** The request of a step as it goes out, with the changes of the user. */
export function requestOf({ shown: { name, request }, plan }: StepNode): RawRequest {
  if (request === null) throw new Error(`the step ${name} has no request`);
  return { ...materialize(request, plan.request?.secrets ?? new Map()), answers: answersOf(plan) };
}

function sentOf({ shown: { name, request, wrongValue, original } }: StepNode): SentRequest {
  if (request === null) throw new Error(`the step ${name} has no request`);
  return { shown: request, wrongValue, isAsPlanned: original === null && wrongValue === null };
}
