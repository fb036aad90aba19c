import { expect, test } from 'vitest';
import { canonicalUrl } from './resource.ts';
import { namedMetadata, resourceCandidates, serverCandidates } from './metadata-candidates.ts';

test.each([
  // The examples of MCP 2025-06-18, authorization, canonical server URI.
  ['https://mcp.example.com/mcp', 'https://mcp.example.com/mcp'],
  ['https://mcp.example.com', 'https://mcp.example.com'],
  ['https://mcp.example.com:8443', 'https://mcp.example.com:8443'],
  ['https://mcp.example.com/server/mcp', 'https://mcp.example.com/server/mcp'],
  ['HTTPS://MCP.Example.com/Mcp', 'https://mcp.example.com/Mcp'],
  ['https://mcp.example.com/', 'https://mcp.example.com'],
  ['https://mcp.example.com/mcp?tenant=1#part', 'https://mcp.example.com/mcp?tenant=1'],
])('the canonical URL of %s', (url, canonical) => {
  expect(canonicalUrl(new URL(url))).toBe(canonical);
});

const urlsOf = (candidates: readonly { readonly url: string }[]) => candidates.map(({ url }) => url);

test('resource metadata is looked for where the challenge says, then at the well-known URLs', () => {
  const url = new URL('https://mcp.example.com/mcp');
  const [path, root] = urlsOf(resourceCandidates(url, null));
  const elsewhere = 'https://mcp.example.com/metadata';
  expect(urlsOf(resourceCandidates(url, elsewhere))).toEqual([elsewhere, path, root]);
  // None is requested twice.
  expect(urlsOf(resourceCandidates(url, path ?? ''))).toEqual([path, root]);
  expect(urlsOf(resourceCandidates(url, root ?? ''))).toEqual([root, path]);
});

test.each([
  ['https://other.example/metadata', true],
  ['file:///etc/passwd', false],
  ['/metadata', false],
  ['', false],
])('the URL %s in a challenge is requested: %s', (named, isUsed) => {
  const headers = [['WWW-Authenticate', `Bearer resource_metadata="${named}"`]] as const;
  expect(namedMetadata({ demand: { status: 401, headers, row: null } })).toBe(isUsed ? named : null);
});

test('without a challenge, resource metadata is at the path or at the root', () => {
  expect(urlsOf(resourceCandidates(new URL('https://mcp.example.com/a/mcp'), null))).toEqual([
    'https://mcp.example.com/.well-known/oauth-protected-resource/a/mcp',
    'https://mcp.example.com/.well-known/oauth-protected-resource',
  ]);
  expect(urlsOf(resourceCandidates(new URL('https://mcp.example.com'), null))).toEqual([
    'https://mcp.example.com/.well-known/oauth-protected-resource',
  ]);
});

test('an issuer with a path has three URLs for metadata, one without has two', () => {
  expect(urlsOf(serverCandidates('https://login.example.com/tenant', true))).toEqual([
    'https://login.example.com/.well-known/oauth-authorization-server/tenant',
    'https://login.example.com/.well-known/openid-configuration/tenant',
    'https://login.example.com/tenant/.well-known/openid-configuration',
  ]);
  expect(urlsOf(serverCandidates('https://login.example.com', true))).toEqual([
    'https://login.example.com/.well-known/oauth-authorization-server',
    'https://login.example.com/.well-known/openid-configuration',
  ]);
  expect(urlsOf(serverCandidates('https://login.example.com/tenant', false))).toHaveLength(1);
});
