import { describe, expect, test } from 'vitest';
import { encodeHeaderValue, paramHeaderLines, paramHeadersOf } from './param-headers.ts';

const schema = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});

describe('the mirrored parameters of a tool', () => {
  test('are found wherever properties alone lead to them', () => {
    const region = { type: 'string', 'x-mcp-header': 'Region' };
    const place = schema({ zone: { type: 'integer', 'x-mcp-header': 'Zone' } });
    expect(paramHeadersOf(schema({ region, place, query: { type: 'string' } }))).toEqual({
      headers: [
        { name: 'Region', path: ['region'] },
        { name: 'Zone', path: ['place', 'zone'] },
      ],
      error: null,
    });
  });

  test('may themselves be called x-mcp-header', () => {
    expect(paramHeadersOf(schema({ 'x-mcp-header': { type: 'string' } }))).toEqual({
      headers: [],
      error: null,
    });
  });

  test.each([
    ['an empty name', schema({ a: { type: 'string', 'x-mcp-header': '' } })],
    ['a name with a space', schema({ a: { type: 'string', 'x-mcp-header': 'A B' } })],
    ['a name with a line break', schema({ a: { type: 'string', 'x-mcp-header': 'A\r\nB' } })],
    ['a name that is no text', schema({ a: { type: 'string', 'x-mcp-header': 7 } })],
    ['a number', schema({ a: { type: 'number', 'x-mcp-header': 'A' } })],
    ['an object', schema({ a: { type: 'object', 'x-mcp-header': 'A' } })],
    ['no type', schema({ a: { 'x-mcp-header': 'A' } })],
    [
      'two names that differ in case alone',
      schema({ a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }),
    ],
    [
      'an element of an array',
      schema({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }),
    ],
    ['a branch', schema({}, { oneOf: [schema({ a: { type: 'string', 'x-mcp-header': 'A' } })] })],
    ['a condition', schema({}, { if: schema({ a: { type: 'string', 'x-mcp-header': 'A' } }) })],
    ['a definition', schema({}, { $defs: { a: { type: 'string', 'x-mcp-header': 'A' } } })],
    ['the schema itself', { type: 'string', 'x-mcp-header': 'A' }],
  ])('are not valid with %s', (_, inputSchema) => {
    expect(paramHeadersOf(inputSchema).error).toContain('x-mcp-header');
  });

  test('of a schema nested without end come to an end', () => {
    let inner: Record<string, unknown> = { type: 'string', 'x-mcp-header': 'A' };
    for (let level = 0; level < 10_000; level++) inner = schema({ a: inner });
    expect(paramHeadersOf(inner)).toEqual({ headers: [], error: null });
  });
});

describe('the lines for a call', () => {
  const headers = [
    { name: 'A', path: ['a'] },
    { name: 'Deep', path: ['b', 'c'] },
  ];
  test.each([
    [
      '{"a":"us-west1","b":{"c":42}}',
      [
        ['Mcp-Param-A', 'us-west1'],
        ['Mcp-Param-Deep', '42'],
      ],
    ],
    [
      '{"a":true,"b":{"c":false}}',
      [
        ['Mcp-Param-A', 'true'],
        ['Mcp-Param-Deep', 'false'],
      ],
    ],
    [
      '{"a":-7,"b":{"c":42.0}}',
      [
        ['Mcp-Param-A', '-7'],
        ['Mcp-Param-Deep', '42'],
      ],
    ],
    ['{"a":null,"b":{}}', []],
    ['{"b":7}', []],
    [
      '{"a":"","b":{"c":9007199254740993}}',
      [
        ['Mcp-Param-A', ''],
        ['Mcp-Param-Deep', '9007199254740993'],
      ],
    ],
  ])('of %s', (args, lines) => {
    expect(paramHeaderLines(headers, args)).toEqual(lines);
  });
});

test.each([
  ['us-west1', 'us-west1'],
  ['with space and\ttab', 'with space and\ttab'],
  ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
])('%j stands in a header as %s', (value, encoded) => {
  expect(encodeHeaderValue(value)).toBe(encoded);
});
