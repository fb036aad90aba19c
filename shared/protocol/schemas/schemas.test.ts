import { describe, expect, test } from 'vitest';
import { type Revision, revisions } from '../revisions.ts';
import { maxErrors } from './kit.ts';
import {
  response,
  errorResponse,
  notification,
  request,
  type SchemaErrors,
} from '#fixtures/protocol/validate-message.ts';

const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
const modern = '2026-07-28';

describe('a message', () => {
  test('is told what is missing, what is of the wrong type and what is no choice', () => {
    expect(notification('2025-06-18', 'notifications/message', { level: 'loud', logger: 7 })).toEqual([
      '/params/level: expected one of "debug", "info", "notice", "warning", "error", "critical", "alert", ' +
        '"emergency", got "loud"',
      '/params/logger: expected string, got number',
      '/params/data: missing',
    ]);
    expect(notification('2025-06-18', 'notifications/message', { level: 'info', data: null })).toEqual([]);
  });

  test.each<[unknown, string]>([
    [true, 'expected string or number, got boolean'],
    [null, 'expected string or number, got null'],
    [1.5, 'expected a whole number, got 1.5'],
    [Infinity, 'expected string or number, got a number too large'],
  ])('with the progress token %j is told: %s', (progressToken, words) => {
    const params = { progressToken, progress: 1 };
    expect(notification('2025-06-18', 'notifications/progress', params)).toEqual([
      `/params/progressToken: ${words}`,
    ]);
  });

  test('may have whole numbers beyond 2^53', () => {
    const params = { progressToken: 2 ** 60, progress: 1 };
    expect(notification('2025-06-18', 'notifications/progress', params)).toEqual([]);
  });

  test('names a key with a slash or a tilde as a JSON pointer does', () => {
    const result = { completion: { values: [] }, _meta: { 'io.modelcontextprotocol/serverInfo': 'me' } };
    expect(response(modern, 'completion/complete', { ...result, resultType: 'complete' })).toEqual([
      '/result/_meta/io.modelcontextprotocol~1serverInfo: expected object, got string',
    ]);
    const requestedSchema = { type: 'object', properties: { 'a~b/c': { type: 'date' } } };
    expect(request('2025-06-18', 'elicitation/create', { message: 'm', requestedSchema }, 'server')).toEqual([
      '/params/requestedSchema/properties/a~0b~1c/type: expected one of "string", "number", "integer", "boolean", got "date"',
    ]);
  });

  test('full of faults is told the first of them only', () => {
    const tools = Array.from({ length: 1000 }, () => ({}));
    expect(response('2025-06-18', 'tools/list', { tools })).toHaveLength(maxErrors);
    const params = {
      name: 'n',
      arguments: Object.fromEntries(tools.map((_, index) => [`a${index}`, index])),
    };
    expect(request('2025-06-18', 'prompts/get', params)).toHaveLength(maxErrors);
  });

  test('is told a long value only in part', () => {
    const [words] = request('2025-06-18', 'logging/setLevel', { level: 'x'.repeat(5000) });
    expect(words?.length).toBeLessThan(250);
  });

  test('may leave its params out when nothing in them is required', () => {
    expect(request('2025-06-18', 'tools/list')).toEqual([]);
    expect(request('2025-06-18', 'ping', undefined, 'server')).toEqual([]);
    expect(request('2025-06-18', 'tools/call')).toEqual(['/params: missing']);
    expect(request(modern, 'tools/list')).toEqual(['/params: missing']);
    expect(notification(modern, 'notifications/tools/list_changed')).toEqual([]);
  });

  test('of the wrong kind is told so', () => {
    expect(request('2025-06-18', 'notifications/initialized')).toEqual(['/id: a notification has none']);
    expect(notification('2025-06-18', 'tools/list', { cursor: 1 }, 'client')).toEqual([
      '/id: missing: this is a request',
      '/params/cursor: expected string, got number',
    ]);
  });

  test('of a method that is not there, or not this side’s, has no problem of schema', () => {
    expect(request('2025-06-18', 'acme/beam', { far: true })).toEqual([]);
    expect(request('2025-06-18', 'constructor', 7)).toEqual([]);
    expect(request('2024-11-05', 'elicitation/create', {}, 'server')).toEqual([]);
    expect(request(modern, 'initialize', {})).toEqual([]);
    expect(request(modern, 'sampling/createMessage', {}, 'server')).toEqual([]);
    expect(request('2025-06-18', 'tools/call', {}, 'server')).toEqual([]);
    expect(response('2025-06-18', 'acme/beam', 7)).toEqual([]);
    expect(response('2025-06-18', 'tools/call', 7, 'client')).toEqual([]);
    expect(response('2025-06-18', 'notifications/message', 7)).toEqual([]);
  });

  test('that answers nobody knows what is at least an object', () => {
    expect(response('2025-06-18', null, { any: 'thing' })).toEqual([]);
    expect(response('2025-06-18', null, [])).toEqual(['/result: expected object, got array']);
  });
});

describe('content', () => {
  const call = (revision: Revision, ...content: unknown[]): SchemaErrors =>
    response(revision, 'tools/call', { content, ...(revision === modern && { resultType: 'complete' }) });

  test.each<[string, object, Revision]>([
    ['text', { text: '' }, '2024-11-05'],
    ['image', { data: 'base64-encoded-image-data', mimeType: 'image/png' }, '2024-11-05'],
    ['resource', { resource: { uri: 'a:b', text: '' } }, '2024-11-05'],
    ['audio', { data: '', mimeType: 'audio/wav' }, '2025-03-26'],
    ['resource_link', { uri: 'a:b', name: 'b' }, '2025-06-18'],
  ])('%s %j is known since %s', (type, rest, since) => {
    for (const { id } of revisions) {
      const expected =
        id < since ? [expect.stringMatching(/^\/result\/content\/0\/type: expected one of /)] : [];
      expect(call(id, { type, ...rest }), id).toEqual(expected);
    }
  });

  test('of an unknown kind is one problem, at its type', () => {
    expect(call('2024-11-05', { type: 'text', text: 'a' }, { type: 'video', data: 7 })).toEqual([
      '/result/content/1/type: expected one of "text", "image", "resource", got "video"',
    ]);
    expect(call('2025-06-18', { text: 'a' })).toEqual(['/result/content/0/type: missing']);
    expect(call('2025-06-18', 'text')).toEqual(['/result/content/0: expected object, got string']);
  });

  test('that is a resource has text or a blob', () => {
    const resource = (contents: object) => call('2025-06-18', { type: 'resource', resource: contents });
    expect(resource({ uri: 'a:b' })).toEqual(['/result/content/0/resource: neither text nor blob']);
    expect(resource({ uri: 'a:b', blob: 7 })).toEqual([
      '/result/content/0/resource/blob: expected string, got number',
    ]);
    expect(resource({ uri: 'a:b', text: '', blob: 'AA==' })).toEqual([]);
  });
});

describe('what the documents say in two ways is read the generous way:', () => {
  const embedded = (resource: unknown) => ({ content: [{ type: 'resource', resource }] });

  test.each(legacy)('keys that nobody knows are legal in %s', (revision) => {
    const contents = [{ uri: 'a:b', text: '', name: 'n', title: 't', annotations: 'in the wrong place' }];
    expect(response(revision, 'resources/read', { contents, more: 1 })).toEqual([]);
    expect(notification(revision, 'notifications/resources/updated', { uri: 'a:b', title: 7 })).toEqual([]);
    expect(response(revision, 'tools/call', embedded(contents[0]))).toEqual([]);
  });

  test('an embedded resource need not name its media type', () => {
    expect(response('2025-06-18', 'tools/call', embedded({ uri: 'a:b', text: '' }))).toEqual([]);
  });

  test('what a later revision added is an unknown key before', () => {
    const clientInfo = { name: 'n', version: '1', title: 7 };
    const params = { protocolVersion: '2024-11-05', capabilities: { elicitation: 1 }, clientInfo };
    expect(request('2024-11-05', 'initialize', params)).toEqual([]);
    expect(request('2025-06-18', 'initialize', params)).toEqual([
      '/params/capabilities/elicitation: expected object, got number',
      '/params/clientInfo/title: expected string, got number',
    ]);
  });

  test('a request without an id is a notification, and that is what is wrong with it', () => {
    expect(notification('2025-06-18', 'resources/list', { cursor: 'a' }, 'client')).toEqual([
      '/id: missing: this is a request',
    ]);
  });

  test('a refused elicitation says decline, not reject', () => {
    expect(response('2025-06-18', 'elicitation/create', { action: 'decline' }, 'client')).toEqual([]);
    expect(response('2025-06-18', 'elicitation/create', { action: 'reject' }, 'client')).toEqual([
      '/result/action: expected one of "accept", "decline", "cancel", got "reject"',
    ]);
  });

  test('sampling may hold audio from 2025-03-26 on', () => {
    const content = { type: 'audio', data: '', mimeType: 'audio/wav' };
    const params = { messages: [{ role: 'user', content }], maxTokens: 1 };
    for (const revision of legacy) {
      expect(request(revision, 'sampling/createMessage', params, 'server')).toHaveLength(
        revision === '2024-11-05' ? 1 : 0,
      );
    }
  });

  test('bad arguments may be told by an error or by a result', () => {
    expect(errorResponse('2025-06-18', -32602)).toEqual([]);
    expect(response('2025-06-18', 'tools/call', { content: [], isError: true })).toEqual([]);
  });

  test.each([-32002, -1, 418, -32099])('an error may have the code %d', (code) => {
    expect(errorResponse('2025-06-18', code, { any: ['thing'] })).toEqual([]);
  });

  test('templates are paginated', () => {
    expect(request('2025-06-18', 'resources/templates/list', { cursor: 'a' })).toEqual([]);
    expect(
      response('2025-06-18', 'resources/templates/list', { resourceTemplates: [], nextCursor: 1 }),
    ).toEqual(['/result/nextCursor: expected string, got number']);
  });

  test('logging before the handshake is done is no question of schema', () => {
    expect(notification('2025-06-18', 'notifications/message', { level: 'info', data: 1 })).toEqual([]);
  });

  test('a root may have any URI', () => {
    expect(response('2025-06-18', 'roots/list', { roots: [{ uri: 'https://a.example' }] }, 'client')).toEqual(
      [],
    );
  });
});
