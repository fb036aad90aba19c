import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingBench } from '#fixtures/http/misbehaving-http/bench.ts';
import { misbehavingServer, type ScenarioWord } from '#fixtures/misbehaving/command.ts';
import { checkExchange } from '#fixtures/engine/observed-exchange.ts';
import type { Finding } from '#shared/contract/checks.ts';
import { IdCheck } from './correlation-check.ts';
import { rules } from './rules.ts';

/** Every finding of a session, page by page. */
async function findingsOf(engine: EngineFixture, sessionId: string): Promise<Finding[]> {
  const findings = await allPages(engine, sessionId);
  for (const { rule } of findings) foundRules.add(rule);
  return findings;
}

/** The rules that the sessions of this file have found so far. */
const foundRules = new Set<string>();

async function allPages(engine: EngineFixture, sessionId: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (;;) {
    const from = findings.length;
    const page = await engine.call('checks/findings', { sessionId, from, count: 3 });
    findings.push(...page.findings);
    if (findings.length >= page.total) return findings;
  }
}

/**
 * Every finding of a session that is closed first: what is wrong may come after the answer to a call, and only then can
 * no more come.
 */
async function foundAtEnd(engine: EngineFixture, sessionId: string): Promise<Finding[]> {
  await engine.call('sessions/close', { sessionId });
  expect((await engine.session(sessionId)).phase).toBe('closed');
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
    // Two of its lines open an object, and the others are no JSON at all.
    [
      'pretty',
      [
        'stdio/embedded-newline',
        ...Array.from({ length: 4 }, () => 'stdio/non-mcp-stdout'),
        'stdio/embedded-newline',
        ...Array.from({ length: 6 }, () => 'stdio/non-mcp-stdout'),
      ],
    ],
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
    ['extra-key', ['jsonrpc/extra-member /server']],
    ['error-without-id', ['jsonrpc/error-without-id']],
    [
      'wrong-capabilities',
      ['tools', 'prompts', 'logging'].flatMap((name) => [
        `capability/wrong-type /result/capabilities/${name}`,
      ]),
    ],
    [
      'logs-undeclared',
      ['capability/logging-not-declared /method', 'capability/logging-not-declared /method'],
    ],
    [
      'progress-without-token',
      ['progress/unknown-token /params/progressToken', 'schema/invalid /params/progressToken'],
    ],
    ['blank-lines', ['stdio/blank-line', 'stdio/blank-line', 'stdio/blank-line']],
    [
      'wrong-envelopes',
      [
        'jsonrpc/invalid-envelope /method',
        'jsonrpc/id-type /id',
        'jsonrpc/id-null /id',
        'jsonrpc/params-not-object /params',
        'jsonrpc/error-missing-code /error',
        'jsonrpc/error-missing-message /error/message',
        'jsonrpc/notification-with-id /id',
        'jsonrpc/id-reused /id',
        'version/message-not-in-negotiated-revision /method',
      ],
    ],
    ['crlf', []],
    ['notifies-of-the-unknown', []],
  ])('%s', async (scenario, expected) => {
    const { id } = await engine.connect(misbehavingServer(scenario));
    await engine.callTool(id, 'echo', { message: 'hi' }, 1000);
    const findings = await foundAtEnd(engine, id);
    expect(findings.map(ruleAndPlace)).toEqual(expected);
    expect(findings.map((finding) => finding.id)).toEqual(findings.map((_, place) => place));
  });

  test('a batch in 2024-11-05', async () => {
    const { id } = await engine.connect(misbehavingServer('batch'), { revision: '2024-11-05' });
    await engine.callTool(id, 'echo', { message: 'hi' });
    expect((await foundAtEnd(engine, id)).map(ruleAndPlace)).toEqual(['jsonrpc/batch-in-2024-11-05']);
  });

  test('unterminated', async () => {
    const { id } = await engine.connect(misbehavingServer('on-call', 'unterminated'));
    await engine.callTool(id, 'unterminated');
    expect((await foundAtEnd(engine, id)).map(ruleAndPlace)).toEqual(['stdio/unterminated-last-line']);
  });

  test('a message that is too large to be read', async () => {
    const { id } = await engine.connect(misbehavingServer('on-call', 'huge-frame:257'));
    await engine.callTool(id, 'huge-frame');
    expect((await foundAtEnd(engine, id)).map(ruleAndPlace)).toEqual(['transport/message-too-large']);
  });

  test('a check of ours that breaks is told as our fault, and the session goes on', async () => {
    const broken = vi.spyOn(IdCheck.prototype, 'check').mockImplementationOnce(() => {
      throw new Error('out of order');
    });
    const { id } = await engine.connect(misbehavingServer());
    broken.mockRestore();
    expect((await engine.callTool(id, 'echo', {})).state).toBe('ok');
    expect((await foundAtEnd(engine, id)).map(ruleAndPlace)).toEqual(['check/failed']);
  });

  test('lists-not-found', async () => {
    const { id } = await engine.connect(misbehavingServer('lists-not-found'));
    for (const method of ['tools/list', 'prompts/list']) {
      await engine.row(id, (row) => row.kind === 'error' && row.method === method);
    }
    const findings = await foundAtEnd(engine, id);
    expect(findings.map(({ rule }) => rule)).toEqual(
      Array.from({ length: 2 }, () => 'capability/declared-but-not-found'),
    );
    expect(new Set(findings.map(({ text }) => text))).toEqual(
      new Set(
        ['prompts', 'tools'].map(
          (name) => `The server declared the "${name}" capability, but does not know ${name}/list`,
        ),
      ),
    );
  });

  test.each<[ScenarioWord, tool: string, string[]]>([
    ['progress-after-answer', 'restless', ['progress/after-completion /params/progressToken']],
    ['progress-after-cancel', 'stubborn', ['progress/after-cancel /params/progressToken']],
    ['late-answer', 'late', ['jsonrpc/late-response']],
    ['progress-flood:50', 'busy', []],
  ])('%s', async (scenario, tool, expected) => {
    const { id } = await engine.connect(misbehavingServer(scenario));
    // Calls that are not answered are given up, which cancels them.
    await engine.callTool(id, tool, {}, tool === 'restless' || tool === 'busy' ? null : 300);
    expect((await foundAtEnd(engine, id)).map(ruleAndPlace)).toEqual(expected);
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
    ['accepted-request', ['http/202-for-request']],
    ['empty-body', ['http/empty-response-to-request']],
    ['closed-stream', ['sse/closed-without-response']],
    ['html-page', ['http/wrong-content-type', 'http/json-reply-not-object']],
    ['wrong-content-type', ['http/wrong-content-type']],
    ['no-content-type', ['http/wrong-content-type']],
    ['cookie-with-json', ['http/header-hides-content']],
    ['bad-json-event', ['sse/data-not-json']],
    ['short-body', ['transport/cut']],
    ['odd-modern-events', ['sse/retry', 'sse/event-id', 'sse/unknown-event-type']],
    ['odd-events', []],
    ['resumed-answer', []],
    ['never-resumed', []],
    ['answer-with-500', []],
    ['html-error', []],
    ['redirect-here', []],
    ['message-after-answer', []],
  ] as const)('%s', async (scenario, expected) => {
    const { engine, server } = bench;
    const { id } = await engine.connectUrl(server.url(scenario));
    const { requestRow } = await engine.callTool(id, 'misbehave', {}, 1000);
    // We would break off what is still coming by closing.
    await checkExchange(engine, id, requestRow, {
      check: ({ exchange }) => expect(exchange.end).not.toBeNull(),
    });
    expect((await foundAtEnd(engine, id)).map(ruleAndPlace)).toEqual(expected);
  });

  test.each([
    ['get-stream-is-html', ['http/wrong-content-type']],
    ['notification-answered', ['jsonrpc/response-to-notification']],
    ['notification-refused', []],
  ] as const)('%s', async (scenario, expected) => {
    const { engine, server } = bench;
    const { id } = await engine.connectUrl(server.url(scenario));
    const get = await engine.row(
      id,
      (row) => row.kind === 'http' && row.method === 'GET' && row.code !== null,
    );
    expect(get.code).toBe(200);
    await engine.callTool(id, 'echo', {});
    expect((await foundAtEnd(engine, id)).map(ruleAndPlace)).toEqual(expected);
  });
});

test('every rule of the table has been found in one of these sessions', () => {
  expect(Object.keys(rules).filter((rule) => !foundRules.has(rule))).toEqual([]);
});
