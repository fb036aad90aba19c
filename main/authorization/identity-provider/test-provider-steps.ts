import { authenticateClient } from '#authorization/client-authentication.ts';
import { checkTokenResponse } from '#authorization/checks/token-response.ts';
import type { FlowContext, FlowEnvironment, PlannedStep } from '#authorization/flow-types.ts';
import type { FormRequest } from '#authorization/form-request.ts';
import { workloadTokenRequest } from '#authorization/grants.ts';
import { readMetadata, textOf } from '#authorization/metadata.ts';
import { planProviderMetadata } from '#authorization/provider-metadata.ts';
import { oauthError } from '#authorization/server-words.ts';
import { withFindings } from '#authorization/step-findings.ts';
import { prepareForm } from '#authorization/step-request.ts';

/** Opens the test identity provider for the flow. It is closed when the flow ends. */
export function planTestProvider(env: FlowEnvironment, context: FlowContext): PlannedStep {
  return {
    name: env.settings.grant === 'enterprise' ? 'sign-in' : 'assertion',
    label: 'test identity provider',
    parties: ['client', 'identity-provider'],
    request: null,
    decidedBy: { text: 'The settings choose the test identity provider of Sightglass.', source: '' },
    alternatives: [],
    contextIfSkipped: null,
    act: {
      kind: 'local',
      conclude: async () => {
        const testIssuer = await env.testProvider();
        return {
          context: { ...context, testIssuer },
          outcome: `A test identity provider runs at ${testIssuer} until the flow ends.`,
        };
      },
    },
  };
}

/** It knows the client by the ID that the client has at the authorization server, and names that ID in its assertions. */
export const testProviderOf = ({ testIssuer, client }: FlowContext) => ({
  issuer: testIssuer ?? '',
  clientId: client?.clientId ?? '',
});

/** The request with the parameter that asks for a broken assertion; a value of the menu replaces it. */
export const withTestFault = (request: FormRequest): FormRequest => ({
  ...request,
  parameters: [...request.parameters, ['test_fault', 'none']],
});

export const testFaultNote = { test_fault: 'what is wrong with the assertion, to test the server' } as const;

/** The steps that get the token of a workload from the test identity provider. */
export async function planWorkloadToken(env: FlowEnvironment, context: FlowContext): Promise<PlannedStep> {
  if (context.testIssuer === null) return planTestProvider(env, context);
  const provider = testProviderOf(context);
  const { providerMetadata: metadata } = context;
  if (metadata === undefined) return planProviderMetadata(env, context, provider.issuer);
  const { issuer, clientId } = provider;
  const tokenEndpoint = new URL(textOf(metadata, 'token_endpoint') ?? '', issuer);
  const asked = withTestFault(workloadTokenRequest(tokenEndpoint, context.issuer ?? ''));
  const request = await authenticateClient(asked, {
    method: 'none',
    client: { clientId, clientSecret: null, privateKey: null },
    audience: issuer,
  });
  return {
    name: 'assertion',
    label: 'token of the workload',
    parties: ['client', 'identity-provider'],
    request: prepareForm(request, { audience: 'the issuer of the authorization server', ...testFaultNote }),
    decidedBy: { text: 'The platform of a workload gives it a token.', source: 'SEP-1933, RFC 7523 3' },
    alternatives: [],
    contextIfSkipped: null,
    act: {
      kind: 'exchange',
      conclude: (response) => {
        const read = readMetadata(response);
        const assertion = 'value' in read ? textOf(read.value, 'access_token') : null;
        if (assertion !== null) env.markSecret('assertion', assertion);
        const checked = checkTokenResponse(response, {
          scope: null,
          resource: null,
          issuer,
          usesDpop: false,
          authenticatesByHeader: false,
          now: Date.now(),
          isAssertion: true,
        });
        const conclusion =
          assertion === null
            ? {
                context,
                outcome: 'There is no token of the workload.',
                fault: {
                  code: 'assertion-refused',
                  what: `The test identity provider gave no token (HTTP status ${response.status}).`,
                  quote: oauthError(response).quote,
                },
              }
            : { context: { ...context, assertion }, outcome: 'There is a token of the workload.' };
        return withFindings(conclusion, checked, {
          response,
          question: { kind: 'assertion', issuer, clientId },
        });
      },
    },
  };
}
