import { describe, expect, test } from 'vitest';
import { validateUrl, commandLineIn, urlIn } from './validate-url.ts';

describe('a URL while it is typed', () => {
  test('is never called wrong on the way to a right one', () => {
    const url = 'https://user@example.com:8080/mcp?x=1';
    for (let end = 1; end <= url.length; end++)
      expect(validateUrl(url.slice(0, end)).state).not.toBe('wrong');
    expect(validateUrl(url).state).toBe('ok');
  });

  test.each([
    ['https://${input:host}/mcp', []],
    ['http://127.0.0.1:${input:port}/mcp', []],
    ['http://${input:host}:${input:port}/mcp', ['not-encrypted']],
    ['${input:baseUrl}/mcp', []],
    ['https://ada:${input:password}@${input:host}/mcp', []],
  ])('%s may have variables in its host', (url, warnings) => {
    expect(validateUrl(url)).toMatchObject({ state: 'ok', url });
    const validation = validateUrl(url);
    expect(validation.state === 'ok' && validation.warnings.map(({ kind }) => kind)).toEqual(warnings);
  });

  test.each(['ftp://example.com', 'ws://example.com/mcp', 'https://exa mple.com'])('%s is wrong', (url) => {
    expect(validateUrl(url).state).toBe('wrong');
  });

  test.each([
    ['example.com/mcp', 'https://example.com/mcp'],
    ['localhost:3000/mcp', 'http://localhost:3000/mcp'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['[::1]:3000/mcp', 'http://[::1]:3000/mcp'],
    ['localhost', 'http://localhost'],
    ['exam', null],
    ['http', null],
    ['https://', undefined],
  ])('%s may mean %s', (typed, suggestion) => {
    const validation = validateUrl(typed);
    expect(validation.state).toBe('unfinished');
    if (suggestion !== undefined) expect(validation).toMatchObject({ suggestion });
  });

  test.each([
    ['http://example.com/mcp', ['not-encrypted']],
    ['http://127.0.0.1.example.com/', ['not-encrypted']],
    ['http://192.168.0.7:3000/', ['not-encrypted']],
    ['https://example.com/mcp', []],
    ['http://localhost:3000/mcp', []],
    ['http://api.localhost/', []],
    ['http://127.8.9.1/', []],
    ['http://[::1]:3000/mcp', []],
    ['https://example.com/mcp#part', ['fragment']],
    ['http://me@example.com/#x', ['not-encrypted', 'credentials', 'fragment']],
  ])('%s is warned of for %j', (url, kinds) => {
    const validation = validateUrl(url);
    expect(validation.state === 'ok' && validation.warnings.map(({ kind }) => kind)).toEqual(kinds);
  });

  test.each([
    ['https://Aladdin:open%20sesame@example.com/mcp', 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    // RFC 7617 section 2.1.
    ['https://test:123%C2%A3@example.com/mcp', 'Basic dGVzdDoxMjPCow=='],
    ['https://a:100%@example.com/mcp', `Basic ${btoa('a:100%')}`],
  ])('the user name and password of %s make a header', (url, authorization) => {
    const validation = validateUrl(url);
    expect(validation.state === 'ok' && validation.warnings).toEqual([
      { kind: 'credentials', without: 'https://example.com/mcp', authorization },
    ]);
  });
});

test('a URL is known among command lines', () => {
  expect(urlIn(' "https://example.com/mcp" ')).toBe('https://example.com/mcp');
  expect(urlIn('HTTP://localhost:3000/mcp')).toBe('HTTP://localhost:3000/mcp');
  for (const line of ['npx mcp-remote https://example.com/mcp', 'curl', 'https://a b'])
    expect(urlIn(line)).toBeNull();
});

test('a command line is known among URLs', () => {
  for (const line of [
    'npx -y @a/b',
    'node',
    './server',
    '/usr/bin/server',
    'C:\\x\\server.exe',
    'my-server --stdio',
  ])
    expect(commandLineIn(line), line).toBe(line);
  for (const url of ['https://example.com/mcp', 'example.com/mcp', 'localhost:3000', '', 'https://a b'])
    expect(commandLineIn(url), url).toBeNull();
});
