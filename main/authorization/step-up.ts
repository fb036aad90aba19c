import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Credentials } from './credentials.ts';
import { limitFindings } from './demand-findings.ts';
import type { NotedStep } from './flow-steps.ts';
import { type Demand, emptyContext, type FlowContext, type PlannedStep } from './flow-types.ts';
import { challengeWords } from './server-words.ts';
import { contextOf } from './stored-credentials-plan.ts';
import { type DemandingResponse, scopesOf } from './tokens-in-use.ts';

/** Limit of authorizations for one request (MCP 2025-11-25 authorization, step-up). */
export const MAX_ATTEMPTS = 3;

/** In a flow that begins, the client is one of before. */
export const unusedClient = { hasRegistered: false, isClientLost: false } as const;

/** What an authorization with more scopes begins with. @param last what the last flow learned */
export const contextAfter = (last: FlowContext, demand: Demand): FlowContext => ({
  ...last,
  tokens: null,
  authorizationRequest: null,
  code: null,
  ...unusedClient,
  // An assertion of the identity provider names the scopes, too, so a new one is needed.
  assertion: null,
  demand,
  scopesBefore: scopesOf(last),
  dropped: withoutScope(last),
  isStepUp: true,
});

/** What it begins with without a flow in this session: only what was requested before is known. */
export function contextAfterRestart(stored: Credentials, demand: Demand): FlowContext {
  const known = contextOf(stored, emptyContext);
  const { scopesBefore, isIssuerRejected } = known;
  const dropped = withoutScope(known);
  return { ...emptyContext, demand, scopesBefore, isIssuerRejected, dropped, isStepUp: true };
}

/** What stays switched off. A step-up is about the scope, so that is requested even if it was switched off before. */
function withoutScope({ dropped: { scope: _, ...others } }: FlowContext): FlowContext['dropped'] {
  return others;
}

/** The step that begins an authorization with more scopes. */
export const stepUpStep = (context: FlowContext): PlannedStep => {
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

/** The step that says that the token of the last flow was not enough either. */
export const limitStep = (
  { request, status, headers, row }: DemandingResponse,
  {
    last,
    revision,
    authorizations,
  }: { readonly last: FlowContext; readonly revision: string | null; readonly authorizations: number },
): NotedStep => ({
  name: 'use-token',
  parties: ['client', 'mcp-server'],
  received: { status, headers, row },
  outcome: `The server still refuses the request after ${authorizations} ${authorizations === 1 ? 'authorization' : 'authorizations'}.`,
  isFailed: true,
  findings: [
    ...limitFindings(
      { url: request.url, status, headers, row },
      { revision, authorizations, scope: scopesOf(last).join(' ') },
    ),
  ],
});

/** The server refuses the request after `MAX_ATTEMPTS` authorizations. */
export function tooOften({ headers }: DemandingResponse): Fault {
  const { quote } = challengeWords(headers);
  return {
    code: 'authorization-limit',
    what: 'The server still refuses the request after three authorizations, so it was given up.',
    ...(quote !== null && { quote }),
    why: 'It demands another scope each time, or does not look at the new token.',
    next: 'Compare the scopes of the token with those of the challenges. Scopes that you enter in the settings of the server are asked for at once.',
  };
}
