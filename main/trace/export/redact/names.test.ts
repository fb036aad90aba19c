import { expect, test } from 'vitest';
import { secretLabel } from './names.ts';

test.each([
  ['Mcp-Session-Id', 'Mcp-Session-Id'],
  ['sessionId', 'sessionId'],
  ['X-Api-Key', 'X-Api-Key'],
  ['client_secret', 'client_secret'],
  ['acmePassword', '…password'],
  ['GITHUB_PAT', 'personal access token'],
  ['githubPat', 'personal access token'],
  ['compat', null],
  ['FORMAT_SPAT', null],
  ['progressToken', null],
  ['maxTokens', null],
  ['session', null],
  ['Last-Event-ID', null],
])('a member named %s is told as %j', (name, label) => {
  expect(secretLabel(name)).toBe(label);
});
