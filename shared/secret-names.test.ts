import { expect, test } from 'vitest';
import {
  holdsSecret,
  isCredentialParameter,
  isSecretHeader,
  isSecretVariable,
  secretField,
} from './secret-names.ts';

test.each([
  'Authorization',
  'Proxy-Authorization',
  'Cookie',
  'X-Api-Key',
  'x-api-key',
  'X-Auth-Token',
  'X-Secret',
  'Api-Key',
  'X-Password',
  'X-Access-Token',
  'Ocp-Apim-Subscription-Key',
  'X-Functions-Key',
  'X-Token-2',
  'X-Amz-Security-Token',
  'X-Auth',
  'Private-Token',
  'X-Vault-Token',
  'X-Client-Secret',
  'X-Pin',
  'X-CSRF-Token',
])('a header %s is secret by its name', (name) => {
  expect(isSecretHeader(name)).toBe(true);
});

test.each([
  'X-Forwarded-Proto',
  'X-Log-Level',
  'X-Mode',
  'Content-Type',
  'Accept',
  'User-Agent',
  'Origin',
  'X-Request-Id',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
  'Mcp-Param-Token',
  'Access-Control-Allow-Credentials',
  'Idempotency-Key',
  'Sec-WebSocket-Key',
  'WWW-Authenticate',
  'X-Author',
  'X-Keyboard',
  'X-Token-Limit',
  'X-Auth-Url',
  'X-Key-Type',
])('a header %s is not', (name) => {
  expect(isSecretHeader(name)).toBe(false);
});

test.each([
  'API_KEY',
  'GITHUB_TOKEN',
  'TOKEN_PROD',
  'DB_PASS',
  'AWS_ACCESS_KEY_ID',
  'githubToken',
  'MY_PAT',
  'OTP',
  'SIGNING_KEY_V2',
])('a variable %s is secret by its name', (name) => {
  expect(isSecretVariable(name)).toBe(true);
});

test.each([
  'PWD',
  'OLDPWD',
  'PATH',
  'TOKEN_LIMIT',
  'AUTH_URL',
  'KEYBOARD',
  'MONKEY',
  'TOKENIZERS_PARALLELISM',
  'PASSENGER',
  'NODE_ENV',
])('a variable %s is not', (name) => {
  expect(isSecretVariable(name)).toBe(false);
});

test('a number or a switch in a variable with the name of a secret is not a secret', () => {
  expect(holdsSecret('API_TOKEN', '4096')).toBe(false);
  expect(holdsSecret('API_TOKEN', 'true')).toBe(false);
  expect(holdsSecret('API_TOKEN', 'text')).toBe(true);
});

test.each([
  'api_key',
  'apiKey',
  'key',
  'token',
  'code',
  'sig',
  'X-Amz-Signature',
  'access_token',
  'otp',
  'pass',
  'id_token_hint',
])('a parameter %s carries a credential', (name) => {
  expect(isCredentialParameter(name)).toBe(true);
});

test.each([
  'sessionId',
  'page',
  'pageToken',
  'state',
  'monkey',
  'sortKey',
  'countryCode',
  'author',
  'code_challenge',
  'token_type',
])('a parameter %s carries none', (name) => {
  expect(isCredentialParameter(name)).toBe(false);
});

test.each([
  'pw',
  'mfa',
  '2fa',
  'puk',
  'tan',
  'pincode',
  'creds',
  'passwort',
  'securitycode',
  'seed_phrase',
  'sshkey',
  'licenseKey',
])('a field %s asks for a secret', (name) => {
  expect(secretField(name)).not.toBeNull();
});

test.each(['tangent', 'monkey', 'forbearer', 'spin', 'input'])('a field %s asks for none', (name) => {
  expect(secretField(name)).toBeNull();
});

test('a field is named by the row of the table that says so', () => {
  expect(secretField('smsCode')).toBe('code');
  expect(secretField('language_code')).toBeNull();
});
