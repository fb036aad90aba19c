import { setTimeout as delay } from 'node:timers/promises';
import {
  type AuthorizationFlow,
  type AuthorizationStep,
  MAX_BODY,
  type StepRequest,
} from '#shared/contract/authorization.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import { findWrongValue, type WrongValue } from '#shared/authorization/wrong-values.ts';
import { type Fault, FaultError, faultOf } from '#shared/contract/fault.ts';
import { withResolvers } from '#transports/async.ts';
import { isPrivateHost } from '#transports/private-address.ts';
import { planScan } from './discovery.ts';
import type { RawRequest, RawResponse } from './exchange.ts';
import { checkNoResponse } from './checks/findings.ts';
import { challengeStep, nextStep } from './flow-plan.ts';
import type { Conclusion, Demand, FlowContext, FlowEnvironment, PlannedStep } from './flow-types.ts';
import { findingsWithoutResponse } from './demand-findings.ts';
import { materialize, withSecrets } from './step-request.ts';

export interface FlowOptions {
  readonly id: string;
  readonly sessionId: string;
  /** Counts the flows of a session from 1. */
  readonly number: number;
  readonly mode: AuthorizationFlow['mode'];
  readonly environment: FlowEnvironment;
  readonly context: FlowContext;
  /** What comes first; by default the challenge. */
  readonly first?: PlannedStep;
  /** Plans what comes after what is known; null when the flow is done. */
  readonly plan?: (context: FlowContext) => Promise<PlannedStep | null>;
  /** Replaces secrets in what is shown. */
  readonly redacted: <T>(value: T) => Redacted<T>;
  readonly onChange: () => void;
}

/** How a flow ended. */
export type FlowEnd =
  | { readonly state: 'done'; readonly context: FlowContext }
  | { readonly state: 'failed'; readonly fault: Fault }
  | { readonly state: 'cancelled' };

/** A step as it is shown, with what is needed to take it. */
interface Node {
  shown: AuthorizationStep;
  plan: PlannedStep;
  /** What was known before it. */
  readonly before: FlowContext;
}

/** Whether a step waits for the user in the stepped mode: it sends something. */
const sends = ({ act }: PlannedStep): boolean => act.kind === 'exchange' || act.kind === 'browser';

/**
 * Runs the steps of one flow. Both modes run the same code: the automatic one takes each step at once, the stepped one stops
 * before each that sends something. Steps that were taken back, and other branches, stay in the list.
 */
export class Flow {
  readonly id: string;
  readonly #options: FlowOptions;
  readonly #nodes: Node[] = [];
  #mode: AuthorizationFlow['mode'];
  #state: AuthorizationFlow['state'] = 'running';
  #current: Node | null = null;
  #context: FlowContext;
  #branch = 0;
  #branches = 1;
  #fault: Fault | null = null;
  /** Whether `#context` has what is needed to go on in spite of the fault. */
  #canOverride = false;
  #issuers: readonly string[] = [];
  #browserUrl: string | null = null;
  /** Ends what runs or waits. */
  #stop = new AbortController();
  #takeCallback: ((url: string) => void) | null = null;
  #takeChoice: ((issuer: string) => void) | null = null;
  readonly #ended = withResolvers<FlowEnd>();

  constructor(options: FlowOptions) {
    this.id = options.id;
    this.#options = options;
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
    const { id, sessionId, number, environment, redacted } = this.#options;
    const { settings, rules, serverId } = environment;
    return redacted({
      id,
      sessionId,
      serverId,
      number,
      mode: this.#mode,
      grant: settings.grant,
      registration: settings.registration,
      revision: rules.revision,
      state: this.#state,
      currentStep: this.isOver ? null : (this.#current?.shown.id ?? null),
      steps: this.#nodes.map(({ shown }) => shown),
      issuers: [...this.#issuers],
      browserUrl: this.#browserUrl,
      testProvider: this.#context.testIssuer,
      fault: this.#fault,
      canOverride: this.#canOverride,
    });
  }

  /** The steps of the current branch, in their order, without those taken back. */
  get path(): AuthorizationStep[] {
    const path: AuthorizationStep[] = [];
    let id = this.#current?.shown.id ?? null;
    while (id !== null) {
      const shown = this.#nodes[id - 1]?.shown;
      if (shown === undefined) break;
      path.unshift(shown);
      id = shown.after;
    }
    return path;
  }

  /** Runs or stops, as the mode says. Never rejects. */
  begin(): Promise<void> {
    const { first, plan } = this.#options;
    const startsWithChallenge = plan === undefined && this.#context.demand !== null;
    return this.#goOn(first ?? (startsWithChallenge ? challengeStep(this.#context) : null));
  }

  /**
   * Sends the step that is stopped.
   *
   * @param request what the user made of it; null for no change
   * @param wrongValue name of a wrong value to put into it; null for none
   */
  send(request: StepRequest | null, wrongValue: string | null): void {
    const node = this.#mustBeStopped();
    const wrong = wrongValue === null ? null : findWrongValue(wrongValue);
    if (wrong !== null) this.#change(node, { wrongValue });
    const made = request ?? node.shown.request;
    if (made === null || wrong === null) return void this.#run(node, request);
    const { change } = wrong;
    if (change.kind === 'request') return void this.#run(node, change.apply(made));
    if (change.kind !== 'claims' && change.kind !== 'secret') return void this.#run(node, request);
    this.#state = 'running';
    void this.#sendOtherSecrets(node, made, wrong);
  }

  /** Sends a wrong value that is in a secret, which the page does not know. */
  async #sendOtherSecrets(node: Node, made: StepRequest, { change, parameter }: WrongValue): Promise<void> {
    const { signal } = this.#stop;
    const { plan } = node;
    const before = plan.request?.secrets ?? new Map<string, string>();
    let secrets = before;
    try {
      if (change.kind === 'claims' && plan.signedAgain !== undefined) {
        const { jwt, claims, hasOtherKey = false } = change;
        const now = Math.floor(Date.now() / 1000);
        ({ secrets } = await plan.signedAgain({ jwt, claims: claims(now), hasOtherKey }));
      }
      if (change.kind === 'secret') {
        const key = `body:${parameter ?? ''}`;
        secrets = new Map([...before, [key, change.change(before.get(key) ?? '')]]);
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(faultOf('signed a request of the authorization', error));
      return;
    }
    if (signal.aborted) return;
    const request = withSecrets(made, secrets);
    node.plan = { ...plan, request };
    await this.#run(node, request.shown);
  }

  /** Runs to the end without stopping. */
  run(): void {
    this.#mode = 'automatic';
    if (this.#state === 'stopped' && this.#current !== null) void this.#run(this.#current, null);
    else this.#changed();
  }

  /** Stops again before the last step that the stepped mode stops at: an exchange, or the browser. */
  back(): void {
    const path = this.#pathNodes();
    const isAtStep = this.#state === 'stopped' || this.#state === 'waiting' || this.#state === 'running';
    const earlier = isAtStep ? path.slice(0, -1) : path;
    const index = earlier.findLastIndex(({ plan }) => sends(plan));
    const last = earlier[index];
    if (last === undefined) throw new FaultError(nothingToTakeBack);
    this.#interrupt();
    for (const node of path.slice(index)) node.shown = { ...node.shown, state: 'taken-back' };
    void this.#again(last);
  }

  /** Goes on without the step that is stopped. */
  skip(): void {
    const node = this.#mustBeStopped();
    const { contextIfSkipped } = node.plan;
    if (contextIfSkipped === null) throw new FaultError(cannotSkip);
    this.#change(node, { state: 'skipped', outcome: 'Skipped.' });
    this.#context = contextIfSkipped;
    void this.#goOn(null);
  }

  /** Goes on in spite of the fault of the last step, which keeps its state and says so. */
  override(): void {
    const node = this.#current;
    if (!this.#canOverride || node === null) throw new FaultError(cannotOverride);
    this.#fault = null;
    this.#canOverride = false;
    const outcome = `${node.shown.outcome} You went on in spite of it.`;
    this.#change(node, { isOverridden: true, outcome });
    void this.#goOn(null);
  }

  /** Stops before a step again, in a branch of its own. The other steps stay. */
  fork(stepId: number): void {
    const node = this.#nodes[stepId - 1];
    if (node === undefined) throw new FaultError(noSuchStep);
    this.#interrupt();
    this.#branch = this.#branches++;
    void this.#again(node);
  }

  cancel(): void {
    if (this.#state === 'done' || this.#state === 'cancelled') return;
    // A stepped flow that failed has left `ended` pending, because a step could still be taken back; now it settles.
    if (this.#fault !== null) return this.#ended.resolve({ state: 'failed', fault: this.#fault });
    this.#interrupt();
    const node = this.#current;
    if (node !== null && !isFinal(node.shown.state))
      this.#change(node, { state: 'failed', outcome: 'Cancelled.' });
    this.#state = 'cancelled';
    this.#ended.resolve({ state: 'cancelled' });
    this.#changed();
  }

  /** Takes the URL that the browser was redirected to. */
  callback(url: string): void {
    if (this.#takeCallback === null) throw new FaultError(notWaiting('a callback'));
    this.#takeCallback(url);
  }

  choose(issuer: string): void {
    if (this.#takeChoice === null || !this.#issuers.includes(issuer)) {
      throw new FaultError(notWaiting('a choice of this authorization server'));
    }
    this.#takeChoice(issuer);
  }

  /** Opens the URL of the authorization request in the system's browser. @throws FaultError if there is none to open */
  async openBrowser(): Promise<void> {
    const { openBrowser } = this.#options.environment;
    const url = this.#browserUrl;
    if (openBrowser === null || url === null) throw new FaultError(notWaiting('a browser of this host'));
    await openBrowser(url);
  }

  /** Tries every URL that metadata could have; the steps are a branch of their own, and change nothing. */
  async scan(): Promise<void> {
    const { environment } = this.#options;
    const branch = this.#branches++;
    let after = this.#current?.shown.id ?? null;
    for (const plan of planScan(environment, this.#context)) {
      const node = this.#append(plan, after, branch);
      after = node.shown.id;
      const { act, request } = plan;
      if (act.kind !== 'exchange' || request === null) continue;
      const startedAt = performance.now();
      this.#change(node, { state: 'running', startedAt: Date.now() });
      const ended = await this.#exchange(node, act, materialize(request.shown, request.secrets)).catch(
        (error: unknown) => ({ outcome: faultOf('scanned for metadata', error).what, findings: [] }),
      );
      this.#change(node, {
        state: 'done',
        duration: Math.round((performance.now() - startedAt) * 1000),
        outcome: ended.outcome,
        findings: [...(ended.findings ?? [])],
      });
    }
  }

  /** Adds a step that the session took, such as the request with the token. */
  note(
    step: Pick<AuthorizationStep, 'name' | 'parties' | 'outcome' | 'findings'> & {
      readonly isFailed: boolean;
      /** What the server answered. */
      readonly received: Demand;
    },
  ): void {
    const { isFailed, received, ...noted } = step;
    const plan: PlannedStep = {
      name: noted.name,
      label: '',
      parties: noted.parties,
      request: null,
      received,
      decidedBy: null,
      alternatives: [],
      contextIfSkipped: null,
      act: { kind: 'local', conclude: () => ({ context: this.#context, outcome: noted.outcome }) },
    };
    const node = this.#add(plan);
    this.#change(node, { ...noted, state: isFailed ? 'failed' : 'done', startedAt: Date.now(), duration: 0 });
  }

  /** A secret of a step, such as its verifier; null if there is none of this name. */
  reveal(stepId: number, name: string): string | null {
    const secrets = this.#nodes[stepId - 1]?.plan.request?.secrets ?? new Map<string, string>();
    for (const part of ['query', 'headers', 'body']) {
      const value = secrets.get(`${part}:${name}`);
      if (value !== undefined) return value;
    }
    return null;
  }

  #pathNodes(): Node[] {
    return this.path.flatMap(({ id }) => this.#nodes[id - 1] ?? []);
  }

  #mustBeStopped(): Node {
    if (this.#state !== 'stopped' || this.#current === null) throw new FaultError(notStopped);
    return this.#current;
  }

  /** Ends what runs or waits; its outcome is ignored. */
  #interrupt(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#takeCallback = null;
    this.#takeChoice = null;
    this.#issuers = [];
    this.#browserUrl = null;
    this.#fault = null;
    this.#canOverride = false;
  }

  /** Stops before the same step once more. Random values are new. */
  async #again(node: Node): Promise<void> {
    const { signal } = this.#stop;
    this.#mode = 'stepped';
    this.#context = node.before;
    this.#current = this.#nodes[(node.shown.after ?? 0) - 1] ?? null;
    await this.#goOn(node.shown.after === null ? node.plan : null, signal);
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
      const node = this.#add(next);
      if (this.#mode === 'stepped' && sends(next)) {
        this.#state = 'stopped';
        this.#change(node, { state: 'stopped' });
        return;
      }
      if (!(await this.#take(node, null))) return;
      next = null;
    }
  }

  #plan(): Promise<PlannedStep | null> {
    const { plan, environment } = this.#options;
    return plan === undefined ? nextStep(environment, this.#context) : plan(this.#context);
  }

  async #run(node: Node, request: StepRequest | null): Promise<void> {
    const { signal } = this.#stop;
    if (await this.#take(node, request)) await this.#goOn(null, signal);
  }

  #add(plan: PlannedStep): Node {
    const node = this.#append(plan, this.#current?.shown.id ?? null, this.#branch);
    this.#current = node;
    return node;
  }

  #append(plan: PlannedStep, after: number | null, branch: number): Node {
    const node: Node = {
      plan,
      before: this.#context,
      shown: {
        id: this.#nodes.length + 1,
        after,
        branch,
        name: plan.name,
        label: plan.label,
        state: 'planned',
        parties: [...plan.parties],
        request: plan.request?.shown ?? null,
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
      },
    };
    this.#nodes.push(node);
    return node;
  }

  /** Takes a step; returns whether the flow goes on. */
  async #take(node: Node, edited: StepRequest | null): Promise<boolean> {
    const { signal } = this.#stop;
    const startedAt = performance.now();
    this.#state = 'running';
    this.#fault = null;
    this.#change(node, {
      state: 'running',
      startedAt: Date.now(),
      ...(edited !== null && { request: { ...edited, sentBy: node.plan.request?.shown.sentBy ?? 'client' } }),
    });
    let conclusion: Conclusion;
    try {
      conclusion = await this.#act(node, signal);
    } catch (error) {
      const fault = faultOf('took a step of the authorization', error);
      conclusion = { context: this.#context, outcome: fault.what, fault };
    }
    if (signal.aborted) return false;
    this.#issuers = [];
    this.#browserUrl = null;
    const { context, outcome, fault = null, findings = [], decidedBy, alternatives } = conclusion;
    const { environment } = this.#options;
    const { plan, before, shown } = node;
    const found = findingsWithoutResponse({ plan, environment, before, conclusion, row: shown.row });
    this.#context = context;
    this.#change(node, {
      state: fault === null ? 'done' : 'failed',
      duration: Math.round((performance.now() - startedAt) * 1000),
      outcome,
      findings: [...findings, ...found],
      ...(decidedBy !== undefined && { decidedBy }),
      ...(alternatives !== undefined && { alternatives }),
    });
    this.#assessWrongValues(node);
    // Only where the user takes each step; an automatic flow has ended.
    this.#canOverride = fault !== null && conclusion.canOverride === true && this.#mode === 'stepped';
    if (fault !== null) this.#fail(fault);
    return fault === null;
  }

  /**
   * A wrong value counts as rejected when its step, or a later one, fails with a response or a callback. It counts as
   * accepted when the flow gets a token.
   */
  #assessWrongValues({ plan, shown: { state, response } }: Node): void {
    const isRejected = state === 'failed' && (response !== null || plan.act.kind === 'callback');
    const isAccepted = state === 'done' && (plan.name === 'token' || plan.name === 'refresh');
    if (!isRejected && !isAccepted) return;
    for (const node of this.#pathNodes()) {
      const { wrongValue, isWrongAccepted } = node.shown;
      if (wrongValue !== null && isWrongAccepted === null)
        this.#change(node, { isWrongAccepted: isAccepted });
    }
  }

  async #act(node: Node, signal: AbortSignal): Promise<Conclusion> {
    const { act, request } = node.plan;
    const raw =
      node.shown.request === null ? null : materialize(node.shown.request, request?.secrets ?? new Map());
    switch (act.kind) {
      case 'local':
        return act.conclude();
      case 'exchange': {
        if (raw === null) throw new Error('an exchange has a request');
        // In the stepped mode the user has seen the URL.
        const isConfirmed = this.#mode === 'stepped' || this.#isAtChosenProvider(node, raw.url);
        const wrong = findWrongValue(node.shown.wrongValue ?? '')?.change;
        if (wrong?.kind === 'late') await delay(wrong.milliseconds, undefined, { signal });
        if (wrong?.kind === 'twice') await this.#options.environment.send(raw, isConfirmed);
        const exchange = () => this.#exchange(node, act, raw, { signal, isConfirmed });
        return act.inTurn === undefined ? exchange() : act.inTurn(exchange, isConfirmed);
      }
      case 'browser': {
        if (raw === null) throw new Error('the browser needs a request');
        return act.conclude(raw.url);
      }
      case 'callback':
        return act.conclude(await this.#waitForCallback(node, act.url, signal));
      case 'choice':
        return act.conclude(await this.#waitForChoice(node, act.options));
    }
  }

  /** Whether a request goes to the origin of an identity provider on this machine or its network, which the user chose. */
  #isAtChosenProvider({ plan: { parties }, before: { testIssuer } }: Node, { origin }: URL): boolean {
    const issuer = testIssuer ?? this.#options.environment.settings.identityProvider?.issuer ?? '';
    if (!parties.includes('identity-provider') || !URL.canParse(issuer)) return false;
    const chosen = new URL(issuer);
    return isPrivateHost(chosen) && chosen.origin === origin;
  }

  async #exchange(
    node: Node,
    act: Extract<PlannedStep['act'], { kind: 'exchange' }>,
    request: RawRequest,
    {
      signal = null,
      isConfirmed = false,
    }: { readonly signal?: AbortSignal | null; readonly isConfirmed?: boolean } = {},
  ): Promise<Conclusion> {
    let response: RawResponse;
    try {
      response = await this.#options.environment.send(request, isConfirmed);
    } catch (error) {
      // A flow must not go on by itself where a public server leads to a private address.
      if (!(error instanceof FaultError)) throw error;
      const { fault } = error;
      if (fault.code === 'private-address') {
        if (act.withheld === undefined) throw error;
        return act.withheld(fault);
      }
      const { findings } = checkNoResponse(fault, { row: null });
      const failed = (await act.failed?.(fault)) ?? { context: this.#context, outcome: fault.what, fault };
      return { ...failed, findings: [...findings, ...(failed.findings ?? [])] };
    }
    // A step that was taken back stores nothing.
    if (signal?.aborted === true) return { context: this.#context, outcome: '' };
    const conclusion = await act.conclude(response);
    // Concluding has marked the secrets of the response.
    this.#change(node, { response: this.#shown(response), row: response.row });
    return conclusion;
  }

  async #waitForCallback(node: Node, url: string, signal: AbortSignal): Promise<string> {
    const { openBrowser, nextCallback, isWatched, browserLimit } = this.#options.environment;
    if (openBrowser === null && !isWatched) throw new FaultError(needsBrowser);
    const pasted = withResolvers<string>();
    this.#takeCallback = pasted.resolve;
    this.#browserUrl = url;
    this.#state = 'waiting';
    this.#change(node, { state: 'waiting' });
    const redirected = nextCallback(signal);
    // In the stepped mode the user opens it.
    const opened = this.#mode === 'automatic' && openBrowser !== null ? openBrowser(url) : null;
    const isOver = new AbortController();
    const limit =
      this.#mode === 'automatic'
        ? delay(browserLimit, undefined, { signal: isOver.signal, ref: false }).then(() => {
            throw new FaultError(neverRedirected(url));
          })
        : null;
    limit?.catch(() => undefined);
    try {
      // Rejects if the browser does not open, and otherwise never settles: opening the browser is not the callback.
      const failed = opened?.then(() => new Promise<never>(() => undefined)) ?? [];
      return await Promise.race([
        pasted.promise,
        redirected,
        ...[failed].flat(),
        ...(limit === null ? [] : [limit]),
      ]);
    } finally {
      isOver.abort();
      this.#takeCallback = null;
      this.#state = 'running';
    }
  }

  async #waitForChoice(node: Node, options: readonly string[]): Promise<string> {
    const chosen = withResolvers<string>();
    this.#takeChoice = chosen.resolve;
    this.#issuers = options;
    this.#state = 'waiting';
    this.#change(node, { state: 'waiting' });
    return chosen.promise;
  }

  #shown({ status, headers, body }: RawResponse): AuthorizationStep['response'] {
    const text = this.#options.redacted(body.toString());
    return {
      status,
      headers: headers.map(([name, value]) => [name, value]),
      body: text.slice(0, MAX_BODY),
    };
  }

  #finish(): void {
    this.#state = 'done';
    this.#ended.resolve({ state: 'done', context: this.#context });
    this.#changed();
  }

  #fail(fault: Fault): void {
    this.#state = 'failed';
    this.#fault = fault;
    // In the stepped mode the user may take the step back.
    if (this.#mode === 'automatic') this.#ended.resolve({ state: 'failed', fault });
    this.#changed();
  }

  #change(node: Node, change: Partial<AuthorizationStep>): void {
    node.shown = { ...node.shown, ...change };
    this.#changed();
  }

  #changed(): void {
    this.#options.onChange();
  }
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

const isFinal = (state: AuthorizationStep['state']): boolean =>
  state === 'done' || state === 'failed' || state === 'skipped' || state === 'taken-back';

const notStopped: Fault = {
  code: 'flow-not-stopped',
  what: 'The flow is not stopped before a step.',
  next: 'Take a step back, or begin a new flow.',
};

const nothingToTakeBack: Fault = {
  code: 'nothing-to-take-back',
  what: 'No step of this flow can be taken back.',
};

const cannotSkip: Fault = {
  code: 'step-needed',
  what: 'The flow cannot go on without this step.',
  next: 'Send it, or enter what it would give in the settings of the server.',
};

const cannotOverride: Fault = {
  code: 'fault-not-overridable',
  what: 'The flow cannot go on in spite of this.',
  next: 'Take a step back, or begin a new flow.',
};

const noSuchStep: Fault = { code: 'no-such-step', what: 'The flow has no such step.' };

const notWaiting = (what: string): Fault => ({
  code: 'flow-not-waiting',
  what: `The flow does not wait for ${what}.`,
});

const neverRedirected = (url: string): Fault => ({
  code: 'authorization-timeout',
  what: 'The browser was not redirected back in time, so the authorization was given up.',
  why: `Nobody signed in, or ${URL.canParse(url) ? new URL(url).host : 'the authorization server'} showed an error page instead of a redirect, as it must for a redirect URI or client that it does not know (RFC 6749 section 4.1.2.1).`,
  next: 'Read the page in the browser. Correct the redirect URI or the client in the settings of the server, then authorize again.',
});

const needsBrowser: Fault = {
  code: 'authorization-needs-browser',
  what: 'The server demands authorization in a browser, and none can be opened from here.',
  next: 'Connect in the window of the app. In a terminal, run "sightglass auth --save" with this server first.',
};
