import { randomUUID } from 'node:crypto';
import type {
  AuthorizationFlow,
  AuthorizationSettings,
  AuthorizationStep,
  TokenSignature,
} from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { AuthorizationState } from '#shared/contract/sessions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { MAX_TIMER, Throttle } from '#transports/async.ts';
import { CallbackListener } from './callback-listener.ts';
import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import type { Credentials, CredentialStore } from './credentials.ts';
import { acceptanceFindings, limitFindings, rejectionFindings } from './demand-findings.ts';
import { authorizationHeaders, demandsNonce, type DpopProver, type DpopProvers } from './dpop.ts';
import type { SendRequest } from './exchange.ts';
import { Flow } from './flow.ts';
import { isEnded } from './flow-steps.ts';
import {
  type AuthorizationSecrets,
  type Conclusion,
  emptyContext,
  type FlowContext,
  type FlowEnd,
  type FlowEnvironment,
  type PlannedStep,
  type RegisteredClient,
} from './flow-types.ts';
import { declaredExtensions } from './grants.ts';
import { TestIdentityProvider } from './identity-provider/test-identity-provider.ts';
import { signatureWithoutKeys } from './jwt.ts';
import { listOf, textOf } from './metadata.ts';
import { rulesOf } from './revision-rules.ts';
import { stillRejected } from './server-request.ts';
import { planToken } from './token-request.ts';
import { contextOf, planIntrospection, planRevocation } from './token-status.ts';
import { planVerification } from './signature.ts';
import { isExpiring, KEYS_NOT_REQUESTED, type TokenSet } from './tokens.ts';

/** A response of the MCP server, with what its request was authorized by. */
export interface DemandingResponse {
  readonly request: { readonly method: string; readonly url: URL };
  /** `Authorization` of the request; null without one. */
  readonly authorization: string | null;
  readonly status: number;
  readonly headers: HeaderLines;
  readonly row: number | null;
}

export interface SessionAuthorizationOptions {
  readonly sessionId: string;
  readonly serverId: string;
  readonly serverUrl: URL;
  /** The settings, with the values of their secrets. */
  readonly settings: AuthorizationSettings;
  /** The negotiated or chosen revision; null if neither is known. */
  readonly revision: () => string | null;
  readonly clientName: string;
  readonly userAgent: string;
  readonly store: CredentialStore;
  readonly provers: DpopProvers;
  readonly send: SendRequest;
  readonly markSecret: (kind: string, value: string) => void;
  readonly redacted: <T>(value: T) => Redacted<T>;
  /** Records in the trace that steps have ended. */
  readonly record: (what: string, flow: AuthorizationFlow, steps: readonly AuthorizationStep[]) => void;
  /** `state` has changed. */
  readonly onState: () => void;
  readonly onChange: (flow: Redacted<AuthorizationFlow>) => void;
  readonly openBrowser: ((url: string) => Promise<void>) | null;
  readonly isWatched: boolean;
}

/** Limit of authorizations for one request (MCP 2025-11-25 authorization, step-up). */
const MAX_ATTEMPTS = 3;

/** Milliseconds that an automatic flow waits for its browser: an error page of the authorization server sends nobody back. */
const BROWSER_LIMIT = 10 * 60_000;

/** Milliseconds between two events about a flow. */
const NOTICE_EVERY = 50;

/** What can be done with stored credentials, in a flow of its own. */
export type CredentialsAction = 'refresh' | 'revoke' | 'introspect' | 'verify';

/** What authorizes requests now. */
interface InUse {
  readonly tokens: TokenSet;
  readonly prover: DpopProver | null;
  readonly credentialsId: string;
  /** The issuer that the tokens are of. */
  readonly issuer: string;
}

/** The flows of one session, and the tokens that its requests carry. */
export class SessionAuthorization {
  readonly #options: SessionAuthorizationOptions;
  readonly #flows: RunningFlow[] = [];
  readonly #clients = new Map<string, RegisteredClient>();
  #inUse: InUse | null = null;
  /** Tokens that must be refreshed before they are used. */
  #expired: InUse | null = null;
  /** What the last flow with an authorization learned, for a step-up. */
  #lastContext: FlowContext | null = null;
  #running: Promise<FlowEnd> | null = null;
  /** The flow whose token has not been used so far. */
  #unused: Flow | null = null;
  /** The server has answered with 401 since the last token. */
  #isDemanded = false;
  /** Reports that the token in use has expired. */
  #expiry: NodeJS.Timeout | undefined;

  constructor(options: SessionAuthorizationOptions) {
    this.#options = options;
  }

  get serverId(): string {
    return this.#options.serverId;
  }

  /** The extensions that the settings need, for the capabilities of the client. */
  get extensions(): Readonly<Record<string, object>> {
    return declaredExtensions(this.#options.settings);
  }

  get state(): AuthorizationState {
    if (this.#inUse === null)
      return this.#expired !== null ? 'expired' : this.#isDemanded ? 'required' : 'none';
    const { expiresAt } = this.#inUse.tokens;
    if (expiresAt !== null && expiresAt <= Date.now()) return 'expired';
    return this.#isDemanded ? 'required' : 'authorized';
  }

  #stateChanged(): void {
    clearTimeout(this.#expiry);
    const expiresAt = this.#inUse?.tokens.expiresAt ?? null;
    const left = expiresAt === null ? 0 : expiresAt - Date.now();
    if (left > 0)
      this.#expiry = setTimeout(() => this.#stateChanged(), Math.min(left + 1, MAX_TIMER)).unref();
    this.#options.onState();
  }

  #noteDemand(isDemanded: boolean): void {
    if (this.#isDemanded === isDemanded) return;
    this.#isDemanded = isDemanded;
    this.#options.onState();
  }

  get flows(): Redacted<AuthorizationFlow>[] {
    return this.#flows.map(({ flow }) => flow.view);
  }

  /** The flow with this id; null if it does not belong to this session. */
  flow(id: string): Flow | null {
    return this.#flows.find(({ flow }) => flow.id === id)?.flow ?? null;
  }

  /** Loads the tokens that are stored for this URL of the server. */
  async restore(): Promise<void> {
    const { store, serverId, serverUrl, settings } = this.#options;
    if (settings.mode === 'off') return;
    const stored = (await store.ofServer(serverId)).filter((one) => one.serverUrl === serverUrl.href);
    for (const one of stored) {
      this.#markAll(one.tokens);
      if (one.clientSecret !== null) this.#options.markSecret('client_secret', one.clientSecret);
      this.#clients.set(one.issuer, {
        issuer: one.issuer,
        kind: one.registration,
        clientId: one.clientId,
        clientSecret: one.clientSecret,
        authMethod: one.authMethod,
        redirectUri: one.redirectUri,
      });
    }
    const newest = stored.findLast(({ tokens }) => tokens !== null);
    if (newest === undefined || newest.tokens === null) return;
    await this.#useStored(newest, newest.tokens);
  }

  async #useStored({ id, issuer, dpopThumbprint }: Credentials, tokens: TokenSet): Promise<void> {
    const { serverId, provers } = this.#options;
    const prover = dpopThumbprint === null ? null : await provers.proverFor(serverId, issuer);
    // The key was lost with the last run, and the tokens with it.
    if (prover !== null && prover.thumbprint !== dpopThumbprint) return;
    this.#markAll(tokens);
    const usable = { tokens, prover, credentialsId: id, issuer };
    const isUnusable = isExpiring(tokens, Date.now());
    this.#inUse = isUnusable ? null : usable;
    this.#expired = isUnusable ? usable : null;
    this.#stateChanged();
  }

  headers(request: { readonly method: string; readonly url: URL }): HeaderLines {
    if (this.#inUse === null || this.#options.settings.mode === 'off') return [];
    const { tokens, prover } = this.#inUse;
    const lines = authorizationHeaders(tokens, request, prover);
    for (const [name, value] of lines) if (name === 'DPoP') this.#options.markSecret('header:DPoP', value);
    return lines;
  }

  /** Learns the nonce of a response, and whether the server accepts a new token. */
  noteResponse(response: DemandingResponse): void {
    const { headers, status, row, authorization } = response;
    this.#inUse?.prover?.readNonce({ ...nonceOf(response), headers });
    const isOfNow = authorization === this.#authorizationNow();
    if (isOfNow && status !== 403 && !isNonceDemand(response)) this.#noteDemand(status === 401);
    if (this.#unused === null || authorization === null || !isOfNow) return;
    if (isNonceDemand(response)) return;
    const isRejected = status === 401;
    this.#unused.note({
      name: 'use-token',
      parties: ['client', 'mcp-server'],
      received: { status, headers, row },
      outcome: isRejected
        ? 'The server rejected the new token (HTTP status 401).'
        : `The server answered with HTTP status ${status}.`,
      isFailed: isRejected,
      findings: [
        ...rejectionFindings({ url: response.request.url, status, headers, row }, this.#options.revision()),
        ...acceptanceFindings(
          { status, row },
          this.#inUse?.tokens.accessToken ?? '',
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
    if (isNonceDemand(response) && this.#inUse?.prover != null) {
      return attempts < MAX_ATTEMPTS ? 'retry' : null;
    }
    // Another request has had a new token since.
    const isOutdated =
      this.#inUse !== null && this.#running === null && response.authorization !== this.#authorizationNow();
    if (isOutdated && attempts < MAX_ATTEMPTS) return 'retry';
    if (this.#running !== null) return afterFlow(await this.#running);
    const isStepUp = response.status === 403;
    if (isStepUp && !needsMoreScope(response)) return null;
    if (attempts >= MAX_ATTEMPTS) {
      this.#noteLimit(response, attempts);
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
  #noteLimit({ request, status, headers, row }: DemandingResponse, authorizations: number): void {
    const last = this.#lastContext;
    if (status !== 403 || last === null) return;
    const context = { revision: this.#options.revision(), authorizations, scope: scopesOf(last).join(' ') };
    this.#flows.at(-1)?.flow.note({
      name: 'use-token',
      parties: ['client', 'mcp-server'],
      received: { status, headers, row },
      outcome: `The server still refuses the request after ${authorizations} authorizations.`,
      isFailed: true,
      findings: [...limitFindings({ url: request.url, status, headers, row }, context)],
    });
  }

  /** Begins a flow that the user wants, whatever the server answered last. */
  beginManually(
    mode: AuthorizationFlow['mode'],
    overrides: { readonly revision: string | null; readonly settings: SettingsOverrides },
    demand: FlowContext['demand'],
  ): Flow {
    return this.#startManually({ ...emptyContext, demand }, { mode, ...overrides, asksServer: true });
  }

  /** Begins a flow of its own about stored credentials. */
  beginAbout(credentials: Credentials, what: CredentialsAction): Flow {
    const { settings, store } = this.#options;
    const context = contextOf(credentials, emptyContext);
    const mode = settings.mode === 'stepped' ? 'stepped' : 'automatic';
    const { id, tokens } = credentials;
    const keepSignature = (signed: string, signature: TokenSignature) =>
      store.saveSignature(id, signed, signature);
    const plan = async (now: FlowContext, env: FlowEnvironment): Promise<PlannedStep | null> => {
      if (now.tokens !== null) return null;
      switch (what) {
        case 'refresh':
          if (tokens?.refreshToken == null) throw new FaultError(nothingToRefresh);
          return this.#inTurn(await planToken(env, now, tokens), id, tokens, now);
        case 'revoke':
          if (tokens === null) throw new FaultError(nothingToRevoke);
          return planRevocation(env, now, credentials, async (kind) => {
            await store.revoked(id, kind, Date.now());
            if (this.#inUse?.credentialsId === id) this.#inUse = null;
            this.#stateChanged();
          });
        case 'introspect':
          return now.isTokenUsed
            ? null
            : planIntrospection(env, now, {
                credentials,
                token: tokens?.accessToken ?? '',
                kind: 'access_token',
              });
        case 'verify':
          if (tokens === null) throw new FaultError(nothingToVerify);
          return now.isSignatureChecked ? null : planVerification({ ...env, keepSignature }, now, tokens);
      }
    };
    this.#markAll(tokens);
    return this.#startManually(context, { mode, plan });
  }

  /** Uses what is stored from now on: the user has changed it. */
  async reload(): Promise<void> {
    this.#inUse = null;
    this.#expired = null;
    await this.restore();
    this.#stateChanged();
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
    clearTimeout(this.#expiry);
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
    const { settings } = this.#options;
    const mode = settings.mode === 'stepped' ? 'stepped' : 'automatic';
    const first = stepUp === null ? undefined : stepUpStep(stepUp);
    const running = this.#start(context, { mode, ...(first !== undefined && { first }) });
    return this.#afterwards(running, await running.flow.ended);
  }

  /** What an authorization with more scopes begins with; without a flow in this session, only the scopes. Null without tokens. */
  async #stepUpContext(demand: FlowContext['demand']): Promise<FlowContext | null> {
    const last = this.#lastContext;
    if (last !== null) {
      // An assertion of the identity provider names the scopes, too, so a new one is needed.
      const before = { ...last, tokens: null, authorizationRequest: null, code: null, assertion: null };
      return { ...before, demand, scopesBefore: scopesOf(last) };
    }
    const stored = this.#inUse === null ? null : await this.#options.store.get(this.#inUse.credentialsId);
    if (stored === null) return null;
    return { ...emptyContext, demand, scopesBefore: contextOf(stored, emptyContext).scopesBefore };
  }

  /** New tokens for the refresh token; null if there is none, or it was not accepted. */
  async #refresh(response: DemandingResponse, demand: FlowContext['demand']): Promise<FlowEnd | null> {
    const inUse = this.#inUse ?? this.#expired;
    if (inUse === null || inUse.tokens.refreshToken === null) return null;
    if (response.authorization !== this.#authorizationNow()) return null;
    const { settings, store } = this.#options;
    const stored = await store.get(inUse.credentialsId);
    if (stored === null) return null;
    const context = { ...(this.#lastContext ?? contextOf(stored, emptyContext)), demand, tokens: null };
    const mode = settings.mode === 'stepped' ? 'stepped' : 'automatic';
    const running = this.#start(context, {
      mode,
      plan: async (now, env) =>
        now.tokens === null
          ? this.#inTurn(await planToken(env, now, inUse.tokens), inUse.credentialsId, inUse.tokens, now)
          : null,
    });
    const end = await this.#afterwards(running, await running.flow.ended);
    // A refresh token that the server no longer accepts: a new authorization is needed.
    return end.state === 'failed' && !end.fault.code.startsWith('http-') ? null : end;
  }

  /**
   * The refresh, sent by one session at a time: a rotated refresh token that is sent twice ends the whole authorization (RFC 9700
   * section 4.14). If another session was first, its tokens are used and nothing is sent.
   */
  #inTurn(step: PlannedStep, id: string, used: TokenSet, context: FlowContext): PlannedStep {
    const { act } = step;
    if (act.kind !== 'exchange') return step;
    const { store } = this.#options;
    const inTurn = async (send: () => Promise<Conclusion>, isDeliberate: boolean): Promise<Conclusion> => {
      for (;;) {
        let own: Conclusion | null = null;
        // A request that the user sends tests the server, such as whether it accepts an old refresh token.
        const expected = isDeliberate ? (await store.get(id))?.tokens?.accessToken : used.accessToken;
        const refreshed = await store
          .refresh(id, expected ?? used.accessToken, async () => {
            own = await send();
            if (own.fault != null) throw new FaultError(own.fault);
            return null;
          })
          .catch((error: unknown) => {
            if (own === null) throw error;
            return null;
          });
        if (own !== null) return own;
        const tokens = refreshed?.tokens ?? null;
        if (refreshed === null || tokens === null) throw new FaultError(nothingToRefresh);
        // The server has demanded a nonce of the other session, which is about to send it.
        if (tokens.accessToken === used.accessToken) continue;
        await this.#useStored(refreshed, tokens);
        return {
          context: { ...context, tokens },
          outcome: 'Another session has refreshed the tokens. They are used here, and nothing was sent.',
        };
      }
    };
    return { ...step, act: { ...act, inTurn } };
  }

  async #afterwards({ flow, release, isAboutStored }: RunningFlow, end: FlowEnd): Promise<FlowEnd> {
    await release();
    if (end.state === 'done') {
      // A flow about stored credentials knows only some of the metadata.
      if (!isAboutStored) this.#lastContext = end.context;
      this.#unused = end.context.isTokenUsed ? null : flow;
    }
    return end;
  }

  #start(context: FlowContext, how: StartOptions): RunningFlow {
    const options = this.#options;
    const settings = mergedSettings(options.settings, how.settings ?? {});
    const secrets = secretsOf(settings);
    for (const [kind, value] of Object.entries(secrets)) if (value !== null) options.markSecret(kind, value);
    const revision = how.revision ?? options.revision();
    let listening: Promise<CallbackListener> | null = null;
    const listener = (): Promise<CallbackListener> => {
      listening ??= CallbackListener.open(settings.redirect, this.#registeredPorts());
      return listening;
    };
    const { testIdentityProvider } = settings;
    const provider = testIdentityProvider === null ? null : new TestIdentityProvider(testIdentityProvider);
    const release = async (): Promise<void> => {
      const opened = listening;
      listening = null;
      await (await opened?.catch(() => null))?.close();
      await provider?.close();
    };
    const environment: FlowEnvironment = {
      serverId: options.serverId,
      serverUrl: options.serverUrl,
      rules: rulesOf(revision),
      isRevisionKnown: revision !== null,
      settings,
      secrets,
      clientName: options.clientName,
      userAgent: options.userAgent,
      send: options.send,
      markSecret: options.markSecret,
      redirectUri: async () => {
        const opened = await listener();
        opened.reset();
        return opened.redirectUri;
      },
      nextCallback: async (signal) => {
        const opened = await listener();
        return opened.next(signal);
      },
      openBrowser: options.openBrowser,
      browserLimit: BROWSER_LIMIT,
      isWatched: options.isWatched,
      asksServer: how.asksServer ?? false,
      knownClient: (issuer) => this.#clients.get(issuer) ?? null,
      keepClient: (client) => void this.#clients.set(client.issuer, client),
      keepTokens: (tokens, after, row) => this.#keepTokens(tokens, after, row),
      keepSignature: async (token, signature) => {
        const id = this.#inUse?.credentialsId;
        if (id !== undefined) await options.store.saveSignature(id, token, signature);
      },
      testProvider: () => {
        if (provider === null) throw new Error('the settings choose it before it is opened');
        return provider.open();
      },
      prover: (issuer) => options.provers.proverFor(options.serverId, issuer),
    };
    const recorded = new Map<number, AuthorizationStep>();
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
        if (this.#inUse === null && flow.path[0]?.response?.status === 401) this.#noteDemand(true);
        if (flow.isOver) void release();
      },
    });
    const running: RunningFlow = { flow, release, isAboutStored: plan !== undefined };
    this.#flows.push(running);
    void flow.begin();
    return running;
  }

  /** The ports of the redirect URIs that are registered: many servers take only the same one again. */
  #registeredPorts(): number[] {
    return [...this.#clients.values()].flatMap(({ redirectUri }) =>
      redirectUri === null ? [] : [Number(new URL(redirectUri).port)],
    );
  }

  /** Records the steps that have ended since the last time. */
  #record(flow: Flow, recorded: Map<number, AuthorizationStep>): void {
    const { view } = flow;
    const ended = view.steps.filter((step) => {
      const before = recorded.get(step.id);
      return (
        isEnded(step) &&
        (before?.state !== step.state || before.outcome !== step.outcome || before.row !== step.row)
      );
    });
    if (ended.length === 0) return;
    for (const step of ended) recorded.set(step.id, step);
    const last = ended.at(-1);
    this.#options.record(`${last?.name ?? ''}: ${last?.outcome ?? ''}`, view, ended);
  }

  async #keepTokens(tokens: TokenSet, context: FlowContext, row: number | null): Promise<void> {
    const { store, serverId, serverUrl, provers } = this.#options;
    const { client, serverMetadata } = context;
    const issuer = context.issuer ?? serverUrl.origin;
    this.#markAll(tokens);
    const isBound = tokens.tokenType.toLowerCase() === 'dpop';
    const prover = isBound ? await provers.proverFor(serverId, issuer) : null;
    const resource = context.authorizationRequest?.resource ?? serverUrl.href;
    const saved = await store.saveClient({
      serverId,
      serverUrl: serverUrl.href,
      issuer,
      clientId: client?.clientId ?? '',
      registration: client?.kind ?? 'pre-registered',
      clientSecret: client?.clientSecret ?? null,
      secretExpiresAt: null,
      authMethod: client?.authMethod ?? null,
      redirectUri: client?.redirectUri ?? null,
      management: null,
      resource: textOf(context.resourceMetadata, 'resource') ?? resource,
      requestedScope: scopesOf(context).join(' ') || null,
      endpoints: {
        token: textOf(serverMetadata, 'token_endpoint') ?? `${serverUrl.origin}/token`,
        revocation: textOf(serverMetadata, 'revocation_endpoint'),
        introspection: textOf(serverMetadata, 'introspection_endpoint'),
        jwks: textOf(serverMetadata, 'jwks_uri'),
        authMethods: [...(listOf(serverMetadata, 'token_endpoint_auth_methods_supported') ?? [])],
      },
    });
    // The new tokens are stored before they are used: the old refresh token may be worthless by now.
    await store.saveTokens(saved.id, {
      tokens,
      signature: signatureWithoutKeys(tokens.accessToken, KEYS_NOT_REQUESTED),
      row,
      dpopThumbprint: prover?.thumbprint ?? null,
    });
    this.#inUse = { tokens, prover, credentialsId: saved.id, issuer };
    this.#expired = null;
    this.#isDemanded = false;
    this.#stateChanged();
  }

  #markAll(tokens: TokenSet | null): void {
    if (tokens === null) return;
    const { markSecret } = this.#options;
    markSecret('access_token', tokens.accessToken);
    if (tokens.refreshToken !== null) markSecret('refresh_token', tokens.refreshToken);
    if (tokens.idToken !== null) markSecret('id_token', tokens.idToken);
  }

  /** The value of the `Authorization` header that requests have now. */
  #authorizationNow(): string | null {
    if (this.#inUse === null) return null;
    const { tokens, prover } = this.#inUse;
    return `${prover === null ? 'Bearer' : 'DPoP'} ${tokens.accessToken}`;
  }
}

type SettingsOverrides = {
  readonly [K in keyof AuthorizationSettings]?: AuthorizationSettings[K] | undefined;
};

/** The settings with those that the user gave for one flow; a secret without a value stays as it is. */
function mergedSettings(
  settings: AuthorizationSettings,
  overrides: SettingsOverrides,
): AuthorizationSettings {
  const given = Object.entries(overrides).filter(([name, value]) => {
    if (value === undefined) return false;
    const isKept =
      secretNames.some((one) => one === name) &&
      typeof value === 'object' &&
      value !== null &&
      'isSet' in value &&
      value.isSet &&
      value.value === null;
    return !isKept;
  });
  return { ...settings, ...Object.fromEntries(given) };
}

const secretNames = ['clientSecret', 'privateKey', 'initialAccessToken', 'identityToken'] as const;

const secretsOf = ({
  clientSecret,
  privateKey,
  initialAccessToken,
  identityToken,
}: AuthorizationSettings): AuthorizationSecrets => ({
  clientSecret: clientSecret.value,
  privateKey: privateKey.value,
  initialAccessToken: initialAccessToken.value,
  identityToken: identityToken.value,
});

interface StartOptions {
  readonly mode: AuthorizationFlow['mode'];
  readonly first?: PlannedStep;
  readonly revision?: string | null;
  readonly settings?: SettingsOverrides;
  readonly asksServer?: boolean;
  readonly plan?: (context: FlowContext, env: FlowEnvironment) => Promise<PlannedStep | null>;
}

interface RunningFlow {
  readonly flow: Flow;
  /** Closes what listens for the flow. */
  readonly release: () => Promise<void>;
  /** Whether it only refreshes, revokes or introspects. */
  readonly isAboutStored: boolean;
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

const nonceOf = ({ request, status, headers }: DemandingResponse) => ({
  url: request.url,
  status,
  headers,
  body: Buffer.alloc(0),
});

const isNonceDemand = (response: DemandingResponse): boolean => demandsNonce(nonceOf(response));

const needsMoreScope = ({ headers }: DemandingResponse): boolean =>
  oauthChallenge(challengesOf(headers))?.parameters.get('error') === 'insufficient_scope';

const scopesOf = ({ authorizationRequest, tokens, scopesBefore }: FlowContext): string[] => [
  ...new Set(
    [...scopesBefore, ...`${authorizationRequest?.scope ?? ''} ${tokens?.scope ?? ''}`.split(' ')].filter(
      (one) => one !== '',
    ),
  ),
];

/** The step that begins an authorization with more scopes. */
const stepUpStep = (context: FlowContext): PlannedStep => {
  const scope = oauthChallenge(challengesOf(context.demand?.headers ?? []))?.parameters.get('scope');
  return {
    name: 'step-up',
    label: '',
    parties: ['mcp-server', 'client'],
    request: null,
    received: context.demand,
    decidedBy: {
      text: 'The scopes requested before, and those of the challenge, are requested together.',
      source: 'MCP 2025-11-25 authorization, step-up',
    },
    alternatives: [],
    contextIfSkipped: null,
    act: {
      kind: 'local',
      conclude: () => ({
        context,
        outcome:
          scope === undefined
            ? 'The token lacks scopes, and the server does not say which.'
            : `The token lacks scopes of ${scope.slice(0, 300)}.`,
      }),
    },
  };
};

const tooOften: Fault = {
  code: 'authorization-limit',
  what: 'The server still refuses the request after three authorizations, so it was given up.',
  why: 'It demands a scope that the authorization server does not grant, or does not look at the new token.',
  next: 'Compare the scopes of the token with those of the last challenge.',
};

const nothingToRevoke: Fault = {
  code: 'nothing-to-revoke',
  what: 'There is no token. It was revoked before, or none was issued.',
};

const nothingToVerify: Fault = {
  code: 'nothing-to-verify',
  what: 'There is no token.',
  next: 'Authorize first.',
};

const nothingToRefresh: Fault = {
  code: 'nothing-to-refresh',
  what: 'There is no refresh token.',
  next: 'Authorize again, with the scope offline_access if the authorization server advertises it.',
};

/** @throws FaultError */
export function noSuchFlow(): never {
  throw new FaultError({ code: 'no-such-flow', what: 'There is no such authorization flow.' });
}
