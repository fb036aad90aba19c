import { describe, expect, test } from 'vitest';
import { switchesOff } from '#shared/client-switches/switches.ts';
import { acceptedCodings } from '#transports/content-coding.ts';
import { deleteHeaders, getHeaders, type HeaderState, postHeaders } from './request-headers.ts';

const state = (change: Partial<HeaderState> = {}): HeaderState => ({
  era: 'legacy',
  revision: '2025-11-25',
  sessionId: 'abc',
  switches: switchesOff,
  custom: [],
  authorization: [],
  userAgent: 'sightglass/1',
  paramHeadersOf: () => [],
  ...change,
});
const modern = (change: Partial<HeaderState> = {}) =>
  state({ era: 'modern', revision: '2026-07-28', sessionId: null, ...change });
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"größe","arguments":{"a":"x"}}}';

const plain = [
  ['Accept', 'application/json, text/event-stream'],
  ['Content-Type', 'application/json'],
];
const agent = ['User-Agent', 'sightglass/1'];
const encodings = ['Accept-Encoding', acceptedCodings];

describe('a message of the legacy era', () => {
  test('names the revision and the session', () => {
    expect(postHeaders(state(), ping)).toEqual([
      ...plain,
      ['MCP-Protocol-Version', '2025-11-25'],
      ['Mcp-Session-Id', 'abc'],
      encodings,
      agent,
    ]);
  });

  test('names no revision before 2025-06-18, and one the app does not know', () => {
    const names = (revision: string) => postHeaders(state({ revision }), ping).map(([name]) => name);
    expect(names('2025-03-26')).not.toContain('MCP-Protocol-Version');
    expect(names('2025-06-18')).toContain('MCP-Protocol-Version');
    expect(names('2031-01-01')).toContain('MCP-Protocol-Version');
  });

  test('that initializes names neither', () => {
    const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
    expect(postHeaders(state(), initialize)).toEqual([...plain, encodings, agent]);
  });

  test('asks by GET for a stream from its last event on, and ends the session by DELETE', () => {
    const common = [
      ['MCP-Protocol-Version', '2025-11-25'],
      ['Mcp-Session-Id', 'abc'],
    ];
    expect(getHeaders(state(), 'e-7')).toEqual([
      ['Accept', 'text/event-stream'],
      ...common,
      ['Last-Event-ID', 'e-7'],
      encodings,
      agent,
    ]);
    expect(deleteHeaders(state())).toEqual([...common, encodings, agent]);
    expect(deleteHeaders(state({ sessionId: null }))).toBeNull();
  });
});

describe('a message of the modern era', () => {
  test('mirrors its method, its name and the parameters the tool wants', () => {
    const paramHeadersOf = () => [{ name: 'A', path: ['a'] }];
    expect(postHeaders(modern({ paramHeadersOf }), call)).toEqual([
      ...plain,
      ['MCP-Protocol-Version', '2026-07-28'],
      ['Mcp-Method', 'tools/call'],
      ['Mcp-Name', '=?base64?Z3LDtsOfZQ==?='],
      ['Mcp-Param-A', 'x'],
      encodings,
      agent,
    ]);
  });

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s mirrors the id of its task', (method) => {
    const unit = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"taskId":"job-1"}}`;
    expect(postHeaders(modern(), unit)).toEqual([
      ...plain,
      ['MCP-Protocol-Version', '2026-07-28'],
      ['Mcp-Method', method],
      ['Mcp-Name', 'job-1'],
      encodings,
      agent,
    ]);
  });

  test('is what server/discover is before the era is known', () => {
    const discover = '{"jsonrpc":"2.0","id":1,"method":"server/discover"}';
    expect(postHeaders(modern({ era: null }), discover)).toEqual([
      ...plain,
      ['MCP-Protocol-Version', '2026-07-28'],
      ['Mcp-Method', 'server/discover'],
      encodings,
      agent,
    ]);
  });

  test('sent manually and unreadable gets the headers that do not depend on it', () => {
    expect(postHeaders(modern(), '{"half":')).toEqual([
      ...plain,
      ['MCP-Protocol-Version', '2026-07-28'],
      encodings,
      agent,
    ]);
  });
});

describe('the client switches', () => {
  const valueOf = (change: Partial<HeaderState>, name: string, text = call) =>
    postHeaders(state(change), text).find(([own]) => own === name)?.[1];

  test('leave the session id out', () => {
    expect(valueOf({ switches: { ...switchesOff, omitSessionId: true } }, 'Mcp-Session-Id')).toBeUndefined();
  });

  test('leave the revision out, or put another text in its place', () => {
    const omit = { ...switchesOff, versionHeader: { how: 'omit' as const } };
    const replace = { ...switchesOff, versionHeader: { how: 'replace' as const, value: '1999-01-01' } };
    expect(valueOf({ switches: omit }, 'MCP-Protocol-Version')).toBeUndefined();
    expect(valueOf({ switches: replace }, 'MCP-Protocol-Version')).toBe('1999-01-01');
  });

  test('leave the mirrored headers out, or set them at odds with the body', () => {
    const omit = { ...switchesOff, standardHeaders: 'omit' as const };
    const disagree = { ...switchesOff, standardHeaders: 'disagree' as const };
    expect(valueOf({ ...modern(), switches: omit }, 'Mcp-Method')).toBeUndefined();
    const method = valueOf({ ...modern(), switches: disagree }, 'Mcp-Method');
    expect(method).toBeDefined();
    expect(method).not.toBe('tools/call');
  });
});

test('a header set by the user replaces ours, in the spelling of the user', () => {
  const custom: HeaderState['custom'] = [
    ['accept', 'text/plain'],
    ['X-Key', '1'],
    ['X-Key', '2'],
  ];
  expect(postHeaders(state({ custom, sessionId: null, era: null }), ping)).toEqual([
    ['Content-Type', 'application/json'],
    encodings,
    agent,
    ...custom,
  ]);
});
