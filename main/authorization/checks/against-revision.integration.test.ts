import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { aFlow, aStep } from '#fixtures/page/known-flows.ts';
import { beginFlow } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { AuthorizationFlow, RevisionCheck } from '#shared/contract/authorization.ts';
import { checkAgainst } from './against-revision.ts';

const opened = closeAfterEachTest();

const revisions = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

/** No PKCE in its metadata, which is of an issuer with a slash; no resource_metadata in its challenge. */
const faulty: ProtectedServerOptions = {
  namesMetadata: false,
  authorization: { metadata: { code_challenge_methods_supported: undefined } },
};

async function open(options: ProtectedServerOptions = faulty) {
  const server = opened(await ProtectedServer.open(options));
  const engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
  const run = (revision: string) => beginFlow(engine, server.url, { mode: 'automatic', revision });
  const against = ({ sessionId, id }: AuthorizationFlow, revision: string) =>
    engine.call('authorization/check-against', { sessionId, flowId: id, revision });
  return { server, engine, run, against };
}

type Found = readonly { readonly rule: string; readonly severity: string; readonly text: string }[];

const shown = (found: Found) =>
  found.map(({ rule, severity, text }) => `${rule}, ${severity}: ${text}`).toSorted();

/** What a check finds in the steps of a name, without what does not hold for its revision. */
const foundIn = (flow: AuthorizationFlow, check: RevisionCheck, name: string) =>
  shown(
    check.steps
      .filter(({ id }) => flow.steps.find((step) => step.id === id)?.name === name)
      .flatMap(({ findings }) =>
        findings.filter(({ change }) => change !== 'goes').map(({ finding }) => finding),
      ),
  );

const changes = ({ steps }: RevisionCheck) =>
  steps.flatMap(({ findings }) =>
    findings
      .filter(({ change }) => change !== 'same')
      .map(({ change, finding: { rule, severity } }) => `${change} ${severity} ${rule}`),
  );

test('findings come and go with the revision, and nothing is sent', async () => {
  const { server, run, against } = await open();
  const flow = await run('2025-06-18');
  expect(flow.state).toBe('done');
  const before = server.log.length;
  const check = await against(flow, '2025-11-25');
  expect(changes(check)).toEqual([
    'goes error challenge-without-metadata',
    'comes info challenge-without-metadata',
    'goes warning pkce-not-advertised',
    'comes error pkce-not-advertised',
  ]);
  const stops = check.steps.filter((one) => one.stops).map(({ id }) => flow.steps[id - 1]?.name);
  expect(stops).toEqual(['server-metadata']);
  const came = check.steps.flatMap(({ findings }) => findings).filter(({ change }) => change === 'comes');
  for (const { finding } of came) expect(finding.row).toEqual(expect.any(Number));
  expect(server.log.length).toBe(before);
});

test('against its own revision nothing changes', async () => {
  const { run, against } = await open();
  const flow = await run('2025-06-18');
  const check = await against(flow, '2025-06-18');
  expect(changes(check)).toEqual([]);
  expect(check.steps.map(({ findings }) => findings.map(({ finding }) => finding))).toEqual(
    flow.steps.map(({ findings }) => findings),
  );
});

test('what is found against a revision is what a flow of that revision finds', async () => {
  const { run, against } = await open();
  const flows = new Map<string, AuthorizationFlow>();
  for (const revision of revisions) flows.set(revision, await run(revision));
  for (const from of revisions.slice(1))
    for (const to of revisions.slice(1))
      for (const name of ['challenge', 'server-metadata']) {
        const [recorded, real] = [flows.get(from), flows.get(to)];
        if (recorded === undefined || real === undefined) throw new Error('each revision has a flow');
        const expected = shown(
          real.steps.filter((step) => step.name === name).flatMap(({ findings }) => findings),
        );
        expect([from, to, name, foundIn(recorded, await against(recorded, to), name)]).toEqual([
          from,
          to,
          name,
          expected,
        ]);
      }
});

test('it says what a client of an older revision would not do', async () => {
  const { run, against } = await open({});
  const flow = await run('2026-07-28');
  const { steps } = await against(flow, '2025-03-26');
  const said = steps.flatMap(({ id, difference }) =>
    difference === null ? [] : [[flow.steps[id - 1]?.name, difference]],
  );
  expect(said).toEqual([
    ['resource-metadata', '2025-03-26 does not have resource metadata.'],
    ['authorization-request', '2025-03-26 does not have the parameter resource.'],
    ['token', '2025-03-26 does not have the parameter resource.'],
  ]);
});

test('the flow of an opened trace is checked the same, while its server is gone', async () => {
  const { server, engine } = await open();
  const session = await engine.connectUrl(server.url, { revision: '2025-06-18' });
  const [flow] = await engine.call('authorization/flows', { sessionId: session.id });
  if (flow === undefined) throw new Error('the session has a flow');
  expect(flow.steps.find(({ name }) => name === 'challenge')?.response?.status).toBe(401);
  const check = (sessionId: string) =>
    engine.call('authorization/check-against', { sessionId, flowId: flow.id, revision: '2026-07-28' });
  const live = await check(session.id);
  expect(changes(live).length).toBeGreaterThan(0);
  await engine.call('sessions/close', { sessionId: session.id });
  await server.close();
  const path = join(engine.folder, 'copy.mcptrace');
  await copyFile(session.traceFile.path, path);
  const { sessionId } = await engine.call('traces/open', { path });
  await engine.until(async () => {
    const all = await engine.call('traces/opened', {});
    return all.find((one) => one.sessionId === sessionId)?.isRead ? true : null;
  });
  const sent = server.log.length;
  expect(await check(sessionId)).toEqual(live);
  expect(server.log.length).toBe(sent);
});

test('an unknown flow and an unknown revision are faults', async () => {
  const { run, engine, against } = await open({});
  const flow = await run('2025-06-18');
  await expect(against(flow, '2024-01-01')).rejects.toMatchObject({ fault: { code: 'no-such-revision' } });
  const other = { sessionId: flow.sessionId, flowId: 'other', revision: '2025-06-18' };
  await expect(engine.call('authorization/check-against', other)).rejects.toMatchObject({
    fault: { code: 'no-such-flow' },
  });
});

test('without metadata, 2025-03-26 goes on with the default endpoints, and later revisions end', () => {
  const tried = aStep({ id: 1, outcome: 'Not usable: HTTP status 404.' });
  const end = aStep({
    id: 2,
    after: 1,
    request: null,
    response: null,
    findings: [
      {
        rule: 'default-endpoints-used',
        severity: 'info',
        text: 'The authorization server has no metadata. The default endpoints are used.',
        source: '',
        expected: null,
        received: null,
        row: null,
        library: null,
      },
    ],
  });
  const flow = aFlow({ revision: '2025-03-26', steps: [tried, end] });
  const check = checkAgainst(flow, '2025-06-18');
  expect(changes(check)).toEqual(['goes info default-endpoints-used', 'comes error server-metadata-missing']);
  expect(check.steps[1]?.stops).toBe(true);
});
