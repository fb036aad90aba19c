import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { grantNames, runGrant } from '#fixtures/authorization/flows-of-grants.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { challengesOf } from '#shared/authorization/challenge.ts';
import {
  explainedParameters,
  explainParameter,
  type ParameterPlace,
  parameterPlaces,
  placeOfPart,
} from '#shared/authorization/parameters.ts';

const opened = closeAfterEachTest();

/** What the user of these flows adds to requests. */
const own = new Set(['api_key', 'password']);

test.each(grantNames)('every parameter that the flows of %s send or get is explained', async (grant) => {
  const engine = opened(
    await EngineFixture.open({
      openInBrowser: async (url) => {
        await browse(url);
      },
    }),
  );
  const { flows } = await runGrant(grant, { engine, opened });
  const unknown: string[] = [];
  let count = 0;
  const look = (place: ParameterPlace | null, names: readonly string[], where: string) => {
    for (const name of names) {
      if (own.has(name)) continue;
      count++;
      if (place === null || explainParameter(place, name) === null) unknown.push(`${where}: ${name}`);
    }
  };
  for (const step of flows.flatMap(({ steps }) => steps)) {
    for (const part of ['query', 'headers', 'body'] as const)
      look(
        placeOfPart(step, part),
        (step.request?.[part] ?? []).map(({ name }) => name),
        `${step.name} ${part}`,
      );
    const { body = null, headers = [] } = step.response ?? {};
    const place = placeOfPart(step, 'response');
    if (place !== null && body?.startsWith('{') === true)
      look(place, Object.keys(JSON.parse(body) as object), `${step.name} response`);
    for (const { parameters } of challengesOf(headers))
      look('challenge', [...parameters.keys()], `${step.name} challenge`);
  }
  expect(unknown).toEqual([]);
  expect(count).toBeGreaterThan(30);
});

/** Words of the source that are values or error codes, or names of other things. */
const values = new Set(
  (
    'access_denied api_key authorization_code client_credentials client_secret_basic client_secret_post consent_required ' +
    'insufficient_scope interaction_required invalid_client invalid_client_metadata invalid_grant invalid_redirect_uri ' +
    'invalid_request invalid_scope invalid_target invalid_token login_required n_a offline_access private_key_jwt server_error ' +
    'temporarily_unavailable tls_client_auth unauthorized_client unsupported_response_type unsupported_token_type ' +
    'unsupported_grant_type use_dpop_nonce account_selection_required request_not_supported error_code'
  ).split(' '),
);

test('every parameter that the engine reads is explained', () => {
  const known = new Set(explainedParameters.map(({ name }) => name));
  const folder = new URL('./', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const words = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap(
      (file) => readFileSync(new URL(file, folder), 'utf8').match(/(?<=')[a-z]+(?:_[a-z]+)+(?=')/g) ?? [],
    );
  const unknown = [...new Set(words)].filter((word) => !known.has(word) && !values.has(word));
  expect(words.length).toBeGreaterThan(100);
  expect(unknown).toEqual([]);
});

test('a parameter has one explanation at each place, one sentence with its source', () => {
  const keys = explainedParameters.flatMap(({ name, in: places }) =>
    places.map((place) => `${place} ${name}`),
  );
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  for (const { text, source } of explainedParameters) {
    expect(text).toMatch(/^[A-Z"][^\n]*\.$/);
    expect(source).toMatch(/^(?:RFC \d{4}|OpenID Connect|OAuth|Fetch|MCP|JSON-RPC|Sightglass$)/);
  }
  for (const place of parameterPlaces) expect(keys.some((key) => key.startsWith(`${place} `))).toBe(true);
});

test('what nobody has registered has no explanation; only header lines ignore case', () => {
  expect(explainParameter('authorization-request', 'domain_hint')).toBeNull();
  expect(explainParameter('token-request', 'CODE')).toBeNull();
  expect(explainParameter('header', 'content-type')?.name).toBe('Content-Type');
  expect(explainParameter('callback', 'state')?.source).toBe('RFC 6749 4.1.2');
  expect(explainParameter('authorization-request', '__proto__')).toBeNull();
});
