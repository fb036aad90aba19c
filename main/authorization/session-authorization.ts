import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { TestTokenKind } from '#shared/contract/server-tests.ts';
import type { AuthorizationState } from '#shared/contract/sessions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { Credentials } from './credentials.ts';
import {
  demandedScopes,
  forbidden,
  isAskedAgain,
  needOf,
  refusedBefore,
  scopeRefused,
} from './demanded-scope.ts';
import { acceptanceFindings, acceptanceOutcome, rejectionFindings } from './demand-findings.ts';
import type { Flow } from './flow.ts';
import { forgetClient, type SettingsOverrides } from './flow-environment.ts';
import {
  type Demand,
  emptyContext,
  type FlowContext,
  type FlowEnd,
  type RegisteredClient,
} from './flow-types.ts';
import { declaredExtensions } from './grants.ts';
import { textOf } from './metadata.ts';
import { NO_METADATA } from './no-metadata.ts';
import { settingsForTests } from './resource-server/settings-for-tests.ts';
import { ServerTesting } from './resource-server/server-tests.ts';
import { stillRejected } from './server-request.ts';
import {
  type RunningFlow,
  type SessionAuthorizationOptions,
  SessionFlows,
  type StartOptions,
} from './session-flows.ts';
import {
  contextAfter,
  contextAfterRestart,
  limitStep,
  MAX_ATTEMPTS,
  stepUpStep,
  tooOften,
  unusedClient,
} from './step-up.ts';
import {
  clientOf,
  contextOf,
  type CredentialsAction,
  planFor,
  type PlanResults,
  planRefresh,
} from './stored-credentials-plan.ts';
import { type DemandingResponse, isNonceDemand, scopesOf, TokensInUse } from './tokens-in-use.ts';

/** The flows of one session, and the tokens that its requests carry. */
export class SessionAuthorization {
  readonly #options: SessionAuthorizationOptions;
  /** The tests of the server with right, broken and other tokens. */
  readonly testing: ServerTesting;
  readonly #flows: SessionFlows;
  readonly #clients = new Map<string, RegisteredClient>();
  readonly #tokens: TokensInUse;
  /** What the last flow with an authorization learned, for a step-up. */
  #lastContext: FlowContext | null = null;
  #running: Promise<FlowEnd> | null = null;
  /** The flow whose token has not been used so far. */
  #unused: Flow | null = null;
  /** Whether the token in use came of a refresh, which a new authorization may mend. */
  #isRefreshed = false;
  /** What the authorization server said when it refused scopes, by the scopes. */
  readonly #rejections = new Map<string, Fault>();
  /** Whether the requests that wait for the flow are still wanted. */
  readonly #waiting = new Set<() => boolean>();
  #isClosed = false;

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
    this.#flows = new SessionFlows(options, { clients: this.#clients, tokens: this.#tokens });
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
    return this.#flows.views;
  }

  /** The flow with this id; null if it does not belong to this session. */
  flow(id: string): Flow | null {
    return this.#flows.find(id);
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
    const rejection = this.#isRefreshed
      ? 'The server rejected the refreshed token (HTTP status 401). A new authorization follows.'
      : 'The server rejected the new token (HTTP status 401).';
    this.#unused.note({
      name: 'use-token',
      parties: ['client', 'mcp-server'],
      received: { status, headers, row },
      outcome: isRejected ? rejection : acceptanceOutcome(status),
      isFailed: isRejected,
      findings: [
        ...rejectionFindings(
          { url: response.request.url, status, headers, row },
          this.#options.revision(),
          this.#isRefreshed,
        ),
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

  /**
   * Runs a flow if the response demands one; returns whether to send again, or a fault, or null for the usual fault.
   *
   * @param attempts how many flows the request has waited for
   * @param isWanted whether the request was not cancelled meanwhile
   */
  async authorize(
    response: DemandingResponse,
    attempts: number,
    isWanted = () => true,
  ): Promise<'retry' | Fault | null> {
    this.#waiting.add(isWanted);
    try {
      const decision = await this.#decide(response, attempts);
      // The words of the server may repeat a token.
      return decision === null || decision === 'retry' ? decision : this.#options.redacted(decision);
    } finally {
      this.#waiting.delete(isWanted);
    }
  }

  async #decide(response: DemandingResponse, attempts: number): Promise<'retry' | Fault | null> {
    const { settings } = this.#options;
    if (settings.mode === 'off') return null;
    const { current } = this.#tokens;
    if (isNonceDemand(response) && current?.prover != null) return attempts < MAX_ATTEMPTS ? 'retry' : null;
    // Another request has had a new token since.
    const isOutdated =
      current !== null && this.#running === null && response.authorization !== this.#tokens.authorization;
    if (isOutdated && attempts < MAX_ATTEMPTS) return 'retry';
    if (this.#running !== null) return this.#afterFlow(await this.#running);
    const last = this.#lastContext;
    const need = needOf(response, {
      asked: last === null ? [] : scopesOf(last),
      attempts,
      canRefresh: this.#tokens.refreshable !== null,
      areScopesSet: settings.scopes !== null,
    });
    if (need === null) return current === null ? null : forbidden(response);
    if (attempts >= MAX_ATTEMPTS) {
      if (need === 'scope') this.#noteLimit(response, attempts);
      return tooOften(response);
    }
    if (need === 'scope') {
      const rejection = this.#rejections.get(scopeKey(response));
      if (rejection !== undefined) return refusedBefore(rejection, response);
      if (last !== null && isAskedAgain(last, response.headers)) {
        this.#noteLimit(response, Math.max(1, attempts));
        return scopeRefused(last, response);
      }
    } else if (attempts > 0 && response.authorization !== null && !this.#isRefreshed)
      return stillRejected(response.headers, null);
    const end = this.#begin(response, need, attempts);
    this.#running = end;
    try {
      return this.#afterFlow(await end);
    } finally {
      this.#running = null;
    }
  }

  /** Shows in the last flow that its token was not enough either. */
  #noteLimit(response: DemandingResponse, authorizations: number): void {
    const last = this.#lastContext;
    if (last === null) return;
    const revision = this.#options.revision();
    this.#flows.last?.note(limitStep(response, { last, revision, authorizations }));
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
    const number = this.#flows.count + 1;
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
    // A client that the user forgot is registered again.
    this.#clients.clear();
    await this.restore();
    this.#tokens.reportState();
  }

  #startManually(context: FlowContext, how: StartOptions): Flow {
    const running = this.#flows.start(context, how);
    const end = running.flow.ended.then((ended) => this.#afterwards(running, ended));
    this.#running = end;
    void end.finally(() => {
      if (this.#running === end) this.#running = null;
    });
    return running.flow;
  }

  async close(): Promise<void> {
    await this.testing.close();
    this.#isClosed = true;
    this.#tokens.close();
    await this.#flows.close();
  }

  async #begin(response: DemandingResponse, need: 'token' | 'scope', attempts: number): Promise<FlowEnd> {
    const demand = { status: response.status, headers: response.headers, row: response.row };
    // A token that was refreshed for this request and rejected is not refreshed again.
    const refreshed = need === 'scope' || attempts > 0 ? null : await this.#refresh(response, demand);
    if (refreshed !== null && refreshed.state !== 'failed') return refreshed;
    if (this.#isClosed || [...this.#waiting].every((isWanted) => !isWanted())) return { state: 'cancelled' };
    const stepUp = need === 'scope' ? await this.#stepUpContext(demand) : null;
    const context = stepUp ?? { ...emptyContext, demand, scopesBefore: this.#scopesFor(demand) };
    const first = stepUp === null ? undefined : stepUpStep(stepUp);
    const running = this.#flows.start(context, {
      mode: this.#mode,
      opensBrowser: !this.#options.isUnattended,
      ...(first !== undefined && { first }),
    });
    const end = await this.#afterwards(running, await running.flow.ended);
    if (end.state === 'failed' && stepUp !== null && refusesScope(end.fault))
      this.#rejections.set(scopeKey(response), end.fault);
    if (end.state === 'failed' && refreshed !== null)
      return { ...end, fault: withRefreshFault(end.fault, refreshed.fault) };
    return end;
  }

  /** The scopes that an authorization after a 401 asks for beside those of its challenge: those that were asked for before. */
  #scopesFor({ headers }: Demand): readonly string[] {
    const last = this.#lastContext;
    const isForUs = this.#options.settings.scopes === null && demandedScopes(headers).length > 0;
    return isForUs && last !== null ? scopesOf(last) : [];
  }

  /** What a step-up begins with; null without tokens. */
  async #stepUpContext(demand: Demand): Promise<FlowContext | null> {
    if (this.#lastContext !== null) return contextAfter(this.#lastContext, demand);
    const { current } = this.#tokens;
    const stored = current === null ? null : await this.#options.store.get(current.credentialsId);
    return stored === null ? null : contextAfterRestart(stored, demand);
  }

  /** New tokens for the refresh token; null if there is none. Any failure leads to a new authorization. */
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
    const context = { ...(isSame ? last : known), ...unusedClient, demand, tokens: null };
    const plan = planRefresh(credentialsId, tokens, this.#results);
    const running = this.#flows.start(context, { mode: this.#mode, plan });
    const end = await this.#afterwards(running, await running.flow.ended);
    if (end.state === 'failed' && end.context.isClientLost)
      await forgetClient(this.#options, this.#clients, end.context.client);
    return end;
  }

  /** What the session does after a flow. */
  #afterFlow(end: FlowEnd): 'retry' | Fault | null {
    switch (end.state) {
      case 'done':
        return 'retry';
      case 'failed': {
        // A server may demand a header of its own: then the fault of its response says more.
        const isOther = end.fault.code === NO_METADATA && this.#clients.size === 0;
        return isOther ? null : end.fault;
      }
      case 'cancelled':
        return { code: 'authorization-cancelled', what: 'The authorization was cancelled.' };
    }
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
      if (end.context.tokens !== null) this.#isRefreshed = isAboutStored;
      if (!isAboutStored) this.#rejections.clear();
      // A flow about stored credentials knows only some of the metadata.
      if (!isAboutStored) this.#lastContext = end.context;
      this.#unused = end.context.isTokenUsed ? null : flow;
    }
    return end;
  }
}

/** What a response demands, to recognize it when it comes again. */
const scopeKey = ({ headers }: DemandingResponse): string => [...demandedScopes(headers)].sort().join(' ');

/** Whether the authorization server refused what was asked for, and not the user by closing the browser. */
const refusesScope = ({ code }: Fault): boolean => code === 'authorization-error' || code === 'token-error';

/** The fault of an authorization that could not be had here, after a refresh that failed. */
const withRefreshFault = (fault: Fault, refresh: Fault): Fault =>
  fault.code !== 'authorization-needs-browser'
    ? fault
    : {
        ...fault,
        why: `The token was rejected, and could not be refreshed: ${refresh.what}`,
        ...(refresh.quote !== undefined && { quote: refresh.quote }),
      };

/** @throws FaultError */
export function noSuchFlow(): never {
  throw new FaultError({ code: 'no-such-flow', what: 'There is no such authorization flow.' });
}
