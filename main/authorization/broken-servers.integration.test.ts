import { expect, test } from 'vitest';
import type { BrokenServer } from '#fixtures/authorization/broken-server.ts';
import { brokenServers } from '#fixtures/authorization/broken-servers.ts';
import { faultyFlows } from '#fixtures/authorization/faulty-flows.ts';
import { browserOfUser } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { authorizationRules } from '#shared/authorization/rules.ts';
import { type AuthorizationFlow, defaultAuthorization, stepNames } from '#shared/contract/authorization.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';

const opened = closeAfterEachTest();

/** Faults that stop a flow later, although the response that shows them does not forbid going on. */
const endsLater: ReadonlySet<string> = new Set(['resource-metadata-missing', 'registration-unavailable']);

test.each(brokenServers)('a flow at a server with $name', async (row) => {
  const connected = await connect(row);
  const { server, engine, sessionId } = connected;
  const call = await provoke(row, connected);
  const flows = await engine.call('authorization/flows', { sessionId });
  rulesIn(flows);
  const summary = JSON.stringify(flows.map(summaryOf), null, 1);
  const steps = flows.flatMap((flow) => flow.steps);
  const shown = steps.filter(({ findings }) => findings.some(({ rule }) => rule === row.rule));
  expect(
    shown.map(({ name }) => name),
    summary,
  ).toContain(row.flowStep ?? row.step);
  const finding = shown.flatMap(({ findings }) => findings).find(({ rule }) => rule === row.rule);
  expect(finding).toMatchObject({ source: row.source });
  expect(finding?.text).toMatch(row.text);
  if (row.step === 'use-token' || row.step === 'step-up') {
    expect(flows.at(-1)?.steps.at(-1)).toMatchObject({ name: 'use-token', state: 'failed' });
    // Without a call, it is the list of tools that was refused.
    const { fault } = call ?? (await engine.call('catalog/tools', { sessionId }));
    expect(fault?.code).toMatch(/^(?:authorization-limit|scope-refused|fresh-token-rejected)$/);
  } else {
    const isFailed = row.stops || endsLater.has(row.rule);
    expect(flows.at(-1)?.state, summary).toBe(isFailed ? 'failed' : 'done');
    if (row.stops) expect(stepsAfter(flows, row), summary).toEqual([]);
  }
  expect(server.leaks).toEqual([]);
});

test.each(faultyFlows.map((row) => [row.name, row] as const))('flows at %s', async (_, { rules, run }) => {
  const flows = await run({ engine: await openEngine(), opened });
  const found = rulesIn(flows);
  expect(found, JSON.stringify(flows.map(summaryOf), null, 1)).toEqual(expect.arrayContaining([...rules]));
});

test('every rule of the table has been found in one of these flows', () => {
  expect(Object.keys(authorizationRules).filter((rule) => !foundRules.has(rule))).toEqual([]);
});

/** The rules that the flows of this file have found so far. */
const foundRules = new Set<string>();

/** The rules that flows have found. */
function rulesIn(flows: readonly AuthorizationFlow[]): string[] {
  const rules = flows.flatMap(({ steps }) =>
    steps.flatMap(({ findings }) => findings.map(({ rule }) => rule)),
  );
  for (const rule of rules) foundRules.add(rule);
  return rules;
}

const summaryOf = ({ state, fault, steps }: AuthorizationFlow) => [
  state,
  fault?.what,
  steps.map(({ name, outcome, findings }) => [name, outcome, findings.map(({ rule }) => rule)]),
];

/** An engine whose browser grants everything, and whose user says when it ends at an error page. */
async function openEngine(): Promise<EngineFixture> {
  const engine: EngineFixture = opened(
    await EngineFixture.open({ openInBrowser: browserOfUser(() => engine) }),
  );
  return engine;
}

async function connect(row: BrokenServer) {
  const server = opened(await ProtectedServer.open(row.options));
  row.prepare?.(server);
  const engine = await openEngine();
  const { revision = '2026-07-28' } = row;
  const { id: sessionId } = await engine.connectUrl(server.url, {
    revision,
    era: revision === '2026-07-28' ? 'modern' : 'legacy',
    http: {
      ...plainHttpSettings(server.url),
      authorization: { ...defaultAuthorization, dpop: row.dpop ?? false },
    },
  });
  return { server, engine, sessionId };
}

interface Connected {
  readonly server: ProtectedServer;
  readonly engine: EngineFixture;
  readonly sessionId: string;
}

/** Has the client do what shows the fault, if connecting does not. */
async function provoke({ step }: BrokenServer, { server, engine, sessionId }: Connected) {
  if (step === 'refresh') server.authorization.tokens.expireAccessTokens();
  if (step !== 'refresh' && step !== 'step-up') return null;
  return engine.callTool(sessionId, step === 'refresh' ? 'echo' : 'write', { message: 'hi' });
}

/** The steps with a request that came after the one that shows the fault. */
function stepsAfter(flows: readonly AuthorizationFlow[], { step }: BrokenServer): string[] {
  const last = flows.at(-1)?.steps ?? [];
  return last.flatMap(({ name, request }) =>
    request !== null && stepNames.indexOf(name) > stepNames.indexOf(step) ? [name] : [],
  );
}
