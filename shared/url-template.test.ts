import { expect, test } from 'vitest';
import { isHttpUrlTemplate, sampleUrl } from './url-template.ts';

test.each([
  'https://example.com/mcp',
  'https://${input:hostname}/api/mcp',
  'https://${input:tenant}.example.com/mcp',
  'http://127.0.0.1:${input:port}/mcp',
  'http://${input:host}:${input:port}',
  'http://${input:host}:${input:port}${input:path}',
  'https://${input:host}:8443?x=${env:X}#y',
  '${input:baseUrl}/mcp',
  '${input:scheme}://example.com/mcp',
  'https://ada:${env:PASSWORD}@example.com/mcp',
  'https://example.com/mcp/${input:id}',
])('%s can become a URL', (text) => {
  expect(isHttpUrlTemplate(text)).toBe(true);
});

test.each(['', 'example.com', 'ftp://${input:host}/', 'https://', 'https://${input:host', 'npx ${input:x}'])(
  '"%s" cannot become a URL',
  (text) => {
    expect(isHttpUrlTemplate(text)).toBe(false);
  },
);

test('keeps the host where it has no placeholder', () => {
  expect(sampleUrl('http://127.0.0.1:${input:port}/mcp')).toBe('http://127.0.0.1:1/mcp');
});
