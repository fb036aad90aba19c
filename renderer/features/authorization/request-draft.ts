import { create } from 'zustand';
import { call } from '#bridge';
import { findWrongValue } from '#shared/authorization/wrong-values.ts';
import type {
  AssertionChoice,
  AuthorizationFlow,
  AuthorizationParameter,
  AuthorizationStep,
  StepDraft,
  StepRequest,
} from '#shared/contract/authorization.ts';

/** Changes of the user to the request of a stopped step. */
interface RequestDraft {
  readonly request: StepRequest;
  /** The name of the wrong value that was chosen from the menu; null for none. */
  readonly wrongValue: string | null;
  /** `aud` and `kid` of its client assertion; null without one. */
  readonly assertion: AssertionChoice | null;
}

const useDrafts = create<Readonly<Record<string, RequestDraft>>>()(() => ({}));

const keyOf = (flow: AuthorizationFlow, step: AuthorizationStep): string => `${flow.id} ${step.id}`;

/** The request of a step with the changes of the user, if it can still be changed; null if the step has none. */
export function useRequestDraft(flow: AuthorizationFlow, step: AuthorizationStep): RequestDraft | null {
  const draft = useDrafts((drafts) => drafts[keyOf(flow, step)]);
  if (step.request === null) return null;
  return isEditable(flow, step) && draft !== undefined ? draft : draftOf(step, step.request);
}

const draftOf = ({ wrongValue, assertion }: AuthorizationStep, request: StepRequest): RequestDraft => ({
  request,
  wrongValue,
  assertion,
});

/** The request as the engine planned it, before any change of the user. */
export const plannedRequest = (step: AuthorizationStep): RequestDraft | null =>
  step.original !== null
    ? { ...step.original, wrongValue: null }
    : step.request && { ...draftOf(step, step.request), wrongValue: null };

/** The request as the engine will send it: with the changes of the user, and with a wrong value that changes it. */
export function asSent(
  flow: AuthorizationFlow,
  step: AuthorizationStep,
  { request, wrongValue }: Pick<RequestDraft, 'request' | 'wrongValue'>,
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

/** Makes the request as it was planned, without the changes of the user, those from before a step back included. */
export function resetRequest(flow: AuthorizationFlow, step: AuthorizationStep): void {
  const planned = plannedRequest(step);
  if (step.original !== null && planned !== null) changeRequest(flow, step, planned);
  else dropDraft(flow, step);
}

const dropDraft = (flow: AuthorizationFlow, step: AuthorizationStep): void =>
  useDrafts.setState(({ [keyOf(flow, step)]: _, ...others }) => others, true);

/** Whether the user has changed the request, now or before a step back. */
export function useIsChanged(flow: AuthorizationFlow, step: AuthorizationStep): boolean {
  const now = useRequestDraft(flow, step);
  return now !== null && JSON.stringify(now) !== JSON.stringify(plannedRequest(step));
}

/** Sends the stopped step, with the changes of the user. Rejects if the engine refuses. */
export async function sendStep(flow: AuthorizationFlow): Promise<void> {
  const { step, draft } = currentDraft(flow);
  const unchanged = { request: null, wrongValue: step?.wrongValue ?? null };
  await call('authorization/send', { flowId: flow.id, ...(draft ?? unchanged) });
  if (step) dropDraft(flow, step);
}

/** Runs to the end; the stopped step is sent with the changes of the user. Rejects if the engine refuses. */
export async function runToEnd(flow: AuthorizationFlow): Promise<void> {
  if (currentDraft(flow).draft !== undefined) await sendStep(flow);
  await call('authorization/run', { flowId: flow.id });
}

/** Leaves the stopped step by a command that does not send it. The engine keeps the changes for the next time. */
export async function leaveStep(
  flow: AuthorizationFlow,
  command: 'authorization/back' | 'authorization/skip' | 'authorization/fork',
  params: { readonly stepId?: number } = {},
): Promise<void> {
  const { step, draft } = currentDraft(flow);
  const leaving = { flowId: flow.id, ...(draft !== undefined && { draft }) };
  if (command === 'authorization/fork') await call(command, { ...leaving, stepId: params.stepId ?? 0 });
  else await call(command, leaving);
  if (step) dropDraft(flow, step);
}

function currentDraft(flow: AuthorizationFlow): {
  readonly step: AuthorizationStep | undefined;
  readonly draft: StepDraft | undefined;
} {
  const step = flow.steps.find(({ id }) => id === flow.currentStep);
  const draft = step && useDrafts.getState()[keyOf(flow, step)];
  if (draft === undefined) return { step, draft };
  const { request, wrongValue, assertion } = draft;
  return {
    step,
    draft: {
      // The engine applies the wrong value.
      request: request === step?.request ? null : request,
      wrongValue,
      ...(assertion !== null && { assertion }),
    },
  };
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
