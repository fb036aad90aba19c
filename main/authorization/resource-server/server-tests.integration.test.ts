import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestedServer, type TestedOptions, withOutcome } from '#fixtures/authorization/tested-server.ts';
import type { Answer } from '#fixtures/authorization/answer.ts';
import type { ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import type { ReceivedRequest } from '#fixtures/http/received.ts';
import { type ServerTestRule, serverTestRules } from '#shared/authorization/server-test-rules.ts';
import { serverTestIds, type ServerTestId, type ServerTests } from '#shared/contract/server-tests.ts';

const opened = closeAfterEachTest();

/** The rules that the runs of this file have found so far. */
const foundRules = new Set<string>();

async function ready(options: TestedOptions): Promise<TestedServer> {
  const tested = opened(await TestedServer.open(options));
  await tested.addTokens();
  return tested;
}

async function run(tested: TestedServer): Promise<ServerTests> {
  const tests = await tested.run();
  for (const { finding } of tests.tests) if (finding !== null) foundRules.add(finding.rule);
  return tests;
}

const ofSessions: readonly ServerTestId[] = [
  'session-without-token',
  'stream-without-token',
  'session-of-another',
  'stream-of-another',
  'resumption-by-another',
];
const notSse: readonly ServerTestId[] = [
  'less-scope',
  'stream-without-token',
  'stream-of-another',
  'resumption-by-another',
];

const servers: readonly {
  readonly name: string;
  readonly options: TestedOptions;
  /** What does not apply to it, and what says nothing. */
  readonly silent: readonly ServerTestId[];
  /** What it is careless about, one after the other; everything that applies by default. */
  readonly alone?: readonly ServerTestId[];
}[] = [
  {
    name: 'Streamable HTTP of 2025-11-25',
    options: { revision: '2025-11-25' },
    silent: ['bound-token-as-bearer'],
  },
  {
    name: 'Streamable HTTP of 2025-06-18 with event streams as answers, and DPoP',
    options: { revision: '2025-06-18', dpop: true, server: { answers: 'sse' } },
    silent: [],
    alone: ['bound-token-as-bearer', 'changed-signature', 'session-of-another'],
  },
  {
    name: 'Streamable HTTP of 2026-07-28',
    options: { revision: '2026-07-28' },
    silent: ['bound-token-as-bearer', ...ofSessions],
  },
  {
    name: 'HTTP+SSE of 2024-11-05',
    options: { revision: '2024-11-05', server: { transport: 'http-sse' } },
    silent: ['bound-token-as-bearer', ...notSse],
  },
];

describe.each(servers)('$name', ({ options, silent, alone }) => {
  const applicable = serverTestIds.filter((id) => !silent.includes(id));
  let tested: TestedServer;
  beforeAll(async () => {
    tested = await TestedServer.open(options);
    await tested.addTokens();
  });
  afterAll(() => tested.close());

  test('the table names nothing of a right server', async () => {
    tested.beCareless();
    const right = await run(tested);
    expect(right).toMatchObject({ state: 'done', fault: null });
    expect(withOutcome(right, 'careless')).toEqual([]);
    expect(withOutcome(right, 'right'), JSON.stringify(right.tests, null, 1)).toEqual(applicable);
  });

  test.each(alone ?? applicable)(
    'the table names exactly what the server is careless about: %s',
    async (id) => {
      tested.beCareless(id);
      const careless = await run(tested);
      expect(withOutcome(careless, 'careless')).toEqual([id]);
      expect(careless.tests.find((one) => one.id === id)).toMatchObject({
        finding: { source: expect.stringMatching(/RFC|OAuth|best practices/), row: expect.any(Number) },
        status: expect.any(Number),
      });
    },
  );

  test('the table names all careless answers of one server', async () => {
    tested.beCareless(...applicable);
    expect(withOutcome(await run(tested), 'careless')).toEqual(applicable);
  });
});

/** A server that refuses in another way than it should. */
interface OddRejection {
  readonly name: string;
  readonly revision?: string;
  readonly server: ProtectedServerOptions;
  /** The careless answers, with their rules. */
  readonly found: Readonly<Partial<Record<ServerTestId, ServerTestRule>>>;
}

const hasToken = ({ header }: ReceivedRequest): boolean => header('Authorization') !== undefined;
const hasGarbage = ({ header }: ReceivedRequest): boolean =>
  header('Authorization')?.includes('sightglass-test-') === true;
const toGarbage = (change: Partial<Answer>): ProtectedServerOptions => ({
  overrides: { challenge: (answer, request) => (hasGarbage(request) ? { ...answer, ...change } : answer) },
});
const toNoToken = (change: Partial<Answer>): ProtectedServerOptions => ({
  overrides: { challenge: (answer, request) => (hasToken(request) ? answer : { ...answer, ...change }) },
});
const challenge = (value: string): Partial<Answer> => ({ headers: [['WWW-Authenticate', value]] });
const otherStatus = { 'garbage-token': 'rejection-with-other-status' } as const;

const oddRejections: readonly OddRejection[] = [
  { name: 'with 403', server: toGarbage({ status: 403 }), found: otherStatus },
  { name: 'with 404', server: toGarbage({ status: 404 }), found: otherStatus },
  {
    name: 'with a redirect to a login page',
    server: toGarbage({ status: 302, headers: [['Location', '/login']] }),
    found: otherStatus,
  },
  {
    name: 'with an error of JSON-RPC and status 200',
    server: toGarbage({
      status: 200,
      headers: [['Content-Type', 'application/json']],
      body: { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Token is not valid' } },
    }),
    found: { 'garbage-token': 'rejection-as-success' },
  },
  {
    name: 'with a login page and status 200',
    server: toGarbage({
      status: 200,
      headers: [['Content-Type', 'text/html']],
      body: '<!doctype html><title>Sign in</title>',
    }),
    found: { 'garbage-token': 'rejection-as-success' },
  },
  {
    name: 'with a failure',
    server: toGarbage({ status: 500 }),
    found: { 'garbage-token': 'fails-on-token' },
  },
  {
    name: 'without a challenge',
    server: toNoToken({ headers: [] }),
    found: { 'no-token': 'missing-token-without-challenge' },
  },
  {
    name: 'with a challenge for Basic',
    server: toNoToken(challenge('Basic realm="x"')),
    found: { 'no-token': 'missing-token-without-challenge' },
  },
  {
    name: 'with a challenge that names no metadata, in 2025-06-18',
    revision: '2025-06-18',
    server: toNoToken(challenge('Bearer')),
    found: { 'no-token': 'missing-token-challenge-unusable' },
  },
  {
    name: 'with a challenge that names no metadata, later',
    server: toNoToken(challenge('Bearer')),
    found: {},
  },
  {
    name: 'with a challenge whose metadata is no URL',
    server: toNoToken(challenge('Bearer resource_metadata="/metadata"')),
    found: { 'no-token': 'missing-token-challenge-unusable' },
  },
  {
    name: 'a scope without naming it',
    server: { overrides: { 'insufficient-scope': challenge('Bearer error="insufficient_scope"') } },
    found: { 'less-scope': 'scope-rejection-unusable' },
  },
  {
    name: 'a scope without a challenge',
    server: { overrides: { 'insufficient-scope': { headers: [] } } },
    found: { 'less-scope': 'scope-rejection-unusable' },
  },
  {
    name: 'a scope with 401',
    server: { overrides: { 'insufficient-scope': { status: 401 } } },
    found: { 'less-scope': 'rejection-with-other-status' },
  },
];

test.each(oddRejections)(
  'a server that refuses $name',
  async ({ revision = '2025-11-25', server, found }) => {
    const tested = await ready({ revision });
    const { overrides } = server;
    tested.server.options = { ...tested.server.options, ...(overrides && { overrides }) };
    const { tests } = await run(tested);
    const careless = tests.flatMap(({ id, finding }) => (finding === null ? [] : [[id, finding.rule]]));
    expect(Object.fromEntries(careless)).toEqual(found);
  },
);

test('every rule of the table has been found in one of these runs', () => {
  expect(Object.keys(serverTestRules).filter((rule) => !foundRules.has(rule))).toEqual([]);
});
