import { create } from 'zustand';
import { call } from '#bridge';
import { findWrongValue } from '#shared/authorization/wrong-values.ts';
import type {
  AuthorizationFlow,
  AuthorizationParameter,
  AuthorizationStep,
  StepRequest,
} from '#shared/contract/authorization.ts';

/** Changes of the user to the request of a stopped step. */
interface RequestDraft {
  readonly request: StepRequest;
  /** The name of the wrong value that was chosen from the menu; null for none. */
  readonly wrongValue: string | null;
}

const useDrafts = create<Readonly<Record<string, RequestDraft>>>()(() => ({}));

const keyOf = (flow: AuthorizationFlow, step: AuthorizationStep): string => `${flow.id} ${step.id}`;

/** The request of a step with the changes of the user, if it can still be changed; null if the step has none. */
export function useRequestDraft(flow: AuthorizationFlow, step: AuthorizationStep): RequestDraft | null {
  const draft = useDrafts((drafts) => drafts[keyOf(flow, step)]);
  if (step.request === null) return null;
  return isEditable(flow, step) && draft !== undefined
    ? draft
    : { request: step.request, wrongValue: step.wrongValue };
}

/** The request as the engine will send it: with the changes of the user, and with a wrong value that changes it. */
export function asSent(
  flow: AuthorizationFlow,
  step: AuthorizationStep,
  { request, wrongValue }: RequestDraft,
): StepRequest {
  const change = findWrongValue(wrongValue ?? '')?.change;
  // A step that was sent has it in its request.
  return isEditable(flow, step) && change?.kind === 'request' ? change.apply(request) : request;
}

/** Whether the request of a step waits to be sent. */
export const isEditable = (flow: AuthorizationFlow, step: AuthorizationStep): boolean =>
  flow.state === 'stopped' && step.state === 'stopped' && step.id === flow.currentStep;

export const changeRequest = (flow: AuthorizationFlow, step: AuthorizationStep, draft: RequestDraft): void =>
  useDrafts.setState({ [keyOf(flow, step)]: draft });

/** Drops the changes of the user. */
export const resetRequest = (flow: AuthorizationFlow, step: AuthorizationStep): void =>
  useDrafts.setState(({ [keyOf(flow, step)]: _, ...others }) => others, true);

/** Whether the user has changed the request. */
export const useIsChanged = (flow: AuthorizationFlow, step: AuthorizationStep): boolean =>
  useDrafts((drafts) => keyOf(flow, step) in drafts) && isEditable(flow, step);

/** Sends the stopped step, with the changes of the user. Rejects if the engine refuses. */
export async function sendStep(flow: AuthorizationFlow): Promise<void> {
  const { step, draft } = currentDraft(flow);
  await call('authorization/send', {
    flowId: flow.id,
    // The engine applies the wrong value.
    request: draft === undefined || draft.request === step?.request ? null : draft.request,
    wrongValue: draft?.wrongValue ?? null,
  });
  if (step) resetRequest(flow, step);
}

/** Runs to the end; the stopped step is sent with the changes of the user. Rejects if the engine refuses. */
export async function runToEnd(flow: AuthorizationFlow): Promise<void> {
  if (currentDraft(flow).draft !== undefined) await sendStep(flow);
  await call('authorization/run', { flowId: flow.id });
}

function currentDraft(flow: AuthorizationFlow): {
  readonly step: AuthorizationStep | undefined;
  readonly draft: RequestDraft | undefined;
} {
  const step = flow.steps.find(({ id }) => id === flow.currentStep);
  return { step, draft: step && useDrafts.getState()[keyOf(flow, step)] };
}

/** The whole URL; a secret that is unknown here is written as `‹name›`. */
export function wholeUrl({ url, query }: StepRequest): string {
  const pairs = query
    .filter(({ isOn }) => isOn)
    .map(({ name, value }) => `${encoded(name)}=${shown(name, value)}`);
  if (pairs.length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

const encoded = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');

const shown = (name: string, value: string | null): string => (value === null ? `‹${name}›` : encoded(value));

/** The whole URL with its secrets, for the clipboard. */
export const revealedUrl = async (
  flow: AuthorizationFlow,
  step: AuthorizationStep,
  request: StepRequest,
): Promise<string> => wholeUrl(await revealedRequest(flow, step, { ...request, headers: [], body: [] }));

/** The request with its secrets, which are read one by one, for the clipboard. Those that are not known stay null. */
export async function revealedRequest(
  { id: flowId }: AuthorizationFlow,
  { id: stepId }: AuthorizationStep,
  request: StepRequest,
): Promise<StepRequest> {
  const revealed = async (parameters: readonly AuthorizationParameter[]) => {
    const all: AuthorizationParameter[] = [];
    for (const parameter of parameters) {
      const { name, value, isOn } = parameter;
      const known =
        isOn && value === null ? (await call('authorization/reveal', { flowId, stepId, name })).value : value;
      all.push({ ...parameter, value: known });
    }
    return all;
  };
  return {
    ...request,
    query: await revealed(request.query),
    headers: await revealed(request.headers),
    body: await revealed(request.body),
  };
}
