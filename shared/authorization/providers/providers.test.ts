import { describe, expect, test } from 'vitest';
import { aFlow, aStep } from '#fixtures/page/known-flows.ts';
import {
  type AuthorizationFlow,
  authorizationSettingsSchema,
  defaultAuthorization,
  knownProviderIds,
} from '#shared/contract/authorization.ts';
import { addressOf, isHost, isPath, providersOf } from './recognize.ts';
import { resourceIn, withProviderSettings } from './settings.ts';
import { knownProviders } from './table.ts';
import { trapsIn } from './traps.ts';

/** A flow at an authorization server with this metadata. */
const flowAt = (metadata: object, facts: Partial<AuthorizationFlow> = {}): AuthorizationFlow =>
  aFlow({
    steps: [
      aStep({ response: { status: 200, headers: [], body: JSON.stringify(metadata) } }),
      ...(facts.steps ?? []),
    ],
    ...Object.fromEntries(Object.entries(facts).filter(([name]) => name !== 'steps')),
  });

const recognized = (flow: AuthorizationFlow) =>
  providersOf(flow).map(({ provider, by }) => [provider.id, by]);

describe('the table', () => {
  test.each(knownProviderIds)(
    '%s has settings that are valid, and every trap a cause, a remedy and a source',
    (id) => {
      const { settings, traps, notes, label } = knownProviders[id];
      const filled = {
        ...defaultAuthorization,
        ...withProviderSettings(defaultAuthorization, settings, 'https://a.example/mcp'),
      };
      expect(authorizationSettingsSchema.parse(filled)).toEqual(filled);
      expect(label).not.toBe('');
      expect(notes.length).toBeGreaterThan(0);
      expect(new Set(traps.map((trap) => trap.id)).size).toBe(traps.length);
      for (const { cause, wayOn, shownBy, sources, title } of traps) {
        for (const text of [cause, wayOn]) expect(text, title).toMatch(/\.$/);
        expect(title).not.toMatch(/\.$/);
        expect(shownBy.length, title).toBeGreaterThan(0);
        expect(sources.length, title).toBeGreaterThan(0);
        for (const { url } of sources) expect(url).toMatch(/^https:\/\//);
      }
    },
  );
});

describe('a provider is recognized', () => {
  const at = (issuer: string, authorize: string, token: string) =>
    recognized(flowAt({ issuer, authorization_endpoint: authorize, token_endpoint: token }));

  test.each([
    [
      'entra',
      'https://login.microsoftonline.com/t/v2.0',
      'https://login.microsoftonline.com/t/oauth2/v2.0/authorize',
      'https://login.microsoftonline.com/t/oauth2/v2.0/token',
    ],
    [
      'entra',
      'https://sts.windows.net/t/',
      'https://login.microsoftonline.com/t/oauth2/authorize',
      'https://login.microsoftonline.com/t/oauth2/token',
    ],
    [
      'entra',
      'https://contoso.ciamlogin.com/t/v2.0',
      'https://contoso.ciamlogin.com/t/oauth2/v2.0/authorize',
      'https://contoso.ciamlogin.com/t/oauth2/v2.0/token',
    ],
    [
      'auth0',
      'https://tenant.eu.auth0.com/',
      'https://tenant.eu.auth0.com/authorize',
      'https://tenant.eu.auth0.com/oauth/token',
    ],
    [
      'okta',
      'https://dev-1.okta.com/oauth2/default',
      'https://dev-1.okta.com/oauth2/default/v1/authorize',
      'https://dev-1.okta.com/oauth2/default/v1/token',
    ],
    [
      'cognito',
      'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Ab',
      'https://x.auth.eu-west-1.amazoncognito.com/oauth2/authorize',
      'https://x.auth.eu-west-1.amazoncognito.com/oauth2/token',
    ],
    [
      'google',
      'https://accounts.google.com',
      'https://accounts.google.com/o/oauth2/v2/auth',
      'https://oauth2.googleapis.com/token',
    ],
    [
      'github',
      'https://github.com/login/oauth',
      'https://github.com/login/oauth/authorize',
      'https://github.com/login/oauth/access_token',
    ],
  ])('%s by its host %s', (id, issuer, authorize, token) => {
    expect(at(issuer, authorize, token)).toEqual([[id, 'host']]);
  });

  test.each([
    ['entra', 'https://id.example/t/v2.0', '/t/oauth2/v2.0/authorize', '/t/oauth2/v2.0/token'],
    ['auth0', 'https://id.example/', '/authorize', '/oauth/token'],
    ['okta', 'https://id.example/oauth2/aus1', '/oauth2/aus1/v1/authorize', '/oauth2/aus1/v1/token'],
    ['okta', 'https://id.example', '/oauth2/v1/authorize', '/oauth2/v1/token'],
    ['cognito', 'https://id.example/us-gov-west-1_Ab', '/oauth2/authorize', '/oauth2/token'],
    [
      'keycloak',
      'https://id.example/realms/one',
      '/realms/one/protocol/openid-connect/auth',
      '/realms/one/protocol/openid-connect/token',
    ],
    ['keycloak', 'https://id.example/auth/realms/one', '/x', '/y'],
    ['google', 'https://id.example', '/o/oauth2/v2/auth', '/token'],
    ['github', 'https://ghe.example/login/oauth', '/login/oauth/authorize', '/login/oauth/access_token'],
  ])('%s by its paths, at %s', (id, issuer, authorize, token) => {
    expect(at(issuer, `https://id.example${authorize}`, `https://id.example${token}`)).toEqual([
      [id, 'paths'],
    ]);
  });

  test.each([
    ['https://id.example', '/authorize', '/token'],
    ['https://gitea.example', '/login/oauth/authorize', '/login/oauth/access_token'],
    ['https://id.example/tenant', '/oauth2/authorize', '/oauth2/token'],
    ['https://evilauth0.com', '/connect/authorize', '/connect/token'],
    ['https://github.com.evil.example', '/a', '/b'],
  ])('none at %s', (issuer, authorize, token) => {
    expect(at(issuer, `https://id.example${authorize}`, `https://id.example${token}`)).toEqual([]);
  });

  test('as the user says, whatever its addresses are', () => {
    const metadata = { issuer: 'https://accounts.google.com' };
    expect(recognized(flowAt(metadata, { knownProvider: 'keycloak' }))).toEqual([['keycloak', 'chosen']]);
  });

  test('by its words, beside the one that it stands behind', () => {
    const flow = flowAt(
      { issuer: 'https://tenant.auth0.com/' },
      {
        state: 'failed',
        fault: { code: 'authorization-refused', what: 'invalid_request', quote: 'AADSTS901002: no' },
        steps: [aStep({ id: 2, name: 'callback', state: 'failed', response: null })],
      },
    );
    expect(recognized(flow)).toEqual([
      ['auth0', 'host'],
      ['entra', 'words'],
    ]);
    expect(trapsIn(flow).map(({ trap, stepId }) => [trap.id, stepId])).toContainEqual(['resource', 2]);
  });

  test('from what the resource metadata names, before there is metadata of the server', () => {
    const body = JSON.stringify({ authorization_servers: ['https://login.microsoftonline.com/t/v2.0'] });
    const step = aStep({ name: 'resource-metadata', response: { status: 200, headers: [], body } });
    expect(recognized(aFlow({ steps: [step] }))).toEqual([['entra', 'host']]);
  });

  test('and a response that is no JSON, too deep or cut is not read', () => {
    for (const body of ['{"issuer":', '[]', `{"a":${'['.repeat(5000)}`, 'null', ''])
      expect(recognized(aFlow({ steps: [aStep({ response: { status: 200, headers: [], body } })] }))).toEqual(
        [],
      );
  });
});

describe('patterns', () => {
  test('of hosts match whole labels', () => {
    expect(isHost('*.okta.com', 'dev-1.okta.com')).toBe(true);
    expect(isHost('*.okta.com', 'okta.com')).toBe(false);
    expect(isHost('*.okta.com', 'notokta.com')).toBe(false);
    expect(isHost('cognito-idp.*.amazonaws.com', 'cognito-idp.eu-west-1.amazonaws.com')).toBe(true);
    expect(isHost('cognito-idp.*.amazonaws.com', 'cognito-idp.amazonaws.com')).toBe(false);
  });

  test('of paths match segments', () => {
    expect(isPath('/*/v2.0', '/tenant/v2.0/')).toBe(true);
    expect(isPath('/*/v2.0', '/v2.0')).toBe(false);
    expect(isPath('/*-*-*_*', '/eu-west-1_Ab')).toBe(true);
    expect(isPath('/*-*-*_*', '/eu-west_Ab')).toBe(false);
    expect(isPath('/*-*-*_*', '/eu-west-1_')).toBe(false);
  });

  test('addresses are taken apart without user info, port, query and fragment', () => {
    expect(addressOf('https://a:b@Host.example:8443/one/two?x=/y#z')).toEqual({
      host: 'host.example',
      path: '/one/two',
    });
    expect(addressOf('https://host.example')).toEqual({ host: 'host.example', path: '/' });
    expect(addressOf('javascript:alert(1)')).toBeNull();
  });
});

describe('settings', () => {
  test('are added to those of the user', () => {
    const own = {
      ...defaultAuthorization,
      extra: [
        { name: 'audience', value: 'old' },
        { name: 'login_hint', value: 'me' },
      ],
      dropped: ['nonce' as const],
    };
    expect(withProviderSettings(own, knownProviders.auth0.settings, 'https://a.example/mcp')).toEqual({
      extra: [
        { name: 'login_hint', value: 'me' },
        { name: 'audience', value: 'https://a.example/mcp' },
      ],
    });
    expect(withProviderSettings(own, knownProviders.entra.settings, '').dropped).toEqual([
      'nonce',
      'resource',
    ]);
  });

  test('take the resource from the request that asked for it', () => {
    const query = [
      {
        name: 'resource',
        value: 'https://a.example/mcp',
        fingerprint: null,
        isOn: true,
        note: '',
        row: null,
      },
    ];
    const { request } = aStep();
    const step = aStep({ name: 'authorization-request', request: request && { ...request, query } });
    expect(resourceIn(aFlow({ steps: [step] }))).toBe('https://a.example/mcp');
    expect(resourceIn(aFlow())).toBeNull();
  });
});
