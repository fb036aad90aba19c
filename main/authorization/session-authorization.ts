import { randomUUID } from 'node:crypto';
import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { ServerTests, TestTokenKind } from '#shared/contract/server-tests.ts';
import type { AuthorizationState } from '#shared/contract/sessions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { Throttle } from '#transports/async.ts';
import type { Credentials } from './credentials.ts';
import {
  acceptanceFindings,
  acceptanceOutcome,
  needsMoreScope,
  rejectionFindings,
} from './demand-findings.ts';
import { Flow } from './flow.ts';
import {
  environmentOf,
  type FlowChoices,
  type FlowSurroundings,
  type SettingsOverrides,
} from './flow-environment.ts';
import { isEnded } from './flow-steps.ts';
import {
  type Demand,
  emptyContext,
  type FlowContext,
  type FlowEnd,
  type PlannedStep,
  type RegisteredClient,
} from './flow-types.ts';
import { declaredExtensions } from './grants.ts';
import { textOf } from './metadata.ts';
import { settingsForTests } from './resource-server/second-authorization.ts';
import { ServerTesting } from './resource-server/server-tests.ts';
import { stillRejected } from './server-request.ts';
import {
  contextAfter,
  contextAfterRestart,
  limitStep,
  MAX_ATTEMPTS,
  stepUpStep,
  tooOften,
} from './step-up.ts';
import {
  clientOf,
  contextOf,
  type CredentialsAction,
  planFor,
  type PlanResults,
  planRefresh,
  type StoredCredentialsPlan,
} from './stored-credentials-plan.ts';
import { type DemandingResponse, isNonceDemand, TokensInUse } from './tokens-in-use.ts';

export interface SessionAuthorizationOptions extends FlowSurroundings {
  readonly sessionId: string;
  readonly redacted: <T>(value: T) => Redacted<T>;
  /** Whether the app connects by itself, so that a flow that the server demands opens no browser until the user does. */
  readonly isUnattended: boolean;
  /** Records in the trace that steps have ended. */
  readonly record: (what: string, flow: AuthorizationFlow, steps: readonly AuthorizationStep[]) => void;
  readonly onChange: (flow: Redacted<AuthorizationFlow>) => void;
  /** Marks a row of the trace with a note. */
  readonly markRow: (row: number, note: string) => void;
  /** Header lines of the user for the server. */
  readonly customHeaders: HeaderLines;
  /** The tests of the server have changed. */
  readonly onServerTests: (tests: Redacted<ServerTests>) => void;
}

/** Milliseconds between two events about a flow. */
const NOTICE_EVERY = 50;

/** The flows of one session, and the tokens that its requests carry. */
export class SessionAuthorization {
  readonly #options: SessionAuthorizationOptions;
  /** The tests of the server with right, broken and other tokens. */
  readonly testing: ServerTesting;
  readonly #flows: RunningFlow[] = [];
  readonly #clients = new Map<string, RegisteredClient>();
  readonly #tokens: TokensInUse;
  /** What the last flow with an authorization learned, for a step-up. */
  #lastContext: FlowContext | null = null;
  #running: Promise<FlowEnd> | null = null;
  /** The flow whose token has not been used so far. */
  #unused: Flow | null = null;

  constructor(options: SessionAuthorizationOptions) {
    this.#options = options;
    this.#tokens = new TokensInUse(options);
    const { onServerTests: onChange } = options;
    this.testing = new ServerTesting({
      ...options,
      onChange,
      inUse: this.#tokens,
      demand: () => this.#lastContext?.demand?.headers ?? [],
    });
  }

  get serverId(): string {
    return this.#options.serverId;
  }

  /** The extensions that the settings need, for the capabilities of the client. */
  get extensions(): Readonly<Record<string, object>> {
    return declaredExtensions(this.#options.settings);
  }

  get state(): AuthorizationState {
    return this.#tokens.state;
  }

  get flows(): Redacted<AuthorizationFlow>[] {
    return this.#flows.map(({ flow }) => flow.view);
  }

  /** The flow with this id; null if it does not belong to this session. */
  flow(id: string): Flow | null {
    return this.#flows.find(({ flow }) => flow.id === id)?.flow ?? null;
  }

  /** Loads the clients and the tokens that are stored for this URL of the server. */
  async restore(): Promise<void> {
    const { store, serverId, serverUrl, settings } = this.#options;
    if (settings.mode === 'off') return;
    const stored = (await store.ofServer(serverId)).filter((one) => one.serverUrl === serverUrl.href);
    for (const one of stored) {
      this.#tokens.markSecrets(one.tokens);
      if (one.clientSecret !== null) this.#options.markSecret('client_secret', one.clientSecret);
      this.#clients.set(one.issuer, clientOf(one));
    }
    const newest = stored.findLast(({ tokens }) => tokens !== null);
    if (newest === undefined || newest.tokens === null) return;
    await this.#tokens.useStored(newest, newest.tokens);
  }

  headers(request: DemandingResponse['request']): HeaderLines {
    return this.#tokens.headers(request);
  }

  /** Learns the nonce of a response, and whether the server accepts a new token. */
  noteResponse(response: DemandingResponse): void {
    const { headers, status, row, authorization } = response;
    this.#tokens.readNonce(response);
    const isOfNow = authorization === this.#tokens.authorization;
    if (isOfNow && status !== 403 && !isNonceDemand(response)) this.#tokens.noteDemand(status === 401);
    if (this.#unused === null || authorization === null || !isOfNow) return;
    if (isNonceDemand(response)) return;
    const isRejected = status === 401;
    this.#unused.note({
      name: 'use-token',
      parties: ['client', 'mcp-server'],
      received: { status, headers, row },
      outcome: isRejected
        ? 'The server rejected the new token (HTTP status 401).'
        : acceptanceOutcome(status),
      isFailed: isRejected,
      findings: [
        ...rejectionFindings({ url: response.request.url, status, headers, row }, this.#options.revision()),
        ...acceptanceFindings(
          { status, row },
          this.#tokens.current?.tokens.accessToken ?? '',
          this.#lastContext?.authorizationRequest?.resource ??
            textOf(this.#lastContext?.resourceMetadata, 'resource') ??
            this.#options.serverUrl.href,
        ),
      ],
    });
    this.#unused = null;
  }

  /** Runs a flow if the response demands one; returns whether to send again, or a fault, or null for the usual fault. */
  async authorize(response: DemandingResponse, attempts: number): Promise<'retry' | Fault | null> {
    const { settings } = this.#options;
    if (settings.mode === 'off') return null;
    const { current } = this.#tokens;
    if (isNonceDemand(response) && current?.prover != null) return attempts < MAX_ATTEMPTS ? 'retry' : null;
    // Another request has had a new token since.
    const isOutdated =
      current !== null && this.#running === null && response.authorization !== this.#tokens.authorization;
    if (isOutdated && attempts < MAX_ATTEMPTS) return 'retry';
    if (this.#running !== null) return afterFlow(await this.#running);
    const isStepUp = response.status === 403;
    if (isStepUp && !needsMoreScope(response.headers)) return null;
    if (attempts >= MAX_ATTEMPTS) {
      if (isStepUp) this.#noteLimit(response, attempts);
      return tooOften;
    }
    if (!isStepUp && attempts > 0 && response.authorization !== null) return stillRejected;
    const end = this.#begin(response, isStepUp);
    this.#running = end;
    try {
      return afterFlow(await end);
    } finally {
      this.#running = null;
    }
  }

  /** Shows in the last flow that its token was not enough either. */
  #noteLimit(response: DemandingResponse, authorizations: number): void {
    const last = this.#lastContext;
    if (last === null) return;
    const revision = this.#options.revision();
    this.#flows.at(-1)?.flow.note(limitStep(response, { last, revision, authorizations }));
  }

  /** Begins a flow that the user wants, whatever the server answered last. */
  beginManually(
    mode: AuthorizationFlow['mode'],
    overrides: { readonly revision: string | null; readonly settings: SettingsOverrides },
    demand: FlowContext['demand'],
  ): Flow {
    return this.#startManually({ ...emptyContext, demand }, { mode, ...overrides, asksServer: true });
  }

  /** Begins a flow whose token only the tests of the server use. @param value the other resource, or the scopes */
  beginForTests(
    { kind, value }: { readonly kind: Exclude<TestTokenKind, 'expired'>; readonly value: string | null },
    { revision, settings }: { readonly revision: string | null; readonly settings: SettingsOverrides },
  ): Flow {
    const number = this.#flows.length + 1;
    return this.#startManually(emptyContext, {
      mode: 'automatic',
      revision,
      settings: { ...settings, ...settingsForTests(kind, value, { ...this.#options.settings, ...settings }) },
      forTests: {
        keep: (tokens, issuer) => this.testing.keepTokens(kind, tokens, { issuer, flow: number }),
        resource: kind === 'other-audience' ? value : null,
      },
    });
  }

  /** Begins a flow of its own about stored credentials. */
  beginAbout(credentials: Credentials, what: CredentialsAction): Flow {
    const plan = planFor(credentials, what, this.#results);
    this.#tokens.markSecrets(credentials.tokens);
    return this.#startManually(contextOf(credentials, emptyContext), { mode: this.#mode, plan });
  }

  /** Uses what is stored from now on: the user has changed it. */
  async reload(): Promise<void> {
    this.#tokens.clear();
    await this.restore();
    this.#tokens.reportState();
  }

  #startManually(context: FlowContext, how: StartOptions): Flow {
    const running = this.#start(context, how);
    const end = running.flow.ended.then((ended) => this.#afterwards(running, ended));
    this.#running = end;
    void end.finally(() => {
      if (this.#running === end) this.#running = null;
    });
    return running.flow;
  }

  async close(): Promise<void> {
    await this.testing.close();
    this.#tokens.close();
    for (const { flow, release } of this.#flows) {
      flow.cancel();
      await release();
    }
  }

  async #begin(response: DemandingResponse, isStepUp: boolean): Promise<FlowEnd> {
    const demand = { status: response.status, headers: response.headers, row: response.row };
    const refreshed = isStepUp ? null : await this.#refresh(response, demand);
    if (refreshed !== null) return refreshed;
    const stepUp = isStepUp ? await this.#stepUpContext(demand) : null;
    const context: FlowContext = stepUp ?? { ...emptyContext, demand };
    const first = stepUp === null ? undefined : stepUpStep(stepUp);
    const running = this.#start(context, {
      mode: this.#mode,
      opensBrowser: !this.#options.isUnattended,
      ...(first !== undefined && { first }),
    });
    return this.#afterwards(running, await running.flow.ended);
  }

  /** What a step-up begins with; null without tokens. */
  async #stepUpContext(demand: Demand): Promise<FlowContext | null> {
    if (this.#lastContext !== null) return contextAfter(this.#lastContext, demand);
    const { current } = this.#tokens;
    const stored = current === null ? null : await this.#options.store.get(current.credentialsId);
    return stored === null ? null : contextAfterRestart(stored, demand);
  }

  /** New tokens for the refresh token; null if there is none, or it was not accepted. */
  async #refresh(response: DemandingResponse, demand: Demand): Promise<FlowEnd | null> {
    const { refreshable } = this.#tokens;
    if (refreshable === null || response.authorization !== this.#tokens.authorization) return null;
    const { tokens, credentialsId } = refreshable;
    const stored = await this.#options.store.get(credentialsId);
    if (stored === null) return null;
    const known = contextOf(stored, emptyContext);
    const last = this.#lastContext;
    // The last flow may have been at another issuer, which must not get this refresh token.
    const isSame = last?.issuer === stored.issuer && last.client?.clientId === stored.clientId;
    const context = { ...(isSame ? last : known), demand, tokens: null };
    const plan = planRefresh(credentialsId, tokens, this.#results);
    const running = this.#start(context, { mode: this.#mode, plan });
    const end = await this.#afterwards(running, await running.flow.ended);
    // A refresh token that the server no longer accepts: a new authorization is needed.
    return end.state === 'failed' && !end.fault.code.startsWith('http-') ? null : end;
  }

  /** Where flows about stored credentials put their results. */
  get #results(): PlanResults {
    return { store: this.#options.store, inUse: this.#tokens };
  }

  get #mode(): AuthorizationFlow['mode'] {
    return this.#options.settings.mode === 'stepped' ? 'stepped' : 'automatic';
  }

  async #afterwards(
    { flow, release, isAboutStored, isForTests }: RunningFlow,
    end: FlowEnd,
  ): Promise<FlowEnd> {
    await release();
    if (end.state === 'done' && !isForTests) {
      // A flow about stored credentials knows only some of the metadata.
      if (!isAboutStored) this.#lastContext = end.context;
      this.#unused = end.context.isTokenUsed ? null : flow;
    }
    return end;
  }

  #start(context: FlowContext, how: StartOptions): RunningFlow {
    const options = this.#options;
    const { environment, release } = environmentOf(options, how, {
      clients: this.#clients,
      tokens: this.#tokens,
    });
    const recorded: Recorded = { steps: new Map(), state: null };
    const notice = new Throttle(NOTICE_EVERY, () => options.onChange(flow.view));
    const { plan } = how;
    const flow: Flow = new Flow({
      id: randomUUID(),
      sessionId: options.sessionId,
      number: this.#flows.length + 1,
      mode: how.mode,
      environment,
      context,
      ...(how.first !== undefined && { first: how.first }),
      ...(plan !== undefined && { plan: (now: FlowContext) => plan(now, environment) }),
      redacted: options.redacted,
      onChange: () => {
        notice.request();
        this.#record(flow, recorded);
        // A flow without a session has asked the server itself.
        if (this.#tokens.current === null && flow.path[0]?.response?.status === 401)
          this.#tokens.noteDemand(true);
        if (flow.isOver) void release();
      },
    });
    const running: RunningFlow = {
      flow,
      release,
      isAboutStored: plan !== undefined,
      isForTests: how.forTests !== undefined,
    };
    this.#flows.push(running);
    void flow.begin();
    return running;
  }

  /** Records the steps that have ended since the last time, and the end of the flow. */
  #record(flow: Flow, recorded: Recorded): void {
    const { view } = flow;
    const ended = view.steps.filter((step) => {
      const before = recorded.steps.get(step.id);
      return (
        isEnded(step) &&
        (before?.state !== step.state ||
          before.outcome !== step.outcome ||
          before.row !== step.row ||
          before.isWrongAccepted !== step.isWrongAccepted)
      );
    });
    const isOver = flow.isOver && recorded.state !== view.state;
    if (ended.length === 0 && !isOver) return;
    for (const step of ended) recorded.steps.set(step.id, step);
    recorded.state = view.state;
    const last = ended.at(-1);
    const what = last === undefined ? `flow ${view.number}: ${view.state}` : `${last.name}: ${last.outcome}`;
    this.#options.record(what, view, ended);
  }
}

/** What the trace has of a flow. */
interface Recorded {
  readonly steps: Map<number, AuthorizationStep>;
  state: AuthorizationFlow['state'] | null;
}

interface StartOptions extends FlowChoices {
  readonly mode: AuthorizationFlow['mode'];
  readonly first?: PlannedStep;
  readonly plan?: StoredCredentialsPlan;
}

interface RunningFlow {
  readonly flow: Flow;
  /** Closes what listens for the flow. */
  readonly release: () => Promise<void>;
  /** Whether it only refreshes, revokes or introspects. */
  readonly isAboutStored: boolean;
  /** Whether only the tests of the server use its tokens. */
  readonly isForTests: boolean;
}

function afterFlow(end: FlowEnd): 'retry' | Fault | null {
  switch (end.state) {
    case 'done':
      return 'retry';
    case 'failed':
      // A server may demand a header of its own: then the fault of its response says more.
      return end.fault.code === 'no-authorization-metadata' ? null : end.fault;
    case 'cancelled':
      return { code: 'authorization-cancelled', what: 'The authorization was cancelled.' };
  }
}

/** @throws FaultError */
export function noSuchFlow(): never {
  throw new FaultError({ code: 'no-such-flow', what: 'There is no such authorization flow.' });
}
