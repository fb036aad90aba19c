import { expect, test } from 'vitest';
import type { FormRequest } from './form-request.ts';
import {
  authorizationCodeRequest,
  clientCredentialsRequest,
  declaredExtensions,
  introspectionRequest,
  jwtBearerRequest,
  refreshRequest,
  revocationRequest,
  tokenExchangeRequest,
} from './grants.ts';
import { materialize, prepareForm } from './step-request.ts';

/** A request as a flow sends it. */
function sentForm(form: FormRequest) {
  const { shown, secrets } = prepareForm(form);
  return materialize(shown, secrets);
}

const tokenEndpoint = new URL('https://as.example/token');
const target = { tokenEndpoint, resource: 'https://mcp.example/', scope: 'read write' };
const bare = { tokenEndpoint, resource: null, scope: null };

const bodyOf = (request: FormRequest) => sentForm(request).body?.toString();

test.each<[string, FormRequest, string]>([
  [
    'an authorization code',
    authorizationCodeRequest(target, {
      code: 'c',
      redirectUri: 'http://127.0.0.1:1/callback',
      verifier: 'v',
    }),
    'grant_type=authorization_code&code=c&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback&code_verifier=v&scope=read+write&resource=https%3A%2F%2Fmcp.example%2F',
  ],
  [
    'client credentials',
    clientCredentialsRequest(target),
    'grant_type=client_credentials&scope=read+write&resource=https%3A%2F%2Fmcp.example%2F',
  ],
  ['a refresh token', refreshRequest(bare, 'r+1'), 'grant_type=refresh_token&refresh_token=r%2B1'],
  [
    'an ID token at the identity provider',
    tokenExchangeRequest(bare, { subject: { token: 'i', type: 'id_token' }, audience: 'https://as.example' }),
    'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid-jag&subject_token=i&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid_token&audience=https%3A%2F%2Fas.example',
  ],
  [
    'an assertion',
    jwtBearerRequest({ ...bare, scope: 'x' }, 'a.b.c'),
    'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c&scope=x',
  ],
  [
    'a revocation',
    revocationRequest(tokenEndpoint, 't', 'refresh_token'),
    'token=t&token_type_hint=refresh_token',
  ],
  [
    'an introspection',
    introspectionRequest(tokenEndpoint, 't', 'access_token'),
    'token=t&token_type_hint=access_token',
  ],
])('the body of a request with %s', (_, request, body) => {
  expect(bodyOf(request)).toBe(body);
  expect(request).toMatchObject({ method: 'POST', url: tokenEndpoint, headers: [] });
});

test('resource is sent as it is written, with or without a slash', () => {
  for (const resource of ['https://mcp.example', 'https://mcp.example/', 'HTTPS://MCP.example/a?b=c']) {
    const { parameters } = clientCredentialsRequest({ ...bare, resource });
    expect(new URLSearchParams(bodyOf(clientCredentialsRequest({ ...bare, resource }))).get('resource')).toBe(
      resource,
    );
    expect(parameters.at(-1)).toEqual(['resource', resource]);
  }
});

test('each grant that is an extension is declared, and DPoP', () => {
  expect(declaredExtensions({ grant: 'authorization-code', dpop: false })).toEqual({});
  expect(declaredExtensions({ grant: 'client-credentials', dpop: false })).toEqual({
    'io.modelcontextprotocol/oauth-client-credentials': {},
  });
  expect(declaredExtensions({ grant: 'enterprise', dpop: true })).toEqual({
    'io.modelcontextprotocol/enterprise-managed-authorization': {},
    'io.modelcontextprotocol/auth/dpop': {},
  });
  expect(declaredExtensions({ grant: 'workload-identity', dpop: false })).toEqual({
    'io.modelcontextprotocol/auth/wif': {},
  });
});
