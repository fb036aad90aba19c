import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import type { ReceivedRequest } from '#transports/received-request.ts';
import { CallbackListener, type RecordCallback } from './callback-listener.ts';
import type { SendRequest } from './exchange.ts';
import type { AuthorizationSecrets, FlowEnvironment, FlowSetup, RegisteredClient } from './flow-types.ts';
import type { IssuerBindings } from './issuer-bindings.ts';
import { TestIdentityProvider } from './identity-provider/test-identity-provider.ts';
import { rulesOf } from './revision-rules.ts';
import type { TokenSet } from './tokens.ts';
import type { TokensInUse, TokensInUseOptions } from './tokens-in-use.ts';

/** What all flows of a session are surrounded by. */
export interface FlowSurroundings extends TokensInUseOptions {
  /** The negotiated or chosen revision; null if neither is known. */
  readonly revision: () => string | null;
  readonly clientName: string;
  readonly userAgent: string;
  readonly send: SendRequest;
  /** Records a request that came to a flow; returns its row. */
  readonly recordReceived: (request: ReceivedRequest) => number | null;
  /** Opens a URL in the system's browser; null if this host cannot. */
  readonly openBrowser: ((url: string) => Promise<void>) | null;
  /** As `FlowEnvironment` has it. */
  readonly waitToBeLate?: FlowEnvironment['waitToBeLate'];
  /** Whether a page shows the flows. */
  readonly isWatched: boolean;
  readonly bindings: IssuerBindings;
  /** As `FlowEnvironment` has them. */
  readonly canAsk: boolean;
  readonly allowedIssuers: readonly string[];
  readonly sendsResourceQuery: boolean;
  readonly holdsSecret: FlowEnvironment['holdsSecret'];
  readonly browserLimit: FlowEnvironment['browserLimit'];
  readonly faultOfPrivate: FlowEnvironment['faultOfPrivate'];
}

/** What the user chose for one flow. */
export interface FlowChoices {
  readonly revision?: string | null;
  readonly settings?: SettingsOverrides;
  readonly asksServer?: boolean;
  readonly opensBrowser?: boolean;
  /** For a flow whose tokens only tests of the server use. */
  readonly forTests?: {
    /** Takes the tokens; they are neither stored nor used by requests of the session. */
    readonly keep: (tokens: TokenSet, issuer: string) => Promise<void>;
    /** The `resource` to ask for; null for that of the server. */
    readonly resource: string | null;
  };
}

/** The settings of the server that are others for one flow. */
export type SettingsOverrides = {
  readonly [K in keyof AuthorizationSettings]?: AuthorizationSettings[K] | undefined;
};

/** Limit of rows for requests to the redirect URI that are not the answer: a page can send any number. */
const MAX_STRAYS = 20;

/**
 * What surrounds one flow. It listens for redirects, and runs the test identity provider, once the flow needs them; `release`
 * closes both.
 *
 * @param kept the clients by issuer, and the tokens, that the flows of the session share
 */
export function environmentOf(
  options: FlowSurroundings,
  choices: FlowChoices,
  { clients, tokens }: { readonly clients: Map<string, RegisteredClient>; readonly tokens: TokensInUse },
): { readonly environment: FlowSetup; readonly release: () => Promise<void> } {
  const settings = mergedSettings(options.settings, choices.settings ?? {});
  const secrets = secretsOf(settings);
  for (const [kind, value] of Object.entries(secrets)) if (value !== null) options.markSecret(kind, value);
  const revision = choices.revision ?? options.revision();
  const { forTests } = choices;
  let strays = 0;
  const recordCallback: RecordCallback = (request, isAnswer) =>
    isAnswer || ++strays <= MAX_STRAYS ? options.recordReceived(request) : null;
  let listening: Promise<CallbackListener> | null = null;
  const listener = (): Promise<CallbackListener> => {
    listening ??= CallbackListener.open(settings.redirect, recordCallback, registeredPorts(clients));
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
  const environment: FlowSetup = {
    serverId: options.serverId,
    serverUrl: options.serverUrl,
    rules: rulesOf(revision),
    isRevisionKnown: revision !== null,
    allowsOlder: (issuer) => revision === null || (choices.revision == null && clients.has(issuer)),
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
    nextCallback: async (signal, awaited) => {
      const opened = await listener();
      return opened.next(signal, awaited);
    },
    recordCallback,
    openBrowser: options.openBrowser,
    browserLimit: options.browserLimit,
    ...(options.waitToBeLate !== undefined && { waitToBeLate: options.waitToBeLate }),
    isWatched: options.isWatched,
    faultOfPrivate: options.faultOfPrivate,
    canAsk: options.canAsk,
    allowedIssuers: options.allowedIssuers,
    sendsResourceQuery: options.sendsResourceQuery,
    holdsSecret: (text) => options.holdsSecret(text),
    issuersOf: async (credential) => {
      const { own, ofServer } = await options.bindings.issuersOf(options.serverId, credential);
      if (own.length > 0) return own;
      const stored = await options.store.ofServer(options.serverId);
      return [...new Set([...ofServer, ...stored.map(({ issuer }) => issuer)])];
    },
    bindIssuer: (credentials, issuer) => options.bindings.bind(options.serverId, credentials, issuer),
    asksServer: choices.asksServer ?? false,
    opensBrowser: choices.opensBrowser ?? true,
    knownClient: (issuer) => clients.get(issuer) ?? null,
    keepClient: (client) => void clients.set(client.issuer, client),
    dropClient: (client) => forgetClient(options, clients, client),
    keepTokens: (received, after, how) =>
      forTests?.keep(received, after.issuer ?? options.serverUrl.origin) ?? tokens.keep(received, after, how),
    keepSignature: async (token, signature) => {
      if (forTests === undefined) await tokens.keepSignature(token, signature);
    },
    otherResource: forTests?.resource ?? null,
    testProvider: () => {
      if (provider === null) throw new Error('the settings choose it before it is opened');
      return provider.open();
    },
    prover: (issuer) => options.provers.proverFor(options.serverId, issuer),
  };
  return { environment, release };
}

/** Forgets a client that its authorization server does not know any more, with its tokens. */
export async function forgetClient(
  { store, serverId }: Pick<FlowSurroundings, 'store' | 'serverId'>,
  clients: Map<string, RegisteredClient>,
  client: RegisteredClient | null,
): Promise<void> {
  if (client === null) return;
  if (clients.get(client.issuer)?.clientId === client.clientId) clients.delete(client.issuer);
  for (const { id, issuer, clientId } of await store.ofServer(serverId))
    if (issuer === client.issuer && clientId === client.clientId) await store.forget(id);
}

/** The ports of the redirect URIs that are registered: many servers take only the same one again. */
const registeredPorts = (clients: ReadonlyMap<string, RegisteredClient>): number[] =>
  [...clients.values()].flatMap(({ redirectUri }) =>
    redirectUri === null ? [] : [Number(new URL(redirectUri).port)],
  );

/**
 * The settings of a saved server with those that the user gave for this run. Another client gets neither the secret nor the key of the
 * saved one.
 *
 * @param hasPage whether a page asks before each step; without one only a run that chose the stepped mode does
 */
export function settingsOfThisRun(
  settings: AuthorizationSettings,
  given: SettingsOverrides,
  hasPage: boolean,
): AuthorizationSettings {
  const isOther = given.clientId !== undefined && given.clientId !== settings.clientId;
  const isStepless = !hasPage && settings.mode === 'stepped' && given.mode === undefined;
  return {
    ...mergedSettings(settings, given),
    ...(isStepless && { mode: 'automatic' as const }),
    ...(isOther && given.clientSecret === undefined && { clientSecret: noSecret }),
    ...(isOther && given.privateKey === undefined && { privateKey: noSecret }),
    extra: withParameters(settings.extra, given.extra),
    tokenExtra: withParameters(settings.tokenExtra, given.tokenExtra),
  };
}

const noSecret = { isSet: false, value: null };

/** The parameters with further ones, which replace those of their names. */
const withParameters = (
  saved: AuthorizationSettings['extra'],
  given: AuthorizationSettings['extra'] = [],
): AuthorizationSettings['extra'] => [
  ...saved.filter(({ name }) => given.every((one) => one.name !== name)),
  ...given,
];

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
