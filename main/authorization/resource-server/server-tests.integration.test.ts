import { expect, test } from 'vitest';
import { TestedServer, type TestedOptions, withVerdict } from '#fixtures/authorization/tested-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { serverTestRules } from '#shared/authorization/server-test-rules.ts';
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
}[] = [
  {
    name: 'Streamable HTTP of 2025-11-25',
    options: { revision: '2025-11-25' },
    silent: ['bound-token-as-bearer'],
  },
  {
    name: 'Streamable HTTP of 2025-06-18 with event streams as answers, and DPoP',
    options: { revision: '2025-06-18', dpop: true, server: { answers: 'sse' } },
    // The tokens that the user entered are not bound to a key, so the fixture refuses them for that.
    silent: [],
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

test.each(servers)('the table names exactly the careless answers of $name', async ({ options, silent }) => {
  const tested = await ready(options);
  const applicable = serverTestIds.filter((id) => !silent.includes(id));
  const right = await run(tested);
  expect(right, JSON.stringify(right.tests.map(({ id, why }) => [id, why]))).toMatchObject({
    state: 'done',
    fault: null,
  });
  expect(withVerdict(right, 'careless')).toEqual([]);
  expect(withVerdict(right, 'right'), JSON.stringify(right.tests, null, 1)).toEqual(applicable);
  for (const id of applicable) {
    tested.beCareless(id);
    const careless = await run(tested);
    expect(withVerdict(careless, 'careless'), `careless about ${id}`).toEqual([id]);
  }
  tested.beCareless(...applicable);
  expect(withVerdict(await run(tested), 'careless')).toEqual(applicable);
});
