import { planAuthorizationRequest, planCallback } from './authorization-request.ts';
import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import { planChoice, planResourceMetadata, planServerMetadata } from './discovery.ts';
import { planWithoutResourceMetadata, planWithoutServerMetadata } from './discovery-fallbacks.ts';
import type { FlowContext, FlowEnvironment, PlannedStep } from './flow-types.ts';
import { bindingWhenSent, ownCredentials, planCredentials } from './issuer-change.ts';
import { planRegistration } from './registration.ts';
import { planResource } from './resource.ts';
import { planAssertion } from './enterprise.ts';
import { planWorkloadToken } from './identity-provider/test-provider-steps.ts';
import { planChallengeRequest, planUse } from './server-request.ts';
import { hasSignatures, planVerification } from './signature.ts';
import { planToken } from './token-request.ts';
import type { TokenSet } from './tokens.ts';

/** The next step after what is known; null when there is a token. */
export async function nextStep(env: FlowEnvironment, context: FlowContext): Promise<PlannedStep | null> {
  const { tokens } = context;
  // A flow that was forked after its end needs it again; the authorization server reads its keys.
  if (context.testIssuer !== null && tokens === null) await env.testProvider();
  if (tokens !== null) return env.asksServer ? planAfterToken(env, context, tokens) : null;
  if (context.demand === null) return planChallengeRequest(env, context);
  const discovery = planDiscovery(env, context);
  if (discovery !== null) return discovery;
  const resource = planResource(env, context);
  if (resource !== null) return resource;
  const credentials = ownCredentials(env, context);
  const question = await planCredentials(env, context, credentials);
  if (question !== null) return question;
  return bindingWhenSent(env, context, credentials, await planWithClient(env, context));
}

/** The steps from the registration to a token. */
async function planWithClient(env: FlowEnvironment, context: FlowContext): Promise<PlannedStep> {
  const { grant, testIdentityProvider } = env.settings;
  if (context.client === null || (await isOtherRedirect(env, context))) return planRegistration(env, context);
  if (grant === 'authorization-code') {
    if (context.authorizationRequest === null) return planAuthorizationRequest(env, context);
    if (context.code === null) return planCallback(env, context, context.authorizationRequest);
  }
  if (grant === 'enterprise' && context.assertion === null) return planAssertion(env, context);
  if (grant === 'workload-identity' && testIdentityProvider !== null && context.assertion === null)
    return planWorkloadToken(env, context);
  return planToken(env, context);
}

/** A flow that no request waits for verifies signatures, then sends a request with the token. */
async function planAfterToken(
  env: FlowEnvironment,
  context: FlowContext,
  tokens: TokenSet,
): Promise<PlannedStep | null> {
  if (context.isTokenUsed) return null;
  if (context.isSignatureChecked || !hasSignatures(tokens)) return planUse(env, context, tokens);
  return planVerification(env, context, tokens);
}

/** Whether the client was registered for another redirect URI than the one that this flow can listen at. */
async function isOtherRedirect(
  env: FlowEnvironment,
  { client, authorizationRequest }: FlowContext,
): Promise<boolean> {
  if (env.settings.grant !== 'authorization-code' || authorizationRequest !== null) return false;
  return client?.kind === 'dynamic' && client.redirectUri !== (await env.redirectUri());
}

/** The steps up to the endpoints of the authorization server; null once they are known. */
function planDiscovery(env: FlowEnvironment, context: FlowContext): PlannedStep | null {
  if (context.serverMetadata !== undefined) return null;
  if (env.rules.usesResourceMetadata && context.resourceMetadata === undefined) {
    const step = planResourceMetadata(env, context) ?? planWithoutResourceMetadata(env, context);
    if (step !== null) return step;
  }
  return (
    planChoice(env, context) ?? planServerMetadata(env, context) ?? planWithoutServerMetadata(env, context)
  );
}

/** The step that notes which response demanded authorization. */
export function challengeStep(context: FlowContext): PlannedStep {
  const challenge = oauthChallenge(challengesOf(context.demand?.headers ?? []));
  const names = [...(challenge?.parameters.keys() ?? [])];
  const found =
    challenge === null
      ? 'It has no challenge that OAuth can use.'
      : `Its challenge is ${challenge.scheme}${names.length === 0 ? '' : ` with ${names.join(', ')}`}.`;
  return {
    name: 'challenge',
    label: '',
    parties: ['mcp-server', 'client'],
    request: null,
    received: context.demand,
    decidedBy: { text: 'The server demands authorization.', source: 'RFC 6750 3' },
    alternatives: [],
    contextIfSkipped: null,
    act: {
      kind: 'local',
      conclude: () => ({
        context,
        outcome: `HTTP status ${context.demand?.status ?? 'unknown'}. ${found}`,
      }),
    },
  };
}
