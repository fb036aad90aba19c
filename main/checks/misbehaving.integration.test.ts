import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingBench } from '#fixtures/http/misbehaving-http/bench.ts';
import { misbehavingServer, type ScenarioWord } from '#fixtures/misbehaving/command.ts';
import type { Finding } from '#shared/contract/checks.ts';

/** Every finding of a session, page by page. */
async function findingsOf(engine: EngineFixture, sessionId: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (;;) {
    const from = findings.length;
    const page = await engine.call('checks/findings', { sessionId, from, count: 3 });
    findings.push(...page.findings);
    if (findings.length >= page.total) return findings;
  }
}

/** The findings, once they are those expected: what is wrong may come after the answer to a call. */
async function found(engine: EngineFixture, sessionId: string, expected: readonly string[]) {
  const told = async () => new Set((await findingsOf(engine, sessionId)).map(ruleAndPlace));
  await expect.poll(told).toEqual(new Set(expected));
  return findingsOf(engine, sessionId);
}

const ruleAndPlace = ({ rule, pointer }: Finding): string => (pointer === null ? rule : `${rule} ${pointer}`);

describe('a server on stdio', () => {
  let engine: EngineFixture;
  beforeEach(async () => {
    engine = await EngineFixture.open();
  });
  afterEach(() => engine.close());

  test.each<[ScenarioWord, string[]]>([
    ['noise', ['stdio/non-mcp-stdout']],
    ['pretty', ['stdio/embedded-newline', 'stdio/non-mcp-stdout']],
    ['two-on-a-line', ['stdio/several-on-a-line']],
    ['invalid-utf8', ['transport/invalid-utf8']],
    ['bom', ['transport/bom']],
    ['batch', ['jsonrpc/batch-in-unsupported-revision']],
    ['empty-batch', ['jsonrpc/batch-empty']],
    ['wrong-jsonrpc', ['jsonrpc/version /jsonrpc']],
    ['string-error-code', ['jsonrpc/error-code-not-integer /error/code']],
    ['result-and-error', ['jsonrpc/result-and-error']],
    ['neither-result-nor-error', ['jsonrpc/neither-result-nor-error']],
    ['null-result', ['jsonrpc/result-not-object /result']],
    ['result-without-content', ['schema/invalid /result/content']],
    ['duplicate-response', ['jsonrpc/duplicate-response /id']],
    ['unknown-id', ['jsonrpc/unknown-response-id /id']],
    ['string-id', ['jsonrpc/response-id-type-changed /id']],
    ['exact-numbers', ['jsonrpc/duplicate-key /result/structuredContent/twice']],
    ['tools-not-a-list', ['schema/invalid /result/tools']],
    ['asks-for-the-unknown', ['capability/unknown-server-method /method']],
    ['pings-with-large-ids', ['jsonrpc/id-too-large /id', 'jsonrpc/id-too-large /id']],
    ['extra-key', []],
    ['crlf', []],
    ['notifies-of-the-unknown', []],
  ])('%s', async (scenario, expected) => {
    const { id } = await engine.connect(misbehavingServer(scenario));
    await engine.callTool(id, 'echo', { message: 'hi' }, 1000);
    const findings = await found(engine, id, expected);
    expect(findings.map((finding) => finding.id)).toEqual(findings.map((_, place) => place));
    expect(findings.length).toBeGreaterThanOrEqual(expected.length);
  });

  test('the row of a finding, its detail and the session all tell of it', async () => {
    const { id } = await engine.connect(misbehavingServer('result-without-content'));
    await engine.callTool(id, 'echo', {});
    const [finding] = await findingsOf(engine, id);
    const bad = await engine.row(id, ({ finding: worst }) => worst !== null);
    expect(finding).toMatchObject({
      rows: [bad.row],
      severity: 'error',
      text: 'tools/call result: "content" is missing',
      revision: '2025-11-25',
    });
    expect(bad).toMatchObject({ kind: 'result', method: 'tools/call', finding: 'error' });
    expect(await engine.call('checks/of-row', { sessionId: id, row: bad.row })).toEqual([finding]);
    expect(await engine.call('checks/of-row', { sessionId: id, row: bad.row - 1 })).toEqual([]);
    expect((await engine.session(id)).findings).toEqual({ error: 1, warning: 0, info: 0 });
  });

  test('what the user sends wrong on purpose is told as ours', async () => {
    const { id } = await engine.connect(misbehavingServer());
    const { row } = await engine.send(id, '{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{}}');
    const findings = await engine.call('checks/of-row', { sessionId: id, row });
    expect(findings).toMatchObject([
      {
        rule: 'schema/invalid',
        pointer: '/params/name',
        text: 'Sent by us: tools/call request: "name" is missing',
      },
    ]);
  });

  test.each([
    // Its messages are judged no further.
    ['unknown-version', 'version/unknown /result/protocolVersion'],
    ['no-server-info', 'schema/invalid /result/serverInfo'],
  ] as const)('%s is told although the session fails', async (scenario, expected) => {
    const { id, phase } = await engine.connect(misbehavingServer(scenario));
    expect(phase).toBe('failed');
    expect((await findingsOf(engine, id)).map(ruleAndPlace)).toEqual([expected]);
  });

  test('findings of a session that does not exist are refused', async () => {
    await expect(engine.call('checks/of-row', { sessionId: 'none', row: 0 })).rejects.toThrow(/no session/);
  });
});

describe('a server over HTTP', () => {
  const bench = misbehavingBench();

  test.each([
    ['wrong-id', ['jsonrpc/unknown-response-id /id']],
    ['string-id', ['jsonrpc/response-id-type-changed /id']],
    ['two-answers', ['jsonrpc/duplicate-response /id']],
    ['batch-answer', ['jsonrpc/batch-in-unsupported-revision']],
    ['exact-numbers', ['jsonrpc/duplicate-key /result/structuredContent/twice']],
    ['bad-json-body', ['http/json-reply-not-object']],
    ['invalid-utf8-body', ['transport/invalid-utf8']],
    ['message-after-answer', []],
  ] as const)('%s', async (scenario, expected) => {
    const { engine, server } = bench;
    const { id } = await engine.connectUrl(server.url(scenario));
    await engine.callTool(id, 'misbehave', {}, 1000);
    const findings = await found(engine, id, expected);
    expect(findings).toHaveLength(expected.length);
    await engine.call('sessions/close', { sessionId: id });
  });
});
