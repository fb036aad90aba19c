import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { FlowContext } from './flow-types.ts';
import { challengeWords } from './server-words.ts';
import { type DemandingResponse, scopesOf } from './tokens-in-use.ts';

/** The scopes that the challenge of a response names. */
export const demandedScopes = (headers: HeaderLines): readonly string[] =>
  (oauthChallenge(challengesOf(headers))?.parameters.get('scope') ?? '')
    .split(/\s+/)
    .filter((one) => one !== '');

/** Whether a challenge says that the scopes of the token are too few. */
const lacksScope = (headers: HeaderLines): boolean =>
  oauthChallenge(challengesOf(headers))?.parameters.get('error') === 'insufficient_scope';

/** Whether a 403 asks for an authorization with more scopes: with insufficient_scope, or by naming scopes only. */
export const needsMoreScope = (headers: HeaderLines): boolean =>
  lacksScope(headers) || demandedScopes(headers).length > 0;

interface NeedContext {
  /** The scopes that were asked for so far. */
  readonly asked: readonly string[];
  /** How many authorizations the request has had. */
  readonly attempts: number;
  /** Whether a refresh comes first, after which the same token may do. */
  readonly canRefresh: boolean;
  /** Whether the settings name the scopes. */
  readonly areScopesSet: boolean;
}

/**
 * What a 401 or 403 needs: a token, or one with more scopes. Null if no authorization helps. A 401 that only names scopes may just say
 * what every request needs, so an expired token is refreshed first.
 */
export function needOf(
  { status, headers, authorization }: DemandingResponse,
  { asked, attempts, canRefresh, areScopesSet }: NeedContext,
): 'token' | 'scope' | null {
  if (status === 403) return needsMoreScope(headers) ? 'scope' : null;
  if (authorization === null) return 'token';
  if (lacksScope(headers)) return 'scope';
  const namesMore = demandedScopes(headers).some((one) => !asked.includes(one));
  const isLast = attempts > 0 || (!canRefresh && !areScopesSet);
  return namesMore && isLast ? 'scope' : 'token';
}

/** Whether an authorization for this demand would ask for what the last one was granted, or did not get. */
export function isAskedAgain(last: FlowContext, headers: HeaderLines): boolean {
  const demanded = demandedScopes(headers);
  const granted = (last.tokens?.scope ?? '').split(' ');
  const asked = scopesOf(last);
  const isGranted = demanded.length > 0 && demanded.every((one) => granted.includes(one));
  return isGranted || (last.isStepUp && demanded.every((one) => asked.includes(one)));
}

/** The server demands scopes that were asked for already. @param last what the last authorization learned */
export function scopeRefused(last: FlowContext, { status, headers }: DemandingResponse): Fault {
  const demanded = demandedScopes(headers);
  const granted = (last.tokens?.scope ?? '').split(' ').filter((one) => one !== '');
  const missing = demanded.filter((one) => !granted.includes(one));
  const { quote } = challengeWords(headers);
  const names = demanded.join(' ').slice(0, 300);
  const base = { code: 'scope-refused', ...(quote !== null && { quote }) };
  if (demanded.length === 0)
    return {
      ...base,
      what: `The server still says that the token lacks scopes (HTTP status ${status}), and does not say which.`,
      why: 'The client has asked for every scope that it knows of.',
      next: 'Have the server name the scopes in its challenge, or enter them in the settings of the server.',
    };
  return missing.length === 0
    ? {
        ...base,
        what: `The server demands the scope ${names} (HTTP status ${status}), which the token has.`,
        why: 'It does not look at the scopes of the token, or reads them from another claim than the one that the authorization server writes.',
        next: 'Compare the claims of the token, such as scope and scp, with what the server reads. Another authorization would give the same.',
      }
    : {
        ...base,
        what: `The server demands the scope ${names} (HTTP status ${status}), which was asked for and not granted: ${missing.join(' ').slice(0, 300)} is missing.`,
        why: 'The authorization server does not give it to this client or user.',
        next: 'Allow the scope for the client and the user at the authorization server, then authorize again in the Auth pane, or with "sightglass auth --save" and --scope.',
      };
}

/** The authorization server refused the scopes that the server demands. @param rejection the fault of that flow */
export const refusedBefore = (rejection: Fault, { status, headers }: DemandingResponse): Fault => ({
  ...rejection,
  code: 'scope-refused',
  what: `The server demands the scope ${demandedScopes(headers).join(' ').slice(0, 300)} (HTTP status ${status}), which was asked for and refused. ${rejection.what}`,
});

/** The server does not allow what a token without more scopes may not do. */
export function forbidden({ request, headers }: DemandingResponse): Fault {
  const { quote } = challengeWords(headers);
  return {
    code: 'http-status-403',
    what: `The server answered ${request.method} ${request.url.pathname} with HTTP status 403.`,
    ...(quote !== null && { quote }),
    why: 'It took the token, and does not allow this to its user or client; or it rejects Host or Origin of the request. It names no scope that would help, so another authorization would give the same.',
    next: 'Grant the user or the client what the request needs, at the server or the authorization server. If that is a scope, enter it in the settings of the server.',
  };
}
