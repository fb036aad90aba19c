import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { anExchange } from '../testing/exchanges.ts';
import { curlCommand } from './curl.ts';

const exchange = (request: Partial<ReturnType<typeof anExchange>['request']> = {}) => {
  const sample = anExchange();
  return { ...sample, request: { ...sample.request, ...request }, row: 0, carried: [], carriedCount: 0 };
};

test('says all that was sent, secrets as they are on record', () => {
  expect(curlCommand(exchange(), '{"a":"it\'s"}')).toBe(
    [
      'curl --url http://127.0.0.1:3000/mcp',
      "--header 'content-type: application/json'",
      "--header 'Authorization: Bearer [secret header:Authorization, 40 characters, 1a2b3c4d]'",
      '--header Accept:',
      `--data-raw '{"a":"it'\\''s"}'`,
    ].join(' \\\n  '),
  );
});

test('without a body it is what it was, too', () => {
  const command = curlCommand(
    exchange({
      method: 'DELETE',
      headers: [
        ['Mcp-Session-Id', 'a'],
        ['X-Empty', ''],
      ],
    }),
    null,
  );
  expect(command).toMatch(/^curl --request DELETE /);
  expect(command).toContain("--header 'Mcp-Session-Id: a'");
  expect(command).toContain("--header 'X-Empty;'");
  expect(command).not.toContain('--data');
});

test('leaves to curl what it writes itself, and says what else it needs', () => {
  const headers: [string, string][] = [
    ['Host', 'x'],
    ['Content-Length', '3'],
    ['Accept-Encoding', 'gzip'],
    ['Accept', 'application/json, text/event-stream'],
  ];
  const command = curlCommand(exchange({ method: 'GET', url: 'http://127.0.0.1/{a}?b[]=1', headers }), null);
  expect(command).not.toMatch(/Host|Content-Length|Accept-Encoding/);
  expect(command).toMatch(/--globoff[^]*--compressed[^]*--no-buffer/);
});

test('an address on record that is none of HTTP becomes no command, whatever it holds', () => {
  for (const url of [
    '--url=http://evil.example',
    '-K/tmp/planted',
    '@/etc/passwd',
    'file:///etc/passwd',
    '',
    ' ',
  ]) {
    expect(curlCommand(exchange({ url }), null), url).toBeNull();
  }
});

test('an address carries no option: the whole of it is the value of --url', async () => {
  const url = "http://127.0.0.1:9/ --output /tmp/planted '$(id)' --next -K x";
  const command = curlCommand(exchange({ method: 'GET', url, headers: [] }), null) ?? '';
  // Each word as the shell hands it on.
  const printed = command.replace(/^curl/, "printf '%s\\n'");
  const { stdout } = await promisify(execFile)('bash', ['-c', printed]);
  expect(stdout.split('\n').slice(0, 2)).toEqual(['--url', url]);
  expect(stdout.split('\n')).toHaveLength(5);
});

test('a header line on record names no file to be read', () => {
  const headers: [string, string][] = [
    ['@/etc/passwd', ''],
    ['-K x', 'y'],
    ['X-Fine', '@/etc/passwd'],
  ];
  const command = curlCommand(exchange({ headers }), null);
  expect(command).not.toMatch(/--header '?[@-]/);
  expect(command).toContain("--header 'X-Fine: @/etc/passwd'");
});

test('a server hears the same from curl', async () => {
  let heard: { method: string | undefined; headers: string[]; body: string } | null = null;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString()));
    request.on('end', () => {
      response.end('ok');
      heard = { method: request.method, headers: request.rawHeaders, body };
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const sent = '{"text":"ü $(id) `id` \'quoted\' \\\\ \\n"}\n';
  const url = `http://127.0.0.1:${port}/mcp?a=1&b=[2]`;
  const headers: [string, string][] = [
    ['Content-Type', 'application/json'],
    ['X-Odd', "it's; a $HOME"],
  ];
  const command = curlCommand(exchange({ url, headers }), sent);
  await promisify(execFile)('bash', ['-c', command ?? '']);
  server.close();
  expect(heard).toMatchObject({ method: 'POST', body: sent });
  expect(heard).toMatchObject({ headers: expect.arrayContaining(['X-Odd', "it's; a $HOME"]) });
  expect(heard).not.toMatchObject({ headers: expect.arrayContaining(['Accept']) });
});
