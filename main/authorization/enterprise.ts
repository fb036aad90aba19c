import type { Fault } from '#shared/contract/fault.ts';
import { checkTokenResponse } from './checks/token-response.ts';
import { authenticateClient } from './client-authentication.ts';
import { chooseScope } from './authorization-request.ts';
import { dropNotes } from './dropped-parameters.ts';
import { resourceOf } from './resource.ts';
import type { FlowResponse } from './exchange.ts';
import type { Conclusion, FlowContext, FlowEnvironment, PlannedStep } from './flow-types.ts';
import { ID_JAG, tokenExchangeRequest } from './grants.ts';
import { readMetadata, textOf } from './metadata.ts';
import { planProviderMetadata } from './provider-metadata.ts';
import { oauthError } from './server-words.ts';
import {
  planTestProvider,
  testFaultNote,
  testProviderOf,
  withTestFault,
} from './identity-provider/test-provider-steps.ts';
import { planSignIn } from './sign-in.ts';
import { withFindings } from './step-findings.ts';
import { isSent, prepareForm } from './step-request.ts';

/** The steps that get an assertion of the identity provider for the authorization server (SEP-990). */
export async function planAssertion(env: FlowEnvironment, context: FlowContext): Promise<PlannedStep> {
  const isTest = env.settings.testIdentityProvider !== null;
  if (isTest && context.testIssuer === null) return planTestProvider(env, context);
  const provider = isTest ? testProviderOf(context) : env.settings.identityProvider;
  if (provider === null || !URL.canParse(provider.issuer)) {
    return stop(context, 'No identity provider is set.', noProvider);
  }
  const { providerMetadata: metadata } = context;
  if (metadata === undefined) return planProviderMetadata(env, context, provider.issuer);
  const given = isTest ? null : env.secrets.identityToken;
  const signIn = given === null ? await planSignIn(env, context, { ...provider, metadata }) : null;
  if (signIn !== null) return signIn;
  const subject = given ?? context.signIn.idToken ?? '';
  const endpoint = textOf(metadata, 'token_endpoint');
  if (endpoint === null || !URL.canParse(endpoint)) {
    return stop(context, 'The identity provider has no token endpoint.', noEndpoint);
  }
  const target = {
    tokenEndpoint: new URL(endpoint),
    resource: resourceOf(env, context).value,
    scope: chooseScope(env, context).scope,
  };
  const exchange = tokenExchangeRequest(target, {
    subject: { token: subject, type: 'id_token' },
    audience: context.issuer ?? '',
  });
  const request = await authenticateClient(isTest ? withTestFault(exchange) : exchange, {
    method: 'none',
    client: { clientId: provider.clientId, clientSecret: null, privateKey: null },
    audience: provider.issuer,
  });
  return {
    name: 'assertion',
    label: '',
    parties: ['client', 'identity-provider'],
    request: prepareForm(
      request,
      { audience: 'the issuer of the authorization server', ...testFaultNote },
      dropNotes(env.settings, {}),
    ),
    decidedBy: {
      text: 'The identity provider decides which servers its users may reach.',
      source: 'SEP-990, RFC 8693',
    },
    alternatives: [],
    contextIfSkipped: null,
    act: {
      kind: 'exchange',
      conclude: (response, { shown }) =>
        withFindings(
          concludeAssertion(env, context, response),
          checkTokenResponse(response, {
            scope: isSent(shown, 'scope') ? target.scope : null,
            resource: isSent(shown, 'resource') ? target.resource : null,
            issuer: provider.issuer,
            usesDpop: false,
            authenticatesByHeader: false,
            now: Date.now(),
            isAssertion: true,
          }),
          {
            response,
            question: { kind: 'assertion', issuer: provider.issuer, clientId: provider.clientId },
          },
        ),
    },
  };
}

function concludeAssertion(env: FlowEnvironment, context: FlowContext, response: FlowResponse): Conclusion {
  const read = readMetadata(response);
  const value = 'value' in read ? read.value : null;
  const assertion = textOf(value, 'access_token');
  if (assertion === null) {
    return { context, outcome: 'There is no assertion.', fault: refused(response) };
  }
  env.markSecret('assertion', assertion);
  const type = textOf(value, 'issued_token_type');
  if (type !== ID_JAG) return { context, outcome: 'It is a token of another type.', fault: otherType(type) };
  return {
    context: { ...context, assertion },
    outcome: 'There is an assertion for the authorization server.',
  };
}

const stop = (context: FlowContext, outcome: string, fault: Fault): PlannedStep => ({
  name: 'assertion',
  label: '',
  parties: ['client'],
  request: null,
  decidedBy: null,
  alternatives: [],
  contextIfSkipped: null,
  act: { kind: 'local', conclude: () => ({ context, outcome, fault }) },
});

const noProvider: Fault = {
  code: 'no-identity-provider',
  what: 'The enterprise grant needs an identity provider.',
  next: 'Enter its issuer, and the client ID there, in the settings of the server.',
};

const noEndpoint: Fault = {
  code: 'endpoint-missing',
  what: 'The metadata of the identity provider has no token_endpoint.',
  why: 'It is required (RFC 8414 section 2).',
};

const refused = (response: FlowResponse): Fault => ({
  code: 'assertion-refused',
  what: `The identity provider gave no assertion (HTTP status ${response.status}).`,
  quote: oauthError(response).quote,
});

const otherType = (type: string | null): Fault => ({
  code: 'assertion-type',
  what:
    type === null
      ? 'The identity provider does not say which type its token is of.'
      : `The identity provider gave a token of type ${type.slice(0, 200)}.`,
  why: `Expected ${ID_JAG} (SEP-990).`,
});
