import type { AuthorizationFlow, AuthorizationStep, StepDraft } from '#shared/contract/authorization.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { EntryValues, FlowEntry } from '#shared/authorization/manual-entry.ts';
import { findWrongValue } from '#shared/authorization/wrong-values.ts';
import { type Fault, FaultError, faultOf } from '#shared/contract/fault.ts';
import { withResolvers } from '#transports/async.ts';
import { awaitCallback } from './await-callback.ts';
import { changedSettings } from './changed-settings.ts';
import { planCors, requireOrigin } from './cors.ts';
import { findingsWithoutResponse } from './demand-findings.ts';
import { EditedSteps } from './edited-steps.ts';
import { cannotEnter, cannotOverride, cannotSkip, nothingToTakeBack, notStopped } from './flow-faults.ts';
import { planScan } from './metadata-candidates.ts';
import { challengeStep, nextStep } from './flow-plan.ts';
import { FlowSteps, isEnded, type NotedStep, type StepNode } from './flow-steps.ts';
import type {
  Conclusion,
  FlowContext,
  FlowEnd,
  FlowEnvironment,
  FlowSetup,
  PlannedStep,
} from './flow-types.ts';
import { entryAfter, planEntry } from './manual-entry.ts';
import { PendingInput } from './pending-input.ts';
import { requestOf, StepExchanges } from './step-exchange.ts';

export interface FlowOptions {
  readonly id: string;
  readonly sessionId: string;
  /** Counts the flows of a session from 1. */
  readonly number: number;
  readonly mode: AuthorizationFlow['mode'];
  readonly environment: FlowSetup;
  readonly context: FlowContext;
  /** What comes first; by default the challenge. */
  readonly first?: PlannedStep;
  /** Plans what comes after what is known; null when the flow is done. */
  readonly plan?: (context: FlowContext, environment: FlowEnvironment) => Promise<PlannedStep | null>;
  /** Replaces secrets in what is shown. */
  readonly redacted: <T>(value: T) => Redacted<T>;
  readonly onChange: () => void;
}

/** Why a flow stopped, and how the user may go on. */
interface Failure {
  readonly fault: Fault;
  /** Whether the context has what is needed to continue anyway. */
  readonly canOverride: boolean;
  /** What the user may enter by hand. */
  readonly entry: FlowEntry | null;
}

/** The code of the fault of a URL that leads to this machine or its network although the server is elsewhere. */
const PRIVATE = 'private-address';

/** Whether a step waits for the user in the stepped mode: it sends something. */
const sends = ({ act }: PlannedStep): boolean => act.kind === 'exchange' || act.kind === 'browser';

/**
 * Runs the steps of one flow. Both modes run the same code: the automatic one takes each step at once, the stepped one stops
 * before each that sends something.
 */
export class Flow {
  readonly id: string;
  readonly #options: FlowOptions;
  readonly #environment: FlowEnvironment;
  readonly #steps: FlowSteps;
  readonly #exchanges: StepExchanges;
  readonly #edits: EditedSteps;
  readonly #input: PendingInput;
  #mode: AuthorizationFlow['mode'];
  #state: AuthorizationFlow['state'] = 'running';
  #context: FlowContext;
  #failure: Failure | null = null;
  /** The steps whose address the user has agreed to. */
  readonly #confirmed = new WeakSet<StepNode>();
  /** Ends what runs or waits. */
  #stop = new AbortController();
  readonly #ended = withResolvers<FlowEnd>();

  constructor(options: FlowOptions) {
    this.id = options.id;
    this.#options = options;
    const { onChange } = options;
    const environment = { ...options.environment, isStepped: () => this.#mode === 'stepped' };
    this.#environment = environment;
    this.#steps = new FlowSteps(onChange);
    this.#exchanges = new StepExchanges({ environment, steps: this.#steps });
    this.#edits = new EditedSteps(this.#steps);
    this.#input = new PendingInput(environment);
    this.#mode = options.mode;
    this.#context = options.context;
  }

  /** How it ended. A flow that failed in the stepped mode goes on when a step is taken back. */
  get ended(): Promise<FlowEnd> {
    return this.#ended.promise;
  }

  get isOver(): boolean {
    return this.#state === 'done' || this.#state === 'failed' || this.#state === 'cancelled';
  }

  get view(): Redacted<AuthorizationFlow> {
    const { id, sessionId, number, redacted } = this.#options;
    const { settings, rules, isRevisionKnown, serverId } = this.#environment;
    return redacted({
      id,
      sessionId,
      serverId,
      number,
      mode: this.#mode,
      grant: settings.grant,
      registration: settings.registration,
      revision: rules.revision,
      isRevisionKnown,
      changedSettings: changedSettings(settings),
      state: this.#state,
      currentStep: this.isOver ? null : (this.#steps.current?.shown.id ?? null),
      steps: this.#steps.all,
      issuers: [...this.#input.issuers],
      question: this.#input.question,
      browserUrl: this.#input.browserUrl,
      knownProvider: settings.knownProvider,
      testProvider: this.#context.testIssuer,
      fault: this.#failure?.fault ?? null,
      canOverride: this.#failure?.canOverride ?? false,
      entry: this.#failure?.entry ?? null,
    });
  }

  /** The steps of the current branch, in their order, without those taken back. */
  get path(): AuthorizationStep[] {
    return this.#steps.path.map(({ shown }) => shown);
  }

  /** Runs or stops, as the mode says. Never rejects. */
  begin(): Promise<void> {
    const { first, plan } = this.#options;
    const startsWithChallenge = plan === undefined && this.#context.demand !== null;
    return this.#goOn(first ?? (startsWithChallenge ? challengeStep(this.#context) : null));
  }

  /** Sends the step that is stopped. @param draft what the user made of it */
  send(draft: StepDraft): void {
    const node = this.#mustBeStopped();
    this.#confirmed.add(node);
    this.#edits.keep(node, draft);
    void this.#sendEdited(node);
  }

  async #sendEdited(node: StepNode): Promise<void> {
    const { signal } = this.#stop;
    this.#state = 'running';
    if (await this.#prepare(() => this.#edits.apply(node), signal)) await this.#run(node);
  }

  /** Changes a request before it is sent; returns whether that was possible, and the flow goes on. */
  async #prepare(change: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    try {
      await change();
      return !signal.aborted;
    } catch (error) {
      if (!signal.aborted) this.#fail(faultOf('signed a request of the authorization', error));
      return false;
    }
  }

  /** Runs to the end without stopping. */
  run(): void {
    this.#mode = 'automatic';
    const { current } = this.#steps;
    if (this.#state === 'stopped' && current !== null) void this.#run(current);
    else this.#options.onChange();
  }

  /**
   * Stops again before the last step that the stepped mode stops at: an exchange, or the browser.
   *
   * @param draft what the user made of the stopped step, for the next time
   */
  back(draft: StepDraft | null = null): void {
    const { path } = this.#steps;
    const isAtStep = this.#state === 'stopped' || this.#state === 'waiting' || this.#state === 'running';
    const earlier = isAtStep ? path.slice(0, -1) : path;
    const index = earlier.findLastIndex(({ plan }) => sends(plan));
    const last = earlier[index];
    if (last === undefined) throw new FaultError(nothingToTakeBack);
    this.#keepDraft(draft);
    this.#interrupt();
    for (const node of path.slice(index)) node.shown = { ...node.shown, state: 'taken-back' };
    void this.#again(last);
  }

  #keepDraft(draft: StepDraft | null): void {
    const { current } = this.#steps;
    if (draft !== null && this.#state === 'stopped' && current !== null) this.#edits.keep(current, draft);
  }

  /** Goes on without the step that is stopped. @param draft as for `back` */
  skip(draft: StepDraft | null = null): void {
    const node = this.#mustBeStopped();
    const { contextIfSkipped } = node.plan;
    if (contextIfSkipped === null) throw new FaultError(cannotSkip);
    this.#keepDraft(draft);
    this.#steps.change(node, { state: 'skipped', outcome: 'Skipped.' });
    this.#context = contextIfSkipped;
    void this.#goOn(null);
  }

  /** Continues after the fault of the last step, which keeps its state and says so. */
  override(): void {
    const node = this.#steps.current;
    if (this.#failure?.canOverride !== true || node === null) throw new FaultError(cannotOverride);
    this.#failure = null;
    const outcome = `${node.shown.outcome} You continued anyway.`;
    this.#steps.change(node, { isOverridden: true, outcome });
    void this.#goOn(null);
  }

  /** Goes on after the fault with what the user entered. @throws FaultError that says what is wrong with it */
  enter(values: EntryValues): void {
    const environment = this.#environment;
    const offered = this.#failure?.entry ?? null;
    if (offered === null) throw new FaultError(cannotEnter);
    const planned = planEntry(environment, this.#context, { offered, values });
    this.#interrupt();
    void this.#goOn(planned);
  }

  /** Sends at once what is sent late on purpose. @throws FaultError unless it waits for that */
  sendEarly(): void {
    this.#exchanges.endWait();
  }

  /** Stops before a step again, in a branch of its own. The other steps stay. @param draft as for `back` */
  fork(stepId: number, draft: StepDraft | null = null): void {
    const node = this.#steps.mustGet(stepId);
    this.#keepDraft(draft);
    this.#interrupt();
    this.#steps.fork();
    void this.#again(node);
  }

  cancel(): void {
    if (this.#state === 'done' || this.#state === 'cancelled') return;
    // A stepped flow that failed has left `ended` pending, because a step could still be taken back; now it settles.
    if (this.#failure !== null) return this.#ended.resolve(this.#failedWith(this.#failure.fault));
    this.#interrupt();
    const node = this.#steps.current;
    if (node !== null && !isEnded(node.shown))
      this.#steps.change(node, { state: 'failed', outcome: 'Cancelled.' });
    this.#state = 'cancelled';
    this.#ended.resolve({ state: 'cancelled' });
    this.#options.onChange();
  }

  /** As `PendingInput` has it. @throws FaultError */
  callback(pasted: string): void {
    this.#input.takeCallback(pasted);
  }

  /** The browser shows an error page instead. @throws FaultError unless a callback is awaited */
  noCallback(): void {
    this.#input.refuseCallback();
  }

  /** @throws FaultError unless this authorization server can be chosen */
  choose(issuer: string): void {
    this.#input.takeChoice(issuer);
  }

  /** Answers the question that it waits for. @throws FaultError unless it asks one */
  answer(isYes: boolean): void {
    this.#input.takeAnswer(isYes);
  }

  /** Opens the URL of the authorization request in the system's browser. @throws FaultError if there is none to open */
  openBrowser(): Promise<void> {
    return this.#input.openBrowser();
  }

  /** Tries every URL that metadata could have; the steps are a branch of their own, and change nothing. */
  scan(): Promise<void> {
    return this.#exchanges.scan(planScan(this.#environment, this.#context), () => this.#context);
  }

  /** Asks each known endpoint whether pages of this origin could use it. @throws FaultError unless it is an origin */
  checkCors(origin: string): Promise<void> {
    const asked = { origin: requireOrigin(origin), steps: this.#steps.all };
    return this.#exchanges.scan(planCors(this.#environment, this.#context, asked), () => this.#context);
  }

  /** Adds a step that the session took, such as the request with the token. */
  note(step: NotedStep): void {
    this.#steps.note(step, this.#context);
  }

  /** A secret of a step, such as its verifier; null if there is none of this name. */
  reveal(stepId: number, name: string): string | null {
    return this.#steps.reveal(stepId, name);
  }

  #mustBeStopped(): StepNode {
    const { current } = this.#steps;
    if (this.#state !== 'stopped' || current === null) throw new FaultError(notStopped);
    return current;
  }

  /** Ends what runs or waits; its outcome is ignored. */
  #interrupt(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#input.clear();
    this.#failure = null;
  }

  /** Stops before the same step once more. Random values are new, unless the user changed exactly those. */
  async #again(node: StepNode): Promise<void> {
    const { signal } = this.#stop;
    this.#mode = 'stepped';
    this.#context = node.before;
    this.#steps.goBefore(node);
    await this.#goOn(node.shown.after === null ? node.planned : null, signal);
  }

  /** Takes the next step, or stops before it. @param first the step, if it is known */
  async #goOn(first: PlannedStep | null, signal = this.#stop.signal): Promise<void> {
    this.#state = 'running';
    let next = first;
    for (;;) {
      try {
        next ??= await this.#plan();
      } catch (error) {
        if (!signal.aborted) this.#fail(faultOf('planned a step of the authorization', error));
        return;
      }
      if (signal.aborted) return;
      if (next === null) return this.#finish();
      const node = this.#steps.add(next, this.#context);
      // Only where the user sees it before it is sent.
      const isEdited = this.#mode === 'stepped' && sends(next) && this.#edits.isEdited(node);
      if (isEdited && !(await this.#prepare(() => this.#edits.apply(node), signal))) return;
      if (this.#mode === 'stepped' && sends(next)) {
        this.#state = 'stopped';
        this.#steps.change(node, { state: 'stopped' });
        return;
      }
      if (!(await this.#deliver(node, signal))) return;
      next = null;
    }
  }

  #plan(): Promise<PlannedStep | null> {
    const { plan } = this.#options;
    return plan === undefined
      ? nextStep(this.#environment, this.#context)
      : plan(this.#context, this.#environment);
  }

  async #run(node: StepNode): Promise<void> {
    const { signal } = this.#stop;
    this.#state = 'running';
    if (await this.#deliver(node, signal)) await this.#goOn(null, signal);
  }

  /** Takes a step, with the wrong value that was chosen for it; returns whether the flow goes on. */
  async #deliver(node: StepNode, signal: AbortSignal): Promise<boolean> {
    const isWrong = node.shown.wrongValue !== null;
    if (isWrong && !(await this.#prepare(() => this.#edits.applyWrongValue(node), signal))) return false;
    return this.#take(node);
  }

  /** Takes a step; returns whether the flow goes on. */
  async #take(node: StepNode): Promise<boolean> {
    const { signal } = this.#stop;
    const startedAt = performance.now();
    this.#state = 'running';
    this.#failure = null;
    this.#steps.change(node, { state: 'running', startedAt: Date.now() });
    let conclusion: Conclusion;
    try {
      conclusion = await this.#act(node, signal);
    } catch (error) {
      const fault = faultOf('took a step of the authorization', error);
      if (!signal.aborted && fault.code === PRIVATE && this.#environment.canAsk) {
        const isYes = await this.#askAboutAddress(node, fault);
        if (signal.aborted) return false;
        if (isYes) return this.#take(node);
      }
      conclusion = { context: this.#context, outcome: fault.what, fault };
    }
    if (signal.aborted) return false;
    this.#input.clear();
    const { context, outcome, fault = null, findings = [], decidedBy, alternatives } = conclusion;
    const environment = this.#environment;
    const { plan, before, shown } = node;
    const found = findingsWithoutResponse({ plan, environment, before, conclusion, row: shown.row });
    this.#context = context;
    this.#steps.change(node, {
      state: fault === null ? 'done' : 'failed',
      duration: Math.round((performance.now() - startedAt) * 1000),
      outcome,
      findings: [...findings, ...found],
      ...(decidedBy !== undefined && { decidedBy }),
      ...(alternatives !== undefined && { alternatives }),
    });
    this.#steps.assessWrongValues(node);
    if (fault === null) return true;
    // Only where the user takes each step; an automatic flow has ended.
    const mayGoOn = this.#mode === 'stepped';
    this.#fail(fault, {
      canOverride: mayGoOn && conclusion.canOverride === true,
      entry: mayGoOn ? entryAfter({ plan, fault, context }, environment) : null,
    });
    return false;
  }

  async #act(node: StepNode, signal: AbortSignal): Promise<Conclusion> {
    const { act } = node.plan;
    const environment = this.#environment;
    const isStepped = this.#mode === 'stepped';
    // The user has seen its URL.
    const isConfirmed = isStepped || this.#confirmed.has(node);
    switch (act.kind) {
      case 'local':
        return act.conclude();
      case 'exchange':
        return this.#exchanges.send(node, act, { signal, isConfirmed });
      case 'browser': {
        const { url } = requestOf(node);
        const isExpected = isConfirmed || this.#exchanges.isAtChosenProvider(node, url);
        const fault = isExpected ? null : await environment.faultOfPrivate(url);
        if (fault !== null) throw new FaultError(fault);
        await node.plan.beforeSend?.();
        return act.conclude(url, findWrongValue(node.shown.wrongValue ?? ''));
      }
      case 'callback':
        return awaitCallback(act, {
          input: this.#input,
          signal,
          isAutomatic: !isStepped && environment.opensBrowser,
          onWaiting: () => this.#wait(node),
          onEnd: () => {
            if (!signal.aborted) this.#state = 'running';
          },
          show: (change) => this.#steps.change(node, change),
        });
      case 'choice':
        return act.conclude(await this.#input.choice(act.options, () => this.#wait(node)));
      case 'question':
        return act.conclude(await this.#input.answer(act.question, () => this.#wait(node)));
    }
  }

  /** Asks whether a step may go where only this machine or its network can. It is not asked about that again. */
  async #askAboutAddress(node: StepNode, fault: Fault): Promise<boolean> {
    const { origin, pathname } = requestOf(node).url;
    const question = { kind: 'private-address', url: `${origin}${pathname}`, fault } as const;
    const isYes = await this.#input.answer(question, () => this.#wait(node));
    if (isYes) this.#confirmed.add(node);
    return isYes;
  }

  #wait(node: StepNode): void {
    this.#state = 'waiting';
    this.#steps.change(node, { state: 'waiting' });
  }

  #finish(): void {
    this.#state = 'done';
    this.#ended.resolve({ state: 'done', context: this.#context });
    this.#options.onChange();
  }

  #fail(fault: Fault, waysOn: Omit<Failure, 'fault'> = { canOverride: false, entry: null }): void {
    this.#state = 'failed';
    this.#failure = { fault, ...waysOn };
    // In the stepped mode the user may take the step back.
    if (this.#mode === 'automatic') this.#ended.resolve(this.#failedWith(fault));
    this.#options.onChange();
  }

  readonly #failedWith = (fault: Fault): FlowEnd => ({ state: 'failed', fault, context: this.#context });
}
