import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { revisions } from '#shared/protocol/revisions.ts';
import { Conversation, modernMeta } from '#fixtures/trace/conversation.ts';

let said: Conversation;
beforeEach(async () => {
  said = await Conversation.begin();
});
afterEach(() => said.close());

const call = (id: number, progressToken: unknown, meta: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name: 'x', _meta: { progressToken, ...meta } },
});
const progress = (progressToken: unknown, step = 1) => ({
  method: 'notifications/progress',
  params: { progressToken, progress: step },
});
const result = (id: number, members: object = { content: [] }) => ({ id, result: members });
const cancel = (requestId: number) => ({ method: 'notifications/cancelled', params: { requestId } });

const rested = () => said.findings.map(({ rule, severity, rows }) => [rule, severity, rows]);

describe.each(revisions)('in $id', ({ id: revision, era }) => {
  const meta = era === 'modern' ? modernMeta() : {};
  const complete = era === 'modern' ? { content: [], resultType: 'complete' } : { content: [] };
  beforeEach(() => {
    if (era === 'legacy') said.initialize(revision);
    else said.client({ id: 0, method: 'server/discover', params: { _meta: meta } });
  });

  test('progress of an open request breaks nothing', () => {
    said.client(call(1, 'a', meta));
    said.server(progress('a'));
    said.server(progress('a', 2));
    said.server(result(1, complete));
    expect(said.findings).toEqual([]);
  });

  test('progress for a token that nobody gave', () => {
    said.client(call(1, 'a', meta));
    const row = said.server(progress('b'));
    expect(said.findings).toMatchObject([
      { rule: 'progress/unknown-token', severity: 'error', pointer: '/params/progressToken', rows: [row] },
    ]);
  });

  test('progress after the answer', () => {
    const request = said.client(call(1, 'a', meta));
    said.server(result(1, complete));
    const row = said.server(progress('a'));
    expect(rested()).toEqual([['progress/after-completion', 'error', [row, request]]]);
  });

  test('progress after a cancellation', () => {
    const request = said.client(call(1, 'a', meta));
    said.client(cancel(1));
    const row = said.server(progress('a'));
    expect(rested()).toEqual([['progress/after-cancel', 'info', [row, request]]]);
  });
});

test('a token keeps its type', () => {
  said.client(call(1, 7));
  said.server(progress('7'));
  said.server(progress(7));
  expect(said.broken).toEqual(['1 progress/unknown-token']);
});

test('a token that is given again belongs to the later request', () => {
  said.client(call(1, 'a'));
  said.server(result(1));
  said.client(call(2, 'a'));
  said.server(progress('a'));
  expect(said.findings).toEqual([]);
});

test('tokens of both sides are apart, and ours are judged as well', () => {
  said.server({ id: 's', method: 'sampling/createMessage', params: { _meta: { progressToken: 'a' } } });
  said.client(progress('a'));
  said.server(progress('a'));
  said.client(progress('b'));
  expect(said.broken).toEqual(['2 progress/unknown-token', '3 progress/unknown-token']);
  expect(said.findings[1]?.text).toMatch(/^Sent by us: /);
});

test.each([
  ['2025-11-25', { task: { taskId: 't', status: 'working' } }],
  ['2026-07-28', { resultType: 'task', taskId: 't', status: 'working' }],
])('in %s the token of a task lives on after the result that names the task', (_revision, members) => {
  said.client(call(1, 'a'));
  said.server(result(1, members));
  said.server(progress('a'));
  expect(said.findings).toEqual([]);
});

test('progress by another stream than the answer may have been sent before it', () => {
  const { recording } = said;
  const exchange = recording.request({ body: JSON.stringify({ jsonrpc: '2.0', ...call(1, 'a') }) });
  const standing = recording.request({ method: 'GET' });
  for (const one of [exchange, standing]) recording.response(one, 200);
  const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
  recording.stream(exchange, event(result(1)));
  recording.stream(standing, event(progress('a')));
  expect(said.findings).toEqual([]);
  recording.stream(exchange, event(progress('a')));
  expect(said.rules).toEqual(['progress/after-completion']);
});

test('after a request that could not be read no token is called unknown', () => {
  said.client('{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"a"}}}');
  said.server(progress('a'));
  expect(said.rules).toEqual(['jsonrpc/version']);
});

test('of a flood of requests and progress it stays right about the last', () => {
  for (let id = 0; id < 3000; id++) {
    said.client(call(id, id));
    said.server(progress(id));
    said.server(result(id));
  }
  said.server(progress(2999));
  said.server(progress(0));
  expect(said.rules).toEqual(['progress/after-completion', 'progress/unknown-token']);
});
