import { expect, test } from 'vitest';
import { authorizationSettingsSchema, defaultAuthorization } from '../contract/authorization.ts';
import { knownClients, limitsOf, settingsOf } from './known-clients.ts';

const profile = (id: string) => {
  const found = knownClients.find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no profile ${id}`);
  return found;
};

test.each(knownClients)('$label has evidence, and settings that are valid', (one) => {
  expect(one.evidence).toMatch(/\w+\.\w+/);
  const settings = { ...defaultAuthorization, ...settingsOf(one) };
  expect(authorizationSettingsSchema.parse(settings)).toEqual(settings);
});

test('ids are unique', () => {
  expect(new Set(knownClients.map(({ id }) => id)).size).toBe(knownClients.length);
});

test('a redirect on this machine is filled in, with its port or a free one', () => {
  expect(settingsOf(profile('mcp-inspector'))).toMatchObject({
    redirect: { host: 'localhost', port: 6274, path: '/oauth/callback' },
    clientName: 'MCP Inspector',
    authMethod: 'none',
  });
  expect(settingsOf(profile('claude-code')).redirect).toEqual({
    host: 'localhost',
    port: null,
    path: '/callback',
  });
  expect(settingsOf(profile('vscode')).redirect).toEqual({ host: '127.0.0.1', port: 33418, path: '/' });
});

test('a redirect elsewhere is not filled in, and it is said that Sightglass cannot act as that client', () => {
  expect(settingsOf(profile('cursor'))).not.toHaveProperty('redirect');
  expect(limitsOf(profile('cursor'))).toEqual([expect.stringContaining('cannot act as Cursor')]);
  expect(limitsOf(profile('claude'))[0]).toContain('https://claude.ai/api/mcp/auth_callback');
  expect(limitsOf(profile('vscode'))).toEqual([
    expect.stringMatching(/^Visual Studio Code also registers .*https:\/\/vscode\.dev\/redirect/),
  ]);
  expect(limitsOf(profile('claude-code'))).toEqual([]);
});
