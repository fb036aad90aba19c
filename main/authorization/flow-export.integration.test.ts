import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { browse } from '#fixtures/authorization/browser.ts';
import { grantNames, PLANTED_SECRET, runGrant } from '#fixtures/authorization/flows-of-grants.ts';
import { secretsOf, writtenForms } from '#fixtures/authorization/secrets-of.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { complaintsAbout } from '#fixtures/trace/har-files.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { type FlowExportFormat, flowExportFormats } from '#shared/contract/exports.ts';

const opened = closeAfterEachTest();

const openEngine = async () =>
  opened(
    await EngineFixture.open({
      openInBrowser: async (url) => {
        await browse(url);
      },
    }),
  );

let files = 0;

async function exported(
  engine: EngineFixture,
  { sessionId, id: flowId }: Pick<AuthorizationFlow, 'sessionId' | 'id'>,
  format: FlowExportFormat,
  patterns: string[] = [],
) {
  const path = join(engine.folder, `flow-${++files}.${format}`);
  const written = await engine.call('exports/write-flow', { sessionId, flowId, format, patterns, path });
  return { ...written, text: await readFile(written.path, 'utf8') };
}

const harSchema = z.object({
  log: z.object({
    entries: z.array(
      z.looseObject({
        request: z.object({ method: z.string(), url: z.string() }),
        response: z.object({ status: z.number() }),
        _row: z.number(),
        _step: z.looseObject({ id: z.number(), name: z.string(), branch: z.number(), state: z.string() }),
        _findings: z.array(z.looseObject({ rule: z.string() })),
      }),
    ),
  }),
});

test.each(grantNames)(
  'the report and the HAR of %s hold every step, verdict and finding, and no secret',
  async (name) => {
    const engine = await openEngine();
    const { server, flows } = await runGrant(name, { engine, opened });
    const secrets = [...secretsOf(server), ...writtenForms(PLANTED_SECRET)];
    expect(secrets.length).toBeGreaterThan(8);
    for (const flow of flows) {
      const texts: string[] = [];
      for (const format of flowExportFormats) texts.push((await exported(engine, flow, format)).text);
      for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret);
      const [report = '', har = ''] = texts;
      expectWhole(report, flow);
      expect(complaintsAbout(JSON.parse(har))).toEqual([]);
      const { entries } = harSchema.parse(JSON.parse(har)).log;
      const withRow = flow.steps.filter(({ row }) => row !== null);
      expect(new Set(entries.map(({ _step: { id } }) => id))).toEqual(new Set(withRow.map(({ id }) => id)));
      for (const { _step: own, _findings: found } of entries) {
        const step = flow.steps.find(({ id }) => id === own.id);
        expect([own.state, own.branch]).toEqual([step?.state, step?.branch]);
        expect(found.map(({ rule }) => rule)).toEqual(step?.findings.map(({ rule }) => rule));
      }
    }
  },
);

/** Every step has its part, with what it did, why, and what is wrong. */
function expectWhole(report: string, { steps, revision }: AuthorizationFlow): void {
  expect(report).toContain(`- Revision: \`${revision}\``);
  const parts = new Map(
    report
      .split('\n### ')
      .slice(1)
      .map((part) => [Number.parseInt(part, 10), part]),
  );
  expect([...parts.keys()]).toEqual(steps.map(({ id }) => id));
  for (const step of steps) {
    const part = parts.get(step.id) ?? '';
    expect(part).toContain(`- State: \`${step.state}\``);
    if (step.response !== null) expect(part).toContain(`- Status: \`${step.response.status}`);
    if (step.outcome !== '') expect(part).toContain('- Outcome: ');
    if (step.decidedBy !== null) expect(part).toContain(`- Decided by: \`${step.decidedBy.text}`);
    if (step.decidedBy?.source) expect(part).toContain(`(\`${step.decidedBy.source}\`)`);
    if (step.branch > 0) expect(part).toContain(`branch ${step.branch}`);
    if (step.wrongValue !== null) expect(part).toContain(`- Wrong value: \`${step.wrongValue}\``);
    for (const { rule, source } of step.findings)
      expect(part).toMatch(new RegExp(`\`${rule}\`: .*\\(\`${source.replaceAll(/[().]/g, '\\$&')}\`\\)`));
    for (const { name } of step.request?.query ?? []) expect(part).toContain(`- \`${name}\` = `);
    for (const { fingerprint } of step.request?.body ?? [])
      if (fingerprint !== null) expect(part).toContain(`secret, fingerprint \`${fingerprint}\``);
  }
}

test('the report says which settings differ, which attempt failed, what was taken back and forked', async () => {
  const engine = await openEngine();
  const { flows } = await runGrant('a client that registers', { engine, opened });
  const [flow] = flows;
  if (flow === undefined) throw new Error('there is no flow');
  const { text, entries } = await exported(engine, flow, 'md');
  expect(entries).toBe(flow.steps.length);
  const [, settings = ''] = /## Settings that differ from the default\n\n([^#]*)/.exec(text) ?? [];
  expect(settings.trim().split('\n')).toEqual([
    '- `scopes`: `files:read offline_access`',
    '- `extra`: `api_key (secret)`',
  ]);
  expect(text).toContain('- State: `taken-back`');
  expect(text).toContain('- Place: branch 1, after step');
  expect(text).toMatch(/- Wrong value: `verifier-wrong`, .*: rejected \(`invalid_grant`, `RFC 7636 4.6`\)/);
  expect(text).toMatch(/attempt 2 of 2/);
});

test('a request that was sent twice has both exchanges, and one that got no response has its own', async () => {
  const engine = await openEngine();
  const { server, flows } = await runGrant('a secret in the form', { engine, opened });
  const [flow] = flows;
  if (flow === undefined) throw new Error('there is no flow');
  const twice = flow.steps.find(({ wrongValue }) => wrongValue === 'code-twice');
  const { entries } = harSchema.parse(JSON.parse((await exported(engine, flow, 'har')).text)).log;
  expect(entries.filter(({ _step: { id } }) => id === twice?.id)).toMatchObject([
    { response: { status: 200 } },
    { response: { status: 400 } },
  ]);
  await server.authorization.close();
  const [credentials] = await engine.call('authorization/credentials', { serverId: flow.serverId });
  const about = { credentialsId: credentials?.id ?? '', sessionId: flow.sessionId };
  const begun = await engine.call('authorization/introspect', about);
  const failed = await engine.until(async () => {
    const now = (await engine.call('authorization/flows', about)).find(({ id }) => id === begun.id);
    if (now?.state === 'stopped')
      await engine.call('authorization/send', { flowId: now.id, request: null, wrongValue: null });
    return now?.state === 'failed' ? now : null;
  });
  const har = harSchema.parse(JSON.parse((await exported(engine, failed, 'har')).text));
  expect(har.log.entries).toMatchObject([{ response: { status: 0 }, _step: { name: 'introspect' } }]);
});

test('a recorded session exports its flows too, with the patterns of the user replaced', async () => {
  const engine = await openEngine();
  const { flows } = await runGrant('a client that registers', { engine, opened });
  const [flow] = flows;
  if (flow === undefined) throw new Error('there is no flow');
  const { traceFile } = await engine.session(flow.sessionId);
  await engine.call('sessions/close', { sessionId: flow.sessionId });
  const { sessionId } = await engine.call('traces/open', { path: traceFile.path });
  await engine.until(async () => {
    const all = await engine.call('authorization/flows', { sessionId });
    return all.length === flows.length ? true : null;
  });
  const all = await engine.call('authorization/flows', { sessionId });
  expect(all.map(({ state }) => state)).toEqual(flows.map(({ state }) => state));
  const recorded = { sessionId, id: flow.id };
  const { text } = await exported(engine, recorded, 'md');
  expectWhole(text, { ...flow, steps: flow.steps.filter(({ state }) => state !== 'planned') });
  expect(text).toContain('- `scopes`: `files:read offline_access`');
  const { text: har } = await exported(engine, recorded, 'har');
  expect(complaintsAbout(JSON.parse(har))).toEqual([]);
  expect(harSchema.parse(JSON.parse(har)).log.entries.length).toBeGreaterThan(8);

  const replaced = await exported(engine, recorded, 'md', ['offline_access', 'token']);
  expect(replaced.text).not.toContain('offline_access');
  expect(replaced.text).toContain('### ');
  const { path } = await engine.call('exports/suggest', { sessionId, format: 'har', flow: flow.number });
  expect(path).toMatch(/-authorization-1\.har$/);
  const again = { sessionId, flowId: flow.id, format: 'md' as const, patterns: [] };
  await expect(engine.call('exports/write-flow', { ...again, path: replaced.path })).rejects.toMatchObject({
    fault: { code: 'export-exists' },
  });
  await expect(
    engine.call('exports/write-flow', { ...again, flowId: 'other', path: `${replaced.path}.md` }),
  ).rejects.toMatchObject({ fault: { code: 'no-such-flow' } });
});
