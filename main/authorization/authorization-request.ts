import type { AuthorizationRuleName } from '#shared/authorization/rules.ts';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { isLoopback } from '#shared/loopback.ts';
import { meaningOfError } from './checks/authorization-errors.ts';
import { checkCallback } from './checks/callback.ts';
import { scopeNames, supportedScopes, wordsOf } from './checks/scopes.ts';
import { askLibraryAboutCallback, withLibrary } from './checks/library.ts';
import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import { droppedAfter, type DroppedParameters, dropNotes, withDropped } from './dropped-parameters.ts';
import type {
  Conclusion,
  FlowContext,
  FlowEnvironment,
  Metadata,
  PlannedStep,
  SentAuthorization,
} from './flow-types.ts';
import { listOf, textOf, writtenIssuer } from './metadata.ts';
import { challengeOf, createState, createVerifier, isSameSecret } from './pkce.ts';
import type { ArrivedCallback } from './received-callback.ts';
import { resourceOf } from './resource.ts';
import { withFindings } from './step-findings.ts';
import { type Field, materialize, prepareRequest, queryFields, requireUrl } from './step-request.ts';
import { concludeLostClient, concludeWithoutRedirect, type DropClient, REFUSED } from './lost-client.ts';
import { isKeptRegistration, withoutClient } from './token-errors.ts';

/** A list of scopes, and why it is this one; null scopes are not sent. */
export interface ScopeChoice {
  readonly scope: string | null;
  readonly note: string;
}

/** The settings, then the challenge, then the resource metadata, then none (MCP authorization, scope selection). */
export function chooseScope({ settings, rules }: FlowEnvironment, context: FlowContext): ScopeChoice {
  const demanded = oauthChallenge(challengesOf(context.demand?.headers ?? []))?.parameters.get('scope');
  const advertised = supportedScopes(context.serverMetadata) ?? [];
  const own = ((): { list: readonly string[]; note: string } => {
    if (settings.scopes !== null && context.scopesBefore.length === 0) {
      return { list: wordsOf(settings.scopes), note: 'from the settings' };
    }
    const supported = supportedScopes(context.resourceMetadata);
    if (demanded !== undefined) {
      const known = [...context.scopesBefore, ...(supported ?? []), ...advertised];
      return { list: scopeNames(demanded, known), note: 'from the challenge' };
    }
    return supported === null
      ? { list: [], note: '' }
      : { list: supported, note: 'scopes_supported of the resource metadata' };
  })();
  const notes = own.list.length === 0 ? [] : [own.note];
  const list = new Set([...context.scopesBefore, ...own.list]);
  if (context.scopesBefore.length > 0) notes.push('together with those requested before');
  const canRefresh =
    listOf(context.serverMetadata, 'grant_types_supported')?.includes('refresh_token') ?? true;
  const wantsOffline = rules.requestsOfflineAccess && advertised.includes(OFFLINE) && canRefresh;
  if (settings.scopes === null && settings.grant === 'authorization-code' && wantsOffline) {
    list.add(OFFLINE);
    notes.push('offline_access for a refresh token, which the server advertises');
  }
  return { scope: list.size === 0 ? null : [...list].join(' '), note: notes.join('; ') };
}

const OFFLINE = 'offline_access';

export async function planAuthorizationRequest(
  env: FlowEnvironment,
  context: FlowContext,
): Promise<PlannedStep> {
  const scope = chooseScope(env, context);
  return planBrowserRequest(env, context, {
    name: 'authorization-request',
    parties: ['client', 'browser', 'authorization-server'],
    endpoint:
      context.serverMetadata === null
        ? `${env.serverUrl.origin}/authorize`
        : (textOf(context.serverMetadata, 'authorization_endpoint') ?? ''),
    clientId: context.client?.clientId ?? '',
    scope,
    resource: resourceOf(env, context),
    // OpenID Connect Core 11 demands it; other servers ignore it.
    further:
      wordsOf(scope.scope).includes(OFFLINE) &&
      dropNotes(env.settings, context.dropped)['scope'] === undefined
        ? [{ name: 'prompt', value: 'consent' }]
        : [],
    extra: env.settings.extra
      .filter(({ name }) => name !== '')
      .map(({ name, value }) => ({ name, value, note: 'from the settings' })),
    decidedBy: {
      text: scope.scope === null ? 'No scope is requested.' : `Scope: ${scope.note}.`,
      source: `MCP ${env.rules.revision} scope selection`,
    },
    before: context.dropped,
    always: env.settings.dropped,
    keep: (authorizationRequest) => ({
      ...context,
      authorizationRequest,
      code: null,
      dropped: authorizationRequest.dropped,
    }),
  });
}

/** What an authorization request says, at the authorization server or at the identity provider. */
interface BrowserRequest {
  readonly name: 'authorization-request' | 'sign-in';
  readonly parties: PlannedStep['parties'];
  readonly endpoint: string;
  readonly clientId: string;
  readonly scope: ScopeChoice;
  /** Null to send none. */
  readonly resource: { readonly value: string; readonly note: string } | null;
  readonly further: readonly Field[];
  /** Parameters of the user, which replace others of the same name. */
  readonly extra: readonly Field[];
  readonly decidedBy: PlannedStep['decidedBy'];
  /** What the user switched off at this server before. */
  readonly before: DroppedParameters;
  /** What is never sent to it. */
  readonly always: AuthorizationSettings['dropped'];
  readonly keep: (sent: SentAuthorization) => FlowContext;
}

/** The authorization request that the browser is given (RFC 6749 section 4.1.1, RFC 7636). */
export async function planBrowserRequest(
  env: FlowEnvironment,
  context: FlowContext,
  { name, parties, endpoint, clientId, scope, resource, further, extra, ...how }: BrowserRequest,
): Promise<PlannedStep> {
  const { decidedBy, before, always, keep } = how;
  const base = { name, label: '', contextIfSkipped: null } as const;
  const wrong = whyNotOpened(endpoint);
  if (wrong !== null) {
    return {
      ...base,
      parties: ['client'],
      request: null,
      decidedBy: { text: 'Only http and https URLs are opened.', source: 'MCP security best practices' },
      alternatives: [],
      act: { kind: 'local', conclude: () => ({ context, outcome: 'It was not opened.', fault: wrong }) },
    };
  }
  const verifier = createVerifier();
  const state = createState();
  const redirectUri = await env.redirectUri();
  env.markSecret('code_verifier', verifier);
  const url = new URL(endpoint);
  const given = queryFields(url);
  url.search = '';
  const fields: Field[] = [
    ...given,
    { name: 'response_type', value: 'code' },
    { name: 'client_id', value: clientId },
    { name: 'redirect_uri', value: redirectUri },
    { name: 'code_challenge', value: challengeOf(verifier), note: 'SHA-256 of the verifier' },
    { name: 'code_challenge_method', value: 'S256' },
    { name: 'state', value: state, note: 'random, compared in the callback' },
    ...(scope.scope === null ? [] : [{ name: 'scope', value: scope.scope, note: scope.note }]),
    ...(resource === null ? [] : [{ name: 'resource', ...resource }]),
    ...further,
  ];
  const own = new Set(extra.map((one) => one.name));
  const query = withDropped(
    [...fields.filter((one) => !own.has(one.name)), ...extra],
    dropNotes({ dropped: always }, before),
  );
  const prepared = prepareRequest({ method: 'GET', url: url.href, sentBy: 'browser', query });
  return {
    ...base,
    parties,
    request: prepared,
    decidedBy,
    alternatives: [],
    act: {
      kind: 'browser',
      conclude: (sent, wrongValue) => {
        // What the user edited counts.
        const edited = (parameter: string) => sent.searchParams.get(parameter);
        const challenge = edited('code_challenge');
        // With plain, and without a method, the challenge is the verifier (RFC 7636 section 4.3).
        const isPlain = challenge !== null && (edited('code_challenge_method') ?? 'plain') === 'plain';
        const request: SentAuthorization = {
          verifier: isPlain ? challenge : verifier,
          // A wrong state is one that we do not expect back.
          state: wrongValue?.parameter === 'state' ? state : (edited('state') ?? ''),
          redirectUri: edited('redirect_uri') ?? redirectUri,
          scope: edited('scope'),
          resource: edited('resource'),
          isAsPlanned: sent.href === materialize(prepared.shown, prepared.secrets).url.href,
          nonce: edited('nonce'),
          dropped: droppedAfter(before, {
            planned: query.map((one) => one.name),
            sent: [...sent.searchParams.keys()],
            where: name === 'sign-in' ? 'the sign-in' : 'the authorization request',
            always,
            wrongName: wrongValue?.parameter ?? null,
          }),
          url: sent.href,
        };
        return { context: keep(request), outcome: `The browser was given the URL of ${sent.host}.` };
      },
    },
  };
}

/** Why a URL is not opened in the browser; null if it is. */
export function whyNotOpened(text: string): Fault | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (isSafe) return null;
  return {
    code: 'authorization-url',
    what:
      url?.protocol === 'http:'
        ? 'The authorization endpoint is plain http, and not on this machine.'
        : 'The authorization endpoint is not an http or https URL, so it is not opened.',
    why: 'It could be read on the way, or make the browser run something (MCP security best practices).',
    evidence: text.slice(0, 300),
  };
}

/** Waits for the redirect of the authorization server, and checks it before its code goes anywhere. */
export function planCallback(
  env: FlowEnvironment,
  context: FlowContext,
  request: SentAuthorization,
): PlannedStep {
  const { serverMetadata } = context;
  return planRedirect(env, context, {
    name: 'callback',
    label: '',
    parties: ['authorization-server', 'browser', 'client'],
    request,
    issuer: writtenIssuer(env, context),
    promisesIss: promisesIss(serverMetadata),
    keep: (code) => ({ ...context, code }),
    withoutClient:
      request.isAsPlanned && isKeptRegistration(context)
        ? async () => {
            await env.dropClient(context.client);
            return withoutClient(context);
          }
        : null,
  });
}

export const promisesIss = (metadata: Metadata | null | undefined): boolean =>
  metadata?.['authorization_response_iss_parameter_supported'] === true;

/** The redirect that a request leads to. */
interface ExpectedRedirect {
  readonly name: 'callback' | 'sign-in';
  readonly label: string;
  readonly parties: PlannedStep['parties'];
  readonly request: SentAuthorization;
  readonly issuer: string | null;
  /** Whether the metadata has `authorization_response_iss_parameter_supported`. */
  readonly promisesIss: boolean;
  readonly keep: (code: string) => FlowContext;
  /** What follows if the authorization server does not know our client; null if nothing helps. */
  readonly withoutClient: DropClient | null;
}

/** Waits for the redirect, and checks it before its code goes anywhere. */
export function planRedirect(
  env: FlowEnvironment,
  context: FlowContext,
  expected: ExpectedRedirect,
): PlannedStep {
  const { name, label, parties, request, issuer } = expected;
  const { redirectUri, state } = request;
  const compared = { redirectUri, state, issuer, promisesIss: expected.promisesIss };
  const check = ({ url, row }: ArrivedCallback) => checkCallback(url, { ...compared, row });
  return {
    name,
    label,
    parties,
    request: null,
    decidedBy: {
      text: 'state and iss are compared before the code is sent.',
      source: 'RFC 6749 10.12, RFC 9207 2.4',
    },
    alternatives: [],
    contextIfSkipped: null,
    act: {
      kind: 'callback',
      url: request.url,
      expected: compared,
      isAnswer: (url) => hasState(url, state),
      // Nothing else of it is read: anybody may have sent it.
      findingsOf: (stray) => check(stray).findings.filter(({ rule }) => strayRules.has(rule)),
      failed: (fault) => concludeWithoutRedirect(context, expected.withoutClient, fault),
      conclude: async (answer) => {
        const { url, row } = answer;
        const checked = check(answer);
        const besideLibrary =
          issuer === null
            ? checked
            : withLibrary(checked, {
                library: askLibraryAboutCallback(url, { ...expected, issuer, state }),
                row,
              });
        const concluded = concludeCallback(env, context, expected, url);
        const again = await concludeLostClient(concluded, expected.withoutClient, url);
        if (again !== null) return withFindings(again, { ...checked, stop: null });
        const isIssuerOnly = checked.stop === null || checked.stop.rule.startsWith('iss-');
        return withFindings(
          { ...concluded, canOverride: concluded.canOverride === true && isIssuerOnly },
          besideLibrary,
        );
      },
    },
  };
}

/** What is said about a redirect that is not the answer. */
const strayRules: ReadonlySet<string> = new Set<AuthorizationRuleName>([
  'state-missing',
  'state-differs',
  'callback-elsewhere',
]);

/** Whether a redirect has the state of a request, which only its authorization server and the browser know. */
function hasState(url: string, expected: string): boolean {
  const states = new URL(url).searchParams.getAll('state');
  return expected !== '' && states.length > 0 && states.every((state) => isSameSecret(state, expected));
}

function concludeCallback(
  env: FlowEnvironment,
  context: FlowContext,
  expected: ExpectedRedirect,
  text: string,
): Conclusion {
  const url = requireUrl(text);
  const values = (name: string) => url.searchParams.getAll(name);
  const code = values('code')[0] ?? null;
  if (code !== null) env.markSecret('code', code);
  const stop = (outcome: string, fault: Fault): Conclusion => ({ context, outcome, fault });
  const [state] = values('state');
  const { request, keep } = expected;
  if (state === undefined || values('state').length > 1 || !isSameSecret(state, request.state)) {
    return stop('It does not belong to this request.', wrongState(state !== undefined));
  }
  const hasCode = code !== null && values('code').length === 1;
  const [error] = values('error');
  const wrongIssuer = checkIssuer(expected, values('iss'));
  // The texts of an answer of another issuer must not be shown (MCP 2026-07-28 authorization response validation).
  if (wrongIssuer !== null) {
    const stopped = stop('It is of another issuer; the code was not sent.', wrongIssuer);
    const canOverride = hasCode && error === undefined;
    return canOverride ? { ...stopped, context: keep(code), canOverride } : stopped;
  }
  if (error !== undefined) return stop('The authorization was refused.', refused(error, url.searchParams));
  if (!hasCode) return stop('It has no usable code.', noCode);
  return { context: keep(code), outcome: 'state and iss are as expected, and it has a code.' };
}

/** The four cases of RFC 9207 section 2.4: declared or not, present or not. Compared without normalization. */
function checkIssuer(
  { issuer, promisesIss: isDeclared }: ExpectedRedirect,
  received: readonly string[],
): Fault | null {
  const [iss] = received;
  if (iss === undefined) return isDeclared ? missingIssuer(issuer) : null;
  return received.length === 1 && iss === issuer ? null : wrongIssuer(iss, issuer);
}

const wrongState = (isPresent: boolean): Fault => ({
  code: 'state-mismatch',
  what: isPresent
    ? 'The callback has another state than the request; the code was not sent.'
    : 'The callback has no state; the code was not sent.',
  why: 'It may belong to another request, or come from an attacker (RFC 6749 section 10.12).',
  next: 'Authorize again. If it happens again, the authorization server does not return state unchanged.',
});

const missingIssuer = (issuer: string | null): Fault => ({
  code: 'issuer-missing',
  what: 'The authorization server promised iss in the callback, but it is missing; the code was not sent.',
  why: `Expected ${issuer ?? ''} (RFC 9207 section 2.4).`,
  next: 'Have the authorization server send iss, or no longer promise it. A stepped flow can continue anyway, to test.',
});

const wrongIssuer = (received: string, expected: string | null): Fault => ({
  code: 'issuer-differs',
  what: `The callback names the issuer ${received.slice(0, 200)}, expected ${expected ?? ''}; the code was not sent.`,
  why: 'The answer may be of another authorization server (RFC 9207 section 2.4). They are compared character by character.',
  next: 'Have both sides write the issuer in the same way. A stepped flow can continue anyway, to test.',
});

function refused(error: string, parameters: URLSearchParams): Fault {
  const { says, next } = meaningOfError(error);
  const said = ['error_description', 'error_uri'].map((name) => parameters.get(name) ?? '');
  const quote = said.filter((one) => one !== '').join(': ');
  return {
    code: REFUSED,
    what: `${error.slice(0, 100)}: the authorization server ${says}`,
    ...(quote !== '' && { quote: quote.slice(0, 500) }),
    next,
  };
}

const noCode: Fault = {
  code: 'no-code',
  what: 'The callback has no code, or more than one.',
  next: 'Look at the URL of the callback, and at the log of the authorization server.',
};
