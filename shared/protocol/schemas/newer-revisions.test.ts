import { describe, expect, test } from 'vitest';
import { schemaTypes } from './index.ts';
import { response, errorResponse, notification, request } from '#fixtures/protocol/validate-message.ts';

const modern = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('of 2025-11-25', () => {
  const revision = '2025-11-25';
  const task = { taskId: 't', status: 'working', createdAt: 'c', lastUpdatedAt: 'u', ttl: null };

  test('a request that became a task is answered with it', () => {
    expect(response(revision, 'tools/call', { task })).toEqual([]);
    expect(response(revision, 'tools/call', { task: { ...task, status: 'asleep' } })).toHaveLength(1);
    expect(response(revision, 'tools/call', {})).toEqual(['/result/content: missing']);
    expect(response(revision, 'sampling/createMessage', { task }, 'client')).toEqual([]);
    expect(response(revision, 'tasks/list', { tasks: [task] }, 'client')).toEqual([]);
    expect(response('2025-06-18', 'tools/call', { task })).toEqual(['/result/content: missing']);
  });

  test('elicitation asks with a form or with a page', () => {
    const ask = (params: object) => request(revision, 'elicitation/create', params, 'server');
    const requestedSchema = { type: 'object', properties: {} };
    expect(ask({ message: 'm', requestedSchema })).toEqual([]);
    expect(ask({ mode: 'form', message: 'm' })).toEqual(['/params/requestedSchema: missing']);
    expect(ask({ mode: 'url', message: 'm' })).toEqual([
      '/params/elicitationId: missing',
      '/params/url: missing',
    ]);
    expect(ask({ mode: 'fax', message: 'm' })).toEqual([
      '/params/mode: expected one of "form", "url", got "fax"',
    ]);
  });

  test.each<[object, string[]]>([
    [{ type: 'string', enum: ['a'], default: 'a' }, []],
    [{ type: 'string', enum: ['a'], enumNames: ['A'] }, []],
    [{ type: 'string', enum: ['a'], enumNames: 'A' }, ['/enumNames: expected array, got string']],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, []],
    [{ type: 'string', oneOf: [{ const: 'a' }] }, ['/oneOf/0/title: missing']],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1 }, []],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, default: ['a'] }, []],
    [{ type: 'array', items: { anyOf: 'a' } }, ['/items/anyOf: expected array, got string']],
    [{ type: 'array' }, ['/items: missing']],
    [{ type: 'string', format: 'phone' }, [expect.stringContaining('/format: expected one of ') as string]],
    [{ type: 'object' }, [expect.stringContaining('/type: expected one of ') as string]],
    [{}, ['/type: missing']],
  ])('a field of a form may be %j: %j', (field, expected) => {
    const requestedSchema = { type: 'object', properties: { f: field } };
    const errors = request(revision, 'elicitation/create', { message: 'm', requestedSchema }, 'server');
    expect(errors.map((line) => line.replace('/params/requestedSchema/properties/f', ''))).toEqual(expected);
  });

  test('an answer to a form may hold several choices', () => {
    const accept = (content: object) =>
      response(revision, 'elicitation/create', { action: 'accept', content }, 'client');
    expect(accept({ a: ['x', 'y'], b: 1.5, c: true })).toEqual([]);
    expect(accept({ a: ['x', 1], b: null })).toEqual([
      '/result/content/a/1: expected string, got number',
      '/result/content/b: expected string or number or boolean, got null',
    ]);
  });

  test('a sampling message holds one part or several', () => {
    const use = { type: 'tool_use', id: '1', name: 'n', input: {} };
    const message = (content: unknown) =>
      response(revision, 'sampling/createMessage', { role: 'assistant', model: 'm', content }, 'client');
    expect(message(use)).toEqual([]);
    expect(message([use, { type: 'tool_result', toolUseId: '1', content: [] }])).toEqual([]);
    expect(message([{ ...use, input: 1 }])).toEqual(['/result/content/0/input: expected object, got number']);
  });

  test('the error that sends the user to a page names the page', () => {
    expect(errorResponse(revision, -32042)).toEqual(['/error/data: missing']);
    expect(errorResponse(revision, -32042, { elicitations: [{ mode: 'url' }] })).toHaveLength(3);
    expect(errorResponse('2025-06-18', -32042)).toEqual([]);
    expect(errorResponse(modern, -32042)).toEqual([]);
  });
});

describe('of 2026-07-28', () => {
  const name = { name: 'n' };

  test('a request says who it is for', () => {
    expect(request(modern, 'tools/call', { ...name, _meta: meta })).toEqual([]);
    expect(request(modern, 'tools/call', name)).toEqual(['/params/_meta: missing']);
    expect(request(modern, 'server/discover', { _meta: {} })).toEqual([
      '/params/_meta/io.modelcontextprotocol~1protocolVersion: missing',
      '/params/_meta/io.modelcontextprotocol~1clientCapabilities: missing',
    ]);
  });

  test('a result says of which type it is', () => {
    expect(response(modern, 'tools/call', { content: [], resultType: 'complete' })).toEqual([]);
    expect(response(modern, 'tools/call', { content: [] })).toEqual(['/result/resultType: missing']);
    expect(response('2025-11-25', 'tools/call', { content: [] })).toEqual([]);
    expect(response(modern, 'tools/call', {})).toEqual([
      '/result/resultType: missing',
      '/result/content: missing',
    ]);
    expect(response(modern, 'tools/call', { resultType: 'later' })).toEqual([
      '/result/resultType: expected one of "complete", "input_required", "task", got "later"',
    ]);
    expect(response(modern, 'prompts/get', { resultType: 'task' })).toHaveLength(1);
  });

  test('a list says how long it holds', () => {
    const list = { tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'public' };
    expect(response(modern, 'tools/list', list)).toEqual([]);
    expect(response(modern, 'tools/list', { ...list, ttlMs: -1, cacheScope: 'shared' })).toEqual([
      '/result/ttlMs: expected at least 0, got -1',
      '/result/cacheScope: expected one of "public", "private", got "shared"',
    ]);
    for (const method of ['resources/read', 'server/discover', 'prompts/list', 'resources/templates/list']) {
      expect(response(modern, method, { resultType: 'complete' })).toEqual(
        expect.arrayContaining(['/result/ttlMs: missing', '/result/cacheScope: missing']),
      );
    }
    expect(
      response(modern, 'completion/complete', { resultType: 'complete', completion: { values: [] } }),
    ).toEqual([]);
  });

  test.each(['tools/call', 'prompts/get', 'resources/read'])('%s may ask back', (method) => {
    const ask = (more: object) => response(modern, method, { resultType: 'input_required', ...more });
    const roots = { method: 'roots/list' };
    expect(ask({ requestState: 's' })).toEqual([]);
    expect(ask({ inputRequests: { r: roots } })).toEqual([]);
    expect(ask({})).toEqual(['/result: neither inputRequests nor requestState']);
    expect(ask({ inputRequests: { p: { method: 'ping' }, e: { method: 'elicitation/create' } } })).toEqual([
      '/result/inputRequests/p/method: expected one of "sampling/createMessage", "roots/list", "elicitation/create", got "ping"',
      '/result/inputRequests/e/params: missing',
    ]);
  });

  test('no other method may ask back', () => {
    for (const method of ['tools/list', 'completion/complete', 'server/discover']) {
      expect(response(modern, method, { resultType: 'input_required', requestState: 's' })[0]).toBe(
        '/result/resultType: expected "complete", got "input_required"',
      );
    }
  });

  test('the retry carries the answers', () => {
    const retry = (inputResponses: unknown) =>
      request(modern, 'tools/call', { ...name, _meta: meta, requestState: 's', inputResponses });
    const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: '' } };
    expect(retry({ a: { action: 'cancel' }, b: { roots: [] }, c: sampled })).toEqual([]);
    expect(retry({ a: {}, b: { roots: {} }, c: { role: 'user' } })).toEqual([
      '/params/inputResponses/a: no answer to elicitation, sampling or roots',
      '/params/inputResponses/b/roots: expected array, got object',
      '/params/inputResponses/c/content: missing',
      '/params/inputResponses/c/model: missing',
    ]);
  });

  test('a page that is asked for needs no id of its own any more', () => {
    const elicit = {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'm', url: 'https://a.example' },
    };
    const result = { resultType: 'input_required', inputRequests: { e: elicit } };
    expect(response(modern, 'tools/call', result)).toEqual([]);
  });

  test('structured content is any JSON value, and so may its schema be', () => {
    expect(
      response(modern, 'tools/call', { content: [], resultType: 'complete', structuredContent: 7 }),
    ).toEqual([]);
    expect(response('2025-11-25', 'tools/call', { content: [], structuredContent: 7 })).toHaveLength(1);
    const tool = {
      ...name,
      inputSchema: { type: 'object', properties: { a: true } },
      outputSchema: { type: 'array' },
    };
    const cached = { resultType: 'complete', ttlMs: 1, cacheScope: 'private' };
    expect(response(modern, 'tools/list', { tools: [tool], ...cached })).toEqual([]);
    expect(response('2025-11-25', 'tools/list', { tools: [tool] })).toEqual([
      '/result/tools/0/inputSchema/properties/a: expected object, got boolean',
      '/result/tools/0/outputSchema/type: expected "object", got "array"',
    ]);
  });

  test('a subscription names its stream', () => {
    const subscriptionId = { 'io.modelcontextprotocol/subscriptionId': 7 };
    expect(
      request(modern, 'subscriptions/listen', { _meta: meta, notifications: { taskIds: ['a'] } }),
    ).toEqual([]);
    expect(
      notification(modern, 'notifications/subscriptions/acknowledged', {
        _meta: { 'io.modelcontextprotocol/subscriptionId': {} },
      }),
    ).toEqual([
      '/params/_meta/io.modelcontextprotocol~1subscriptionId: expected string or number, got object',
      '/params/notifications: missing',
    ]);
    expect(
      response(modern, 'subscriptions/listen', { resultType: 'complete', _meta: subscriptionId }),
    ).toEqual([]);
    expect(response(modern, 'subscriptions/listen', { resultType: 'complete' })).toEqual([
      '/result/_meta: missing',
    ]);
  });

  test('a task brings along what its status needs', () => {
    const task = { taskId: 't', createdAt: 'c', lastUpdatedAt: 'u', ttlMs: 5 };
    const get = (more: object) => response(modern, 'tasks/get', { resultType: 'complete', ...task, ...more });
    expect(get({ status: 'working' })).toEqual([]);
    expect(get({ status: 'cancelled' })).toEqual([]);
    expect(get({ status: 'completed' })).toEqual(['/result/result: missing']);
    expect(get({ status: 'failed', error: { code: 1 } })).toEqual(['/result/error/message: missing']);
    expect(get({ status: 'input_required' })).toEqual(['/result/inputRequests: missing']);
    expect(get({ status: 'asleep' })).toHaveLength(1);
    expect(notification(modern, 'notifications/tasks', { ...task, status: 'completed' })).toEqual([
      '/params/result: missing',
    ]);
    expect(response(modern, 'tools/call', { resultType: 'task', ...task, status: 'working' })).toEqual([]);
    expect(request(modern, 'tasks/update', { _meta: meta, taskId: 't' })).toEqual([
      '/params/inputResponses: missing',
    ]);
  });

  test('its own errors say what was asked for', () => {
    expect(errorResponse(modern, -32022, { supported: [modern] })).toEqual([
      '/error/data/requested: missing',
    ]);
    expect(errorResponse(modern, -32021, { requiredCapabilities: { sampling: {} } })).toEqual([]);
    expect(errorResponse('2025-11-25', -32022)).toEqual([]);
  });

  test('has no types of what it dropped', () => {
    const types = schemaTypes(modern);
    for (const dropped of ['InitializeResult', 'TaskMetadata', 'ElicitationCompleteNotificationParams']) {
      expect(types.has(dropped)).toBe(false);
      expect(schemaTypes('2025-11-25').has(dropped)).toBe(true);
    }
  });
});
