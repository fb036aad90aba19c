import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  Conversation,
  initializeParams,
  initializeResult,
  modernMeta,
} from '#fixtures/trace/conversation.ts';

let said: Conversation;
beforeEach(async () => {
  said = await Conversation.begin();
});
afterEach(() => said.close());

const badTool = { name: 'x', inputSchema: { type: 'string' } };
const listTools = { id: 5, method: 'tools/list' };
/** Legal from 2025-06-18 on. */
const elicitation = {
  id: 'e',
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
};

describe('a message that is not as its schema has it', () => {
  beforeEach(() => said.initialize());

  test('is told with its method, its place and what was expected', () => {
    said.client(listTools);
    const row = said.server({ id: 5, result: { tools: [badTool] } });
    expect(said.findings).toEqual([
      {
        id: 0,
        rule: 'schema/invalid',
        severity: 'error',
        source: 'schema',
        text: 'tools/list result: expected "object", got "string"',
        pointer: '/result/tools/0/inputSchema/type',
        revision: '2025-06-18',
        rows: [row],
      },
    ]);
  });

  test('may be a notification or a request of the server', () => {
    said.server({ method: 'notifications/message', params: { level: 'loud', data: 1 } });
    said.server({ id: 1, method: 'sampling/createMessage', params: { messages: [] } });
    expect(said.findings.map(({ pointer }) => pointer)).toEqual(['/params/level', '/params/maxTokens']);
  });

  test('may be ours', () => {
    said.client({ id: 6, method: 'tools/call', params: { arguments: {} } });
    expect(said.findings).toMatchObject([
      { text: 'Sent by us: tools/call request: "name" is missing', pointer: '/params/name' },
    ]);
  });

  test('has nothing wrong when it only has more than it must', () => {
    said.client(listTools);
    said.server({ id: 5, result: { tools: [], extra: 1, _meta: { extra: 1 } } });
    expect(said.findings).toEqual([]);
  });

  test('says when it does not tell all', () => {
    said.client(listTools);
    said.server({ id: 5, result: { tools: Array.from({ length: 100 }, () => badTool) } });
    expect(said.findings.length).toBe(21);
    expect(said.findings.at(-1)?.text).toContain('it may have more');
  });

  test('is not judged when it answers nothing, or too late', () => {
    said.server({ id: 77, result: { tools: 1 } });
    said.client(listTools);
    said.client({ method: 'notifications/cancelled', params: { requestId: 5 } });
    said.server({ id: 5, result: { tools: 1 } });
    expect(said.rules).toEqual(['jsonrpc/unknown-response-id', 'jsonrpc/late-response']);
  });
});

describe('the revision in force', () => {
  test('is the one that initialize was answered with, whatever was asked', () => {
    said.initialize('2025-06-18', '2025-03-26');
    said.server(elicitation);
    expect(said.findings).toMatchObject([
      { rule: 'version/message-not-in-negotiated-revision', revision: '2025-03-26', pointer: '/method' },
    ]);
  });

  test('is the one asked for until there is an answer', () => {
    said.client({ id: 0, method: 'initialize', params: initializeParams('2024-11-05') });
    said.server({ method: 'notifications/message', params: { level: 'loud', data: 1 } });
    expect(said.findings).toMatchObject([{ rule: 'schema/invalid', revision: '2024-11-05' }]);
  });

  test('judges the answer to initialize too', () => {
    said.client({ id: 0, method: 'initialize', params: initializeParams('2025-06-18') });
    said.server({ id: 0, result: { protocolVersion: '2025-03-26', capabilities: {} } });
    expect(said.findings).toMatchObject([{ pointer: '/result/serverInfo', revision: '2025-03-26' }]);
  });

  test('is the one asked for when the answer names none', () => {
    said.client({ id: 0, method: 'initialize', params: initializeParams('2025-06-18') });
    said.server({ id: 0, result: { ...initializeResult('x'), protocolVersion: 7 } });
    expect(said.findings).toMatchObject([{ pointer: '/result/protocolVersion', revision: '2025-06-18' }]);
  });

  test('leaves it at the envelope when we do not know it, and says so', () => {
    said.initialize('2025-06-18', '2031-01-01');
    said.client(listTools);
    said.server({ id: 5, result: { tools: 'none' } });
    said.server('{"jsonrpc":"2.0","id":1}');
    expect(said.rules).toEqual(['version/unknown', 'jsonrpc/neither-result-nor-error']);
    expect(said.findings[0]).toMatchObject({ severity: 'warning', pointer: '/result/protocolVersion' });
  });

  test('is unknown before anybody named one', () => {
    said.server({ method: 'notifications/message', params: { level: 'loud' } });
    expect(said.findings).toEqual([]);
  });

  test('is declared by each request of the modern era, and an answer goes by its request', () => {
    said.client({ id: 1, method: 'tools/list', params: { _meta: modernMeta() } });
    said.client({ id: 0, method: 'initialize', params: initializeParams('2025-06-18') });
    said.server({ id: 0, result: initializeResult('2025-06-18') });
    said.server({ id: 1, result: { tools: [] } });
    expect(new Set(said.findings.map(({ revision }) => revision))).toEqual(new Set(['2026-07-28']));
    expect(said.findings.map(({ pointer }) => pointer)).toContain('/result/resultType');
  });

  test('has no requests of a server in the modern era', () => {
    said.client({ id: 1, method: 'tools/list', params: { _meta: modernMeta() } });
    said.server(elicitation);
    said.server({ id: 2, method: 'ping' });
    expect(said.rules).toEqual([
      'version/message-not-in-negotiated-revision',
      'version/message-not-in-negotiated-revision',
    ]);
    expect(said.findings[0]?.text).toContain('asked for in a result');
  });
});

describe('methods', () => {
  beforeEach(() => said.initialize());

  test('of the other side', () => {
    said.server({ id: 1, method: 'tools/list' });
    expect(said.findings[0]?.text).toBe('tools/list is not for a server to send in revision 2025-06-18');
  });

  test('that nobody knows are told when they are requests of the server', () => {
    said.server({ id: 1, method: 'acme/ask' });
    said.server({ method: 'acme/tell' });
    said.client({ id: 9, method: 'acme/ask' });
    expect(said.findings).toMatchObject([{ rule: 'capability/unknown-server-method', severity: 'warning' }]);
  });
});

test('a server of the legacy era is not blamed for its answer to our probe', () => {
  const probe = { id: 1, method: 'server/discover', params: { _meta: modernMeta() } };
  said.client(probe, 'probe');
  said.server({ id: 1, error: { code: -32601, message: 'Method not found', data: { supported: 7 } } });
  said.client({ ...probe, id: 2 }, 'probe');
  said.client({ method: 'notifications/cancelled', params: { requestId: 2 } });
  said.server({ id: 2, error: { code: -32022, message: 'no' } });
  expect(said.findings).toEqual([]);
});
