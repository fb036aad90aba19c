import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { revisions } from '#shared/protocol/revisions.ts';
import { Conversation, initializeParams, modernMeta } from '#fixtures/trace/conversation.ts';

let said: Conversation;
beforeEach(async () => {
  said = await Conversation.begin();
});
afterEach(() => said.close());

const log = { method: 'notifications/message', params: { level: 'info', data: 1 } };
const notFound = (id: number) => ({ id, error: { code: -32601, message: 'Method not found' } });

const rested = () => said.findings.map(({ rule, severity, rows }) => [rule, severity, rows]);

describe.each(revisions)('in $id', ({ id: revision, era }) => {
  const meta = era === 'modern' ? { params: { _meta: modernMeta() } } : {};

  /** What the server declares, by whatever this revision has for it; gives the row of the answer. */
  function declare(capabilities: object): number {
    if (era === 'legacy') {
      said.client({ id: 0, method: 'initialize', params: initializeParams(revision) });
      const serverInfo = { name: 's', version: '1' };
      return said.server({ id: 0, result: { protocolVersion: revision, capabilities, serverInfo } });
    }
    said.client({ id: 0, method: 'server/discover', ...meta });
    const facts = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    return said.server({ id: 0, result: { ...facts, supportedVersions: [revision], capabilities } });
  }

  test('log messages need the capability for them', () => {
    const early = said.server(log);
    declare({ tools: {} });
    const late = said.server(log);
    expect(rested()).toEqual([
      ['capability/logging-not-declared', 'error', [early]],
      ['capability/logging-not-declared', 'error', [late]],
    ]);
  });

  test('log messages of a server that declared it break nothing', () => {
    said.server(log);
    declare({ logging: {} });
    said.server(log);
    expect(said.findings).toEqual([]);
  });

  test.each(['tools', 'prompts', 'resources'])('the list of declared %s must be known', (name) => {
    declare({ [name]: {} });
    const request = said.client({ id: 1, method: `${name}/list`, ...meta });
    const row = said.server(notFound(1));
    expect(said.findings).toMatchObject([
      { rule: 'capability/declared-but-not-found', severity: 'warning', revision, rows: [row, request] },
    ]);
  });

  test('what was not declared need not be known, nor a list of templates', () => {
    declare({ tools: {}, resources: {} });
    for (const [place, method] of ['prompts/list', 'resources/templates/list', 'x/list'].entries()) {
      said.client({ id: place + 1, method, ...meta });
      said.server(notFound(place + 1));
    }
    expect(said.rules.filter((rule) => rule.startsWith('capability/'))).toEqual([]);
  });

  test('another error on a list breaks nothing', () => {
    declare({ tools: {} });
    said.client({ id: 1, method: 'tools/list', ...meta });
    said.server({ id: 1, error: { code: -32603, message: 'no' } });
    expect(said.findings).toEqual([]);
  });
});

test('a list of tasks must be known when it was declared as such', () => {
  said.client({ id: 0, method: 'initialize', params: initializeParams('2025-11-25') });
  const capabilities = { tasks: { list: {} } };
  const serverInfo = { name: 's', version: '1' };
  said.server({ id: 0, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
  said.client({ id: 1, method: 'tasks/list' });
  said.server(notFound(1));
  expect(said.rules).toEqual(['capability/declared-but-not-found']);
});

test('a modern server that was never asked for its capabilities is not judged by them', () => {
  said.client({ id: 1, method: 'tools/list', params: { _meta: modernMeta() } });
  said.server(log);
  said.server(notFound(1));
  expect(said.findings).toEqual([]);
});

test('of a flood of early log messages the first hundred are told', () => {
  for (let count = 0; count < 150; count++) said.server(log);
  said.client({ id: 9, method: 'initialize', params: initializeParams('2025-06-18') });
  const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } };
  said.server({ id: 9, result });
  expect(said.rules).toEqual(Array.from({ length: 100 }, () => 'capability/logging-not-declared'));
});
