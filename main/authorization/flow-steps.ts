import type { AuthorizationStep } from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Demand, FlowContext, PlannedStep } from './flow-types.ts';

/** A step as it is shown, with what is needed to take it. */
export interface StepNode {
  shown: AuthorizationStep;
  plan: PlannedStep;
  /** The step as it was planned, before the user changed its request. */
  readonly planned: PlannedStep;
  /** What was known before it. */
  readonly before: FlowContext;
}

/** A step that the session took, such as the request with the token. */
export interface NotedStep extends Pick<AuthorizationStep, 'name' | 'parties' | 'outcome' | 'findings'> {
  readonly isFailed: boolean;
  /** What the server answered. */
  readonly received: Demand;
}

/** The steps of one flow, as the page shows them. Steps that were taken back, and other branches, stay in the list. */
export class FlowSteps {
  readonly #nodes: StepNode[] = [];
  readonly #onChange: () => void;
  /** The last step of the current branch. */
  #current: StepNode | null = null;
  #branch = 0;
  #branches = 1;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get all(): AuthorizationStep[] {
    return this.#nodes.map(({ shown }) => shown);
  }

  get current(): StepNode | null {
    return this.#current;
  }

  /** The steps of the current branch, in their order, without those taken back. */
  get path(): StepNode[] {
    return this.#current === null ? [] : [...this.before(this.#current), this.#current];
  }

  /** The steps that lead to a step, in their order. */
  before({ shown }: StepNode): StepNode[] {
    const before: StepNode[] = [];
    let node = this.get(shown.after);
    while (node !== null) {
      before.unshift(node);
      node = this.get(node.shown.after);
    }
    return before;
  }

  get(id: number | null): StepNode | null {
    return this.#nodes[(id ?? 0) - 1] ?? null;
  }

  /** @throws FaultError if there is no such step */
  mustGet(id: number): StepNode {
    const node = this.get(id);
    if (node === null) throw new FaultError(noSuchStep);
    return node;
  }

  /** Adds a step to the current branch. */
  add(plan: PlannedStep, before: FlowContext): StepNode {
    const node = this.#append({ plan, before, after: this.#current, branch: this.#branch });
    this.#current = node;
    return node;
  }

  /** Adds steps one after the other in a branch of their own, which does not become the current one. */
  sideBranch(): (plan: PlannedStep, before: FlowContext) => StepNode {
    const branch = this.#branches++;
    let after = this.#current;
    return (plan, before) => {
      after = this.#append({ plan, before, after, branch });
      return after;
    };
  }

  /** Begins a new branch, which becomes the current one. */
  fork(): void {
    this.#branch = this.#branches++;
  }

  /** The next step is added where this one was. */
  goBefore({ shown: { after } }: StepNode): void {
    this.#current = this.get(after);
  }

  change(node: StepNode, change: Partial<AuthorizationStep>): void {
    node.shown = { ...node.shown, ...change };
    this.#onChange();
  }

  /** Adds a step that has ended, whose request the session sent. Its row in the trace has its duration. */
  note({ isFailed, received, ...noted }: NotedStep, context: FlowContext): void {
    const node = this.add(
      {
        name: noted.name,
        label: '',
        parties: noted.parties,
        request: null,
        received,
        decidedBy: null,
        alternatives: [],
        contextIfSkipped: null,
        act: { kind: 'local', conclude: () => ({ context, outcome: noted.outcome }) },
      },
      context,
    );
    this.change(node, { ...noted, state: isFailed ? 'failed' : 'done', startedAt: Date.now() });
  }

  /**
   * A wrong value counts as rejected when its step, or a later one, fails with a response or a callback. It counts as
   * accepted when the flow gets a token.
   *
   * @param ended the step that has ended
   */
  assessWrongValues({ plan, shown: { state, response } }: StepNode): void {
    const isRejected = state === 'failed' && (response !== null || plan.act.kind === 'callback');
    const isAccepted = state === 'done' && (plan.name === 'token' || plan.name === 'refresh');
    if (!isRejected && !isAccepted) return;
    for (const node of this.path) {
      const { wrongValue, isWrongAccepted } = node.shown;
      if (wrongValue !== null && isWrongAccepted === null) this.change(node, { isWrongAccepted: isAccepted });
    }
  }

  /** A secret of a step, such as its verifier; null if there is none of this name. */
  reveal(stepId: number, name: string): string | null {
    const secrets = this.get(stepId)?.plan.request?.secrets ?? new Map<string, string>();
    for (const part of ['query', 'headers', 'body']) {
      const value = secrets.get(`${part}:${name}`);
      if (value !== undefined) return value;
    }
    return null;
  }

  #append({ plan, before, after, branch }: Place): StepNode {
    const node: StepNode = {
      plan,
      planned: plan,
      before,
      shown: {
        id: this.#nodes.length + 1,
        after: after?.shown.id ?? null,
        branch,
        name: plan.name,
        label: plan.label,
        state: 'planned',
        parties: [...plan.parties],
        request: plan.request?.shown ?? null,
        original: null,
        assertion: plan.assertion ?? null,
        response: responseOf(plan.received),
        row: plan.received?.row ?? null,
        startedAt: null,
        duration: null,
        outcome: '',
        decidedBy: plan.decidedBy,
        alternatives: [...plan.alternatives],
        findings: [],
        wrongValue: null,
        isWrongAccepted: null,
        isOverridden: false,
        callbacks: [],
        moreCallbacks: 0,
        lateUntil: null,
      },
    };
    this.#nodes.push(node);
    return node;
  }
}

/** Whether nothing more comes of a step. */
export const isEnded = ({ state }: AuthorizationStep): boolean =>
  state === 'done' || state === 'failed' || state === 'skipped' || state === 'taken-back';

const noSuchStep: Fault = { code: 'no-such-step', what: 'The flow has no such step.' };

interface Place {
  readonly plan: PlannedStep;
  readonly before: FlowContext;
  readonly after: StepNode | null;
  readonly branch: number;
}

/** A response whose body only the trace has. */
const responseOf = (received: Demand | null | undefined): AuthorizationStep['response'] =>
  received == null
    ? null
    : {
        status: received.status,
        headers: received.headers.map(([name, value]) => [name, value]),
        body: null,
      };
