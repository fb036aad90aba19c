import { findWrongValue, type WrongValue, wrongValuesFor } from '#shared/authorization/wrong-values.ts';
import type { AssertionChoice, StepDraft } from '#shared/contract/authorization.ts';
import type { FlowSteps, StepNode } from './flow-steps.ts';
import type { PlannedStep, SignedAgain } from './flow-types.ts';
import { ASSERTION, editsIn, type StepEdits, withEdits } from './step-edits.ts';
import { type PreparedRequest, withoutTypedSecrets, withSecrets } from './step-request.ts';

/**
 * What the user made of the requests of a flow. It is kept by step, so that it is there again when the flow comes to the same step
 * again, after going back or in another branch.
 */
export class EditedSteps {
  readonly #steps: FlowSteps;
  readonly #edits = new Map<string, StepEdits>();

  constructor(steps: FlowSteps) {
    this.#steps = steps;
  }

  /** Keeps what the user made of the request of a stopped step. */
  keep(node: StepNode, draft: StepDraft): void {
    const { planned, plan } = node;
    if (planned.request === null) return;
    const key = this.#keyOf(node);
    const { assertion = this.#edits.get(key)?.assertion ?? undefined } = draft;
    const isOwn = assertion !== undefined && !isSame(assertion, planned.assertion ?? null);
    const edits = editsIn(planned.request, plan.request ?? planned.request, {
      request: draft.request,
      wrongValue: draft.wrongValue,
      ...(isOwn && { assertion }),
    });
    if (edits === null) this.#edits.delete(key);
    else this.#edits.set(key, edits);
  }

  /** Whether the user has changed something in this step, now or the last time. */
  isEdited(node: StepNode): boolean {
    return node.planned.request !== null && this.#edits.has(this.#keyOf(node));
  }

  /** Makes the request of a step what the user made of it, now or the last time. @throws FaultError if it cannot be signed */
  async apply(node: StepNode): Promise<void> {
    const { planned } = node;
    if (planned.request === null) return;
    const edits = this.#edits.get(this.#keyOf(node)) ?? null;
    if (edits === null) {
      node.plan = planned;
      return this.#show(node, { edits, wrongValue: null });
    }
    const request = withEdits(planned.request, edits);
    node.plan = { ...planned, request };
    const { assertion } = edits;
    if (assertion !== null && planned.signedAgain !== undefined) {
      const signedAgain = withAssertion(planned.signedAgain, assertion);
      const signed = await signedAgain({ jwt: 'client-assertion', claims: {}, hasOtherKey: false });
      node.plan = {
        ...node.plan,
        signedAgain,
        request: withSecrets(request.shown, withOneOf(request.secrets, signed.secrets, `body:${ASSERTION}`)),
      };
    }
    const { shown } = node.plan.request ?? request;
    const isPossible = wrongValuesFor(planned.name, shown).some(({ name }) => name === edits.wrongValue);
    this.#show(node, { edits, wrongValue: isPossible ? edits.wrongValue : null });
  }

  #show(
    node: StepNode,
    { edits, wrongValue }: { readonly edits: StepEdits | null; readonly wrongValue: string | null },
  ): void {
    const { plan, planned } = node;
    const assertion = planned.assertion ?? null;
    const isEdited = edits !== null && planned.request !== null;
    this.#steps.change(node, {
      request: plan.request?.shown ?? null,
      original: isEdited ? { request: planned.request.shown, assertion } : null,
      assertion: edits?.assertion ?? assertion,
      wrongValue,
    });
  }

  /** Puts the chosen wrong value into the request, right before it is sent. @throws FaultError if it cannot be signed */
  async applyWrongValue(node: StepNode): Promise<void> {
    const { request, wrongValue } = node.shown;
    const wrong = findWrongValue(wrongValue ?? '');
    if (request === null || wrong === null) return;
    const secrets = node.plan.request?.secrets ?? new Map<string, string>();
    const { change } = wrong;
    if (change.kind === 'twice' || change.kind === 'late') return;
    const changed =
      change.kind === 'request'
        ? withoutTypedSecrets(change.apply(request), secrets)
        : withSecrets(request, await wrongSecrets(node.plan, wrong), 'wrong value');
    node.plan = { ...node.plan, request: changed };
    this.#steps.change(node, { request: changed.shown });
  }

  /** A step is the same again if it has the same name and label, and as many of those before it. */
  #keyOf(node: StepNode): string {
    const { name, label } = node.planned;
    const before = this.#steps.before(node);
    const place = before.filter((one) => one.planned.name === name && one.planned.label === label).length;
    return JSON.stringify([name, label, place]);
  }
}

const isSame = (one: AssertionChoice, other: AssertionChoice | null): boolean =>
  one.audience === other?.audience && one.keyId === other.keyId;

/** Signs with what the user chose; what a wrong value says comes first. */
const withAssertion =
  (signedAgain: Exclude<PlannedStep['signedAgain'], undefined>, { audience, keyId }: AssertionChoice) =>
  (change: SignedAgain): Promise<PreparedRequest> =>
    signedAgain(
      change.jwt === 'client-assertion'
        ? { ...change, claims: { aud: audience, ...change.claims }, keyId }
        : change,
    );

type Secrets = PreparedRequest['secrets'];

/** The secrets, with one of them from elsewhere. */
const withOneOf = (secrets: Secrets, others: Secrets, key: string): Secrets => {
  const other = others.get(key);
  return other === undefined ? secrets : new Map([...secrets, [key, other]]);
};

/** The secrets of a step with a wrong value in one of them, which the page does not know. */
async function wrongSecrets(plan: PlannedStep, { change, parameter }: WrongValue): Promise<Secrets> {
  const before = plan.request?.secrets ?? new Map<string, string>();
  if (change.kind === 'claims' && plan.signedAgain !== undefined) {
    const { jwt, claims, hasOtherKey = false } = change;
    const now = Math.floor(Date.now() / 1000);
    const { secrets } = await plan.signedAgain({ jwt, claims: claims(now), hasOtherKey });
    return withOneOf(before, secrets, jwt === 'dpop-proof' ? 'headers:DPoP' : `body:${ASSERTION}`);
  }
  if (change.kind === 'secret') {
    const key = `body:${parameter ?? ''}`;
    return new Map([...before, [key, change.change(before.get(key) ?? '')]]);
  }
  return before;
}
