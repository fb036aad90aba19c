import type { NamedServer } from '#main/platform.ts';
import type { AuthorizationFlow, StepName, StoredCredentials } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { askedScopes } from './scopes.ts';

/** What is known when a fault of an authorization is printed. */
interface Situation {
  readonly target: NamedServer;
  /** The credentials that requests had; null without any. */
  readonly saved: Pick<StoredCredentials, 'clientId' | 'registration' | 'hasClientSecret'> | null;
  /** The scopes of the authorization that was not possible. */
  readonly scopes: readonly string[];
  /** Whether the server took requests before, so that connecting alone demands no authorization. */
  readonly isConnected: boolean;
}

/** Null where the advice of the engine is right here, too. */
type Advice = (situation: Situation) => string | null;

/** The fault with what helps in a terminal: the engine names settings, which a window has. */
export async function advised(session: HeadlessSession, fault: Fault): Promise<Fault> {
  const { target } = session;
  if (target === null || target.kind === 'stdio') return fault;
  const flows = await session.request('authorization/flows', {});
  const advice = adviceFor(fault, flows);
  if (advice === null) return fault;
  const { agreement, serverId } = await session.view();
  const stored = await session.request('authorization/credentials', {
    serverId: target.kind === 'http' ? target.url : serverId,
  });
  const saved = stored.at(-1) ?? null;
  const situation = { target, saved, scopes: askedScopes(flows), isConnected: agreement !== null };
  const next = (await isOff(session)) ? turnOn : advice(situation);
  return next === null ? fault : { ...fault, next };
}

/** By the code of the fault; where that is a rule which the response of a step broke, by the step. */
function adviceFor({ code, next = '' }: Fault, flows: readonly AuthorizationFlow[]): Advice | null {
  const known = adviceOf.get(code);
  if (known !== undefined) return known;
  const failed = flows.at(-1)?.steps.findLast(({ state }) => state === 'failed');
  const ofStep = failed === undefined ? undefined : adviceOfSteps.get(failed.name);
  if (ofStep !== undefined && /\b(?:settings|fork)\b/.test(next)) return ofStep;
  if (!next.includes(STEPPED)) return null;
  return (situation) => next.replace(STEPPED, `${authCommand(situation, '--step')} can continue anyway`);
}

const STEPPED = 'A stepped flow can continue anyway';

/** Whether the settings of a saved server say not to authorize, so that no saved credentials are used. */
async function isOff(session: HeadlessSession): Promise<boolean> {
  const { target } = session;
  if (target?.kind !== 'saved') return false;
  const server = (await session.request('servers/list', {})).find(({ name }) => name === target.name);
  return server?.transport.kind === 'http' && server.transport.authorization?.mode === 'off';
}

const turnOn =
  'Authorization is off in the settings of this server, so no credentials are used. Turn it on there, in the window, or name the server by --url.';

/** `sightglass auth --save OPTIONS --url URL`. */
export function authCommand({ target }: Pick<Situation, 'target'>, ...options: readonly string[]): string {
  const words = ['sightglass auth --save', ...options, ...serverWords(target)];
  return `"${words.join(' ')}"`;
}

/** How the server was named, as the shell reads it; without secrets, which the user knows. */
function serverWords(target: NamedServer): string[] {
  if (target.kind === 'saved') return ['--server', shellWord(target.name)];
  if (target.kind !== 'http') return [];
  const url = withoutUrlSecrets(target.url);
  const headers = (target.headers ?? []).some(([name]) => !isAuthorization(name))
    ? ['and the same --header']
    : [];
  return [url === target.url ? `--url ${shellWord(url)}` : '--url with the same URL', ...headers];
}

const isAuthorization = (name: string): boolean => name.toLowerCase() === 'authorization';

/** A word for a POSIX shell; it stands within double quotes of a sentence, so it has none itself. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./[\]-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** The options that name the client of saved credentials again; one that registered itself needs none. */
function clientOptions(saved: Situation['saved']): string[] {
  if (saved === null || saved.registration === 'dynamic') return [];
  if (saved.registration === 'metadata-document')
    return ['--client-metadata-document', shellWord(saved.clientId)];
  return [
    '--client-id',
    shellWord(saved.clientId),
    ...(saved.hasClientSecret ? ['--client-secret NAME'] : []),
  ];
}

function authorizeFirst(situation: Situation): string {
  const { scopes, isConnected, saved, target } = situation;
  const wanted = isConnected
    ? scopes.length > 0
      ? ['--scope', shellWord(scopes.join(' '))]
      : ['--again']
    : [];
  const client = target.kind === 'saved' ? [] : clientOptions(saved);
  const others = client.length > 0 ? ' Give the other options of the authorization again, too.' : '';
  return `Run ${authCommand(situation, ...wanted, ...client)}, then this command again.${others}`;
}

function registerYourself(situation: Situation): string {
  return `Register a client there yourself, and name it: ${authCommand(situation, '--client-id ID')}. If the registration demands a token, give --initial-access-token; if only the redirect URI was refused, try --redirect localhost or --redirect 127.0.0.1.`;
}

function correctDocument(situation: Situation): string {
  return `Correct it where it is hosted. ${authCommand(situation, '--step')} with the same options can continue anyway.`;
}

function changeRequest(situation: Situation): string {
  return `Compare the request with what the server expects: ${authCommand(situation, '--step')} shows it. --scope and --auth-param change it.`;
}

function nameIdentityProvider(): string {
  return 'Name an identity provider with --identity-provider ISSUER and --identity-client-id ID, or give its token with --identity-token.';
}

const adviceOfSteps: ReadonlyMap<StepName, Advice> = new Map<StepName, Advice>([
  ['registration', registerYourself],
  ['client-metadata', correctDocument],
  ['authorization-request', changeRequest],
  ['callback', changeRequest],
  ['sign-in', nameIdentityProvider],
  ['assertion', nameIdentityProvider],
]);

/** What to do, by the code of the fault. */
const adviceOf: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ['authorization-needs-browser', authorizeFirst],
  ['no-such-credentials', authorizeFirst],
  [
    'http-status-401',
    (situation) =>
      ownHeader(situation.target)
        ? `Give another token with --header, or leave that header out and run ${authCommand(situation)}.`
        : `Run ${authCommand(situation)}, or set the header that WWW-Authenticate, in the trace, names.`,
  ],
  [
    'http-status-403',
    (situation) =>
      ownHeader(situation.target)
        ? `Give a token with --header that has the scope which WWW-Authenticate, in the trace, names, or leave that header out and run ${authCommand(situation)}.`
        : null,
  ],
  [
    'no-authorization-metadata',
    () =>
      "Have the server name its metadata in WWW-Authenticate, or give a token of yours: --header 'Authorization=Bearer $TOKEN'.",
  ],
  [
    'no-client',
    (situation) =>
      `Register a client at the authorization server, and name it: ${authCommand(situation, '--client-id ID')}. One that reads metadata documents takes --client-metadata-document URL.`,
  ],
  ['registration-refused', registerYourself],
  ['document-rejected', correctDocument],
  [
    'redirect-port-busy',
    (situation) =>
      `End that program, or choose another port, and register the new redirect URI: ${authCommand(situation, '--redirect PORT')}.`,
  ],
  [
    'redirect-listener',
    (situation) => `Choose another host or port: ${authCommand(situation, '--redirect HOST:PORT')}.`,
  ],
  [
    'client-authentication',
    () =>
      'Give what the method needs with --client-secret or --private-key, or choose another method with --client-auth.',
  ],
  [
    'private-key',
    () =>
      'Give an unencrypted RSA, EC (P-256, P-384, P-521) or Ed25519 key as PEM or JWK: --private-key NAME=@FILE.',
  ],
  ['token-not-bound', () => 'Leave out --dpop, if the authorization server does not support it.'],
  [
    'token-refused',
    (situation) =>
      `Compare the request with what is registered at the authorization server: ${authCommand(situation, '--step')} shows it before it is sent.`,
  ],
  [
    'fresh-token-rejected',
    () =>
      'Compare the claims iss and aud of the token, which "sightglass auth --json" prints in "credentials", with what the server expects.',
  ],
  [
    'authorization-timeout',
    (situation) =>
      `Read the page in the browser, and correct the client or the redirect URI (--client-id, --redirect). If there was too little time: ${authCommand(situation, '--timeout 20m')}. If the browser cannot come back to this machine, paste the address that it was sent to.`,
  ],
  ['no-identity-provider', nameIdentityProvider],
  ['test-provider-port', () => 'End that program, then try again.'],
  ['authorization-cancelled', (situation) => `Run ${authCommand(situation)} to begin again.`],
]);

const ownHeader = (target: NamedServer): boolean =>
  target.kind === 'http' && (target.headers ?? []).some(([name]) => isAuthorization(name));
