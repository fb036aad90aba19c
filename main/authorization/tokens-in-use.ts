import {
  type AuthorizationSettings,
  droppableParameters,
  type TokenSignature,
} from '#shared/contract/authorization.ts';
import type { AuthorizationState } from '#shared/contract/sessions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { MAX_TIMER } from '#transports/async.ts';
import type { Credentials, CredentialStore } from './credentials.ts';
import { authorizationHeaders, demandsNonce, type DpopProver, type DpopProvers } from './dpop.ts';
import type { FlowContext } from './flow-types.ts';
import { signatureWithoutKeys } from './jwt.ts';
import { listOf, textOf } from './metadata.ts';
import { isExpiring, KEYS_NOT_REQUESTED, type TokenSet } from './tokens.ts';

/** The server that the tokens are for, and where they are kept. */
export interface TokensInUseOptions {
  readonly serverId: string;
  readonly serverUrl: URL;
  /** The settings, with the values of their secrets. */
  readonly settings: AuthorizationSettings;
  readonly store: CredentialStore;
  readonly provers: DpopProvers;
  readonly markSecret: (kind: string, value: string) => void;
  /** `state` has changed. */
  readonly onState: () => void;
}

/** A response of the MCP server, with what its request was authorized by. */
export interface DemandingResponse {
  readonly request: { readonly method: string; readonly url: URL };
  /** `Authorization` of the request; null without one. */
  readonly authorization: string | null;
  readonly status: number;
  readonly headers: HeaderLines;
  readonly row: number | null;
}

/** What authorizes requests. */
interface InUse {
  readonly tokens: TokenSet;
  readonly prover: DpopProver | null;
  readonly credentialsId: string;
}

/** The tokens that the requests of one session carry now. */
export class TokensInUse {
  readonly #options: TokensInUseOptions;
  #inUse: InUse | null = null;
  /** Tokens that must be refreshed before they are used. */
  #expired: InUse | null = null;
  /** The server has answered with 401 since the last token. */
  #isDemanded = false;
  /** Reports that the token in use has expired. */
  #expiry: NodeJS.Timeout | undefined;

  constructor(options: TokensInUseOptions) {
    this.#options = options;
  }

  get state(): AuthorizationState {
    if (this.#inUse === null)
      return this.#expired !== null ? 'expired' : this.#isDemanded ? 'required' : 'none';
    const { expiresAt } = this.#inUse.tokens;
    if (expiresAt !== null && expiresAt <= Date.now()) return 'expired';
    return this.#isDemanded ? 'required' : 'authorized';
  }

  /** Null if requests carry no token. */
  get current(): InUse | null {
    return this.#inUse;
  }

  /** What the next refresh replaces, used or expired; null without a refresh token. */
  get refreshable(): InUse | null {
    const known = this.#inUse ?? this.#expired;
    return known === null || known.tokens.refreshToken === null ? null : known;
  }

  /** The value of the `Authorization` header that requests have now. */
  get authorization(): string | null {
    if (this.#inUse === null) return null;
    const { tokens, prover } = this.#inUse;
    return `${prover === null ? 'Bearer' : 'DPoP'} ${tokens.accessToken}`;
  }

  headers(request: DemandingResponse['request']): HeaderLines {
    if (this.#inUse === null || this.#options.settings.mode === 'off') return [];
    const { tokens, prover } = this.#inUse;
    const lines = authorizationHeaders(tokens, request, prover);
    for (const [name, value] of lines) if (name === 'DPoP') this.#options.markSecret('header:DPoP', value);
    return lines;
  }

  /** Keeps the nonce of a response for the proof of the next request. */
  readNonce(response: DemandingResponse): void {
    this.#inUse?.prover?.readNonce(nonceOf(response));
  }

  /** The server demands a token, or no longer does. */
  noteDemand(isDemanded: boolean): void {
    if (this.#isDemanded === isDemanded) return;
    this.#isDemanded = isDemanded;
    this.#options.onState();
  }

  /** Uses stored tokens, or keeps them to refresh them if they expire. */
  async useStored({ id, issuer, dpopThumbprint }: Credentials, tokens: TokenSet): Promise<void> {
    const { serverId, provers } = this.#options;
    const prover = dpopThumbprint === null ? null : await provers.proverFor(serverId, issuer);
    // The key was lost with the last run, and the tokens with it.
    if (prover !== null && prover.thumbprint !== dpopThumbprint) return;
    this.markSecrets(tokens);
    const usable = { tokens, prover, credentialsId: id };
    const isUnusable = isExpiring(tokens, Date.now());
    this.#inUse = isUnusable ? null : usable;
    this.#expired = isUnusable ? usable : null;
    this.reportState();
  }

  /** Stores the tokens that a flow was given, and uses them. */
  async keep(
    tokens: TokenSet,
    context: FlowContext,
    { row, resource }: { readonly row: number | null; readonly resource: string },
  ): Promise<void> {
    const { store, serverId, serverUrl, provers } = this.#options;
    const { client, serverMetadata } = context;
    const issuer = context.issuer ?? serverUrl.origin;
    this.markSecrets(tokens);
    const isBound = tokens.tokenType.toLowerCase() === 'dpop';
    const prover = isBound ? await provers.proverFor(serverId, issuer) : null;
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
      resource,
      requestedScope: scopesOf(context).join(' ') || null,
      dropped: droppableParameters.filter((name) => typeof context.dropped[name] === 'string'),
      isIssuerRejected: context.isIssuerRejected,
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
    this.#inUse = { tokens, prover, credentialsId: saved.id };
    this.#expired = null;
    this.#isDemanded = false;
    this.reportState();
  }

  /** Notes what came of verifying a token that is in use. */
  async keepSignature(token: string, signature: TokenSignature): Promise<void> {
    const id = this.#inUse?.credentialsId;
    if (id !== undefined) await this.#options.store.saveSignature(id, token, signature);
  }

  /** Requests carry no token of these credentials any more. */
  drop(credentialsId: string): void {
    if (this.#inUse?.credentialsId === credentialsId) this.#inUse = null;
    this.reportState();
  }

  /** Requests carry no token any more. Reports nothing: other tokens may follow. */
  clear(): void {
    this.#inUse = null;
    this.#expired = null;
  }

  /** Reports the state now, and when the token expires. */
  reportState(): void {
    clearTimeout(this.#expiry);
    const expiresAt = this.#inUse?.tokens.expiresAt ?? null;
    const left = expiresAt === null ? 0 : expiresAt - Date.now();
    if (left > 0) this.#expiry = setTimeout(() => this.reportState(), Math.min(left + 1, MAX_TIMER)).unref();
    this.#options.onState();
  }

  /** Keeps the tokens out of the trace. */
  markSecrets(tokens: TokenSet | null): void {
    if (tokens === null) return;
    const { markSecret } = this.#options;
    markSecret('access_token', tokens.accessToken);
    if (tokens.refreshToken !== null) markSecret('refresh_token', tokens.refreshToken);
    if (tokens.idToken !== null) markSecret('id_token', tokens.idToken);
  }

  close(): void {
    clearTimeout(this.#expiry);
  }
}

/** The scopes that were requested or granted so far. */
export const scopesOf = ({ authorizationRequest, tokens, scopesBefore }: FlowContext): string[] => [
  ...new Set(
    [...scopesBefore, ...`${authorizationRequest?.scope ?? ''} ${tokens?.scope ?? ''}`.split(' ')].filter(
      (one) => one !== '',
    ),
  ),
];

/** Whether the server demands a nonce, or another one, in the proof of the request. */
export const isNonceDemand = (response: DemandingResponse): boolean => demandsNonce(nonceOf(response));

const nonceOf = ({ request, status, headers }: DemandingResponse) => ({
  url: request.url,
  status,
  headers,
  body: Buffer.alloc(0),
});
