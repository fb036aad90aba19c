import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { failedStep, membersOf, textsAt } from './evidence.ts';
import type { ProviderTrap, TrapSign } from './provider.ts';
import { addressOf, isPath, providersOf, type RecognizedProvider } from './recognize.ts';

/** A trap of a provider that a flow shows. */
export interface ShownTrap {
  readonly recognized: RecognizedProvider;
  readonly trap: ProviderTrap;
  /** The step that shows it. */
  readonly stepId: number;
  /** Whether a response shows it; otherwise a page in the browser may, which only the user sees. */
  readonly isCertain: boolean;
}

/** The known traps that a flow shows, in the order of its steps; each trap at its last step. */
export function trapsIn(flow: AuthorizationFlow): readonly ShownTrap[] {
  const recognized = providersOf(flow);
  if (recognized.length === 0) return [];
  const shown = new Map<ProviderTrap, ShownTrap>();
  for (const step of flow.steps) {
    if (step.state === 'planned' || step.state === 'taken-back') continue;
    for (const one of recognized)
      for (const trap of one.provider.traps) {
        const how = shownAt(flow, step, trap);
        if (how === null || (how === 'page' && shown.get(trap)?.isCertain === true)) continue;
        shown.delete(trap);
        shown.set(trap, { recognized: one, trap, stepId: step.id, isCertain: how === 'response' });
      }
  }
  return [...shown.values()];
}

function shownAt(
  flow: AuthorizationFlow,
  step: AuthorizationStep,
  { shownBy }: ProviderTrap,
): 'response' | 'page' | null {
  if (shownBy.some((sign) => sign.page === undefined && holds(flow, step, sign))) return 'response';
  const mayShowPage = isAtPage(flow, step);
  return mayShowPage && shownBy.some((sign) => sign.page !== undefined && sentAsSaid(flow, sign))
    ? 'page'
    : null;
}

/** Faults of a browser that was not sent back. */
const pageFaults: readonly string[] = ['authorization-error-page', 'authorization-timeout'];

/** Whether the browser of the user may show a page of the authorization server at this step. */
function isAtPage(flow: AuthorizationFlow, step: AuthorizationStep): boolean {
  if (step.name !== 'callback') return false;
  if (step.state === 'waiting') return flow.currentStep === step.id;
  return failedStep(flow)?.id === step.id && pageFaults.includes(flow.fault?.code ?? '');
}

/** Whether everything that a sign gives is so at a step. */
function holds(flow: AuthorizationFlow, step: AuthorizationStep, sign: TrapSign): boolean {
  const { steps, rules, faults, status, says, lacks } = sign;
  const { findings, response } = step;
  const fault = failedStep(flow)?.id === step.id ? flow.fault : null;
  return (
    (steps === undefined || steps.includes(step.name)) &&
    (rules === undefined || findings.some(({ rule }) => rules.some((one) => one === rule))) &&
    (faults === undefined || (fault !== null && faults.includes(fault.code))) &&
    (status === undefined || (response !== null && status.includes(response.status))) &&
    (says === undefined || has(textsAt(flow, step), says)) &&
    (lacks === undefined || lacksMember(step, lacks)) &&
    sentAsSaid(flow, sign)
  );
}

const has = (text: string, phrases: readonly string[]): boolean =>
  phrases.some((phrase) => text.includes(phrase));

/** Whether a token response has no such member, and is one. */
function lacksMember(step: AuthorizationStep, name: string): boolean {
  const members = membersOf(step);
  return members !== null && members['access_token'] !== undefined && members[name] === undefined;
}

/** Whether the requests of a flow are as a sign says. */
function sentAsSaid({ steps }: AuthorizationFlow, { sent, notSent, tokenPath }: TrapSign): boolean {
  const last = (names: readonly AuthorizationStep['name'][]) =>
    steps.findLast(({ name, state, request }) => names.includes(name) && state === 'done' && request !== null)
      ?.request;
  const isSent = (wanted: string) =>
    last(['authorization-request'])?.query.some(({ name, isOn }) => isOn && name === wanted) === true;
  const token = addressOf(last(['token'])?.url ?? '');
  return (
    (sent === undefined || isSent(sent)) &&
    (notSent === undefined || !isSent(notSent)) &&
    (tokenPath === undefined || (token !== null && isPath(tokenPath, token.path)))
  );
}
