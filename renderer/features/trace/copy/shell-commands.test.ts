import { execFile, execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anExchange } from '#fixtures/page/trace-exchanges.tsx';
import { shellWord } from '#shared/shell-words.ts';
import { curlCommand, cliCommand } from './shell-commands.ts';

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

test('a recorded address that is not HTTP becomes no command, whatever it contains', () => {
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

test('a server receives the same from curl', async () => {
  let received: { method: string | undefined; headers: string[]; body: string } | null = null;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString()));
    request.on('end', () => {
      response.end('ok');
      received = { method: request.method, headers: request.rawHeaders, body };
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
  expect(received).toMatchObject({ method: 'POST', body: sent });
  expect(received).toMatchObject({ headers: expect.arrayContaining(['X-Odd', "it's; a $HOME"]) });
  expect(received).not.toMatchObject({ headers: expect.arrayContaining(['Accept']) });
});

const server = { name: 's', transport: 'stdio', command: 'node', args: ['my server.js'] } as const;
const target = "-- node 'my server.js'";
const stdio = { ...server, args: [...server.args] };

const call = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;

test.each([
  ['{"name":"echo","arguments":{"message":"hi"}}', `call echo message=hi`],
  ['{"name":"add","arguments":{"a":9007199254740993,"b":true}}', `call add a:=9007199254740993 b:=true`],
  ['{"name":"echo","arguments":{"message":"5"}}', `call echo 'message:="5"'`],
  ['{"name":"echo","arguments":{"message":"it\'s $HOME"}}', `call echo 'message=it'\\''s $HOME'`],
  ['{"name":"echo","arguments":{"m":{"a": 1}}}', `call echo 'm:={"a": 1}'`],
  ['{"name":"echo","arguments":{"a=b":1}}', `call echo --args '{"a=b":1}'`],
  ['{"name":"echo","arguments":{"a":1,"a":2}}', `call echo --args '{"a":1,"a":2}'`],
  ['{"name":"echo","_meta":{"progressToken":1}}', `call echo`],
  ['{"name":"echo","task":{}}', `request tools/call --params '{"name":"echo","task":{}}'`],
  ['{"name":"-x","arguments":{}}', `request tools/call --params '{"name":"-x","arguments":{}}'`],
])('a call with %s', (params, words) => {
  expect(cliCommand(call(params), stdio, null, false)).toBe(`sightglass ${words} ${target}`);
});

test('text with control characters is given as JSON, where they are escaped', () => {
  expect(cliCommand(call('{"name":"echo","arguments":{"m":"a\\u001bb"}}'), stdio, null, false)).toBe(
    `sightglass call echo 'm:="a\\u001bb"' ${target}`,
  );
});

test('other requests keep their params as they were sent', () => {
  const text = '{"method":"resources/read","params":{"uri":"file:///a b","n":1.0,"_meta":{}}}';
  expect(cliCommand(text, stdio, null, false)).toBe(
    `sightglass request resources/read --params '{"uri":"file:///a b","n":1.0}' ${target}`,
  );
  expect(cliCommand('{"method":"ping"}', stdio, null, false)).toBe(`sightglass request ping ${target}`);
});

test('over HTTP it names the address, and the header that lets us in', () => {
  const http = { name: 's', transport: 'http', url: 'http://127.0.0.1:3000/mcp?a=1&b=2' } as const;
  expect(
    cliCommand(
      '{"method":"ping"}',
      http,
      'Bearer [secret header:Authorization, 40 characters, 1a2b3c4d]',
      false,
    ),
  ).toBe(
    "sightglass request ping --url 'http://127.0.0.1:3000/mcp?a=1&b=2' --header 'Authorization: Bearer [secret header:Authorization, 40 characters, 1a2b3c4d]'",
  );
});

test('what the session sends by itself, and what is no request, has no command', () => {
  expect(cliCommand('{"method":"initialize","params":{}}', stdio, null, false)).toBeNull();
  expect(cliCommand('{"result":{}}', stdio, null, false)).toBeNull();
  expect(cliCommand('no JSON', stdio, null, false)).toBeNull();
});

test('for a trace opened from a file it asks before it runs', () => {
  const text = call('{"name":"echo","arguments":{"message":"hi"}}');
  expect(cliCommand(text, stdio, null, true)).toBe(`sightglass call echo message=hi --confirm ${target}`);
  const http = { name: 's', transport: 'http', url: 'http://127.0.0.1:3000/mcp' } as const;
  expect(cliCommand('{"method":"ping"}', http, null, true)).toBe(
    'sightglass request ping --confirm --url http://127.0.0.1:3000/mcp',
  );
});

/** What a program is handed when a shell reads these words. */
function argumentsOf(shell: string, words: readonly string[]): string[] {
  const line = `printf '%s\\0' ${words.join(' ')}`;
  return execFileSync(shell, ['-c', line], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

const dangerous = [
  "it's",
  '$(touch /tmp/x)',
  '`id`',
  '!!',
  'a\nb; id',
  '\u001b[201~id\n',
  "\\'; id; '",
  '',
  '=ls',
  '~',
  '*',
  '-x',
  'é\u202egpj',
  '\u00851',
  'a\ufe0fb',
  '\u2800',
  'a\u00a0b',
];

test('a shell hands every word on as it is, and runs nothing in it', () => {
  expect(argumentsOf('bash', dangerous.map(shellWord))).toEqual(dangerous);
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom(...'ab\\\'"$`!\n\t\u001b\u007f é({*?~=') }), {
        minLength: 1,
        maxLength: 20,
      }),
      (words) => {
        expect(argumentsOf('bash', words.map(shellWord))).toEqual(words);
      },
    ),
    { numRuns: 40 },
  );
});

test('no control character reaches the terminal that it is pasted into', () => {
  for (const word of dangerous) expect(shellWord(word)).not.toMatch(/[\0-\x1f\x7f-\xa0\u202e\u2800]|\ufe0f/);
});

test('plain words stay as they are', () => {
  for (const word of ['node', './a/b.ts', 'key=value', '--url', 'http://127.0.0.1:3000/mcp']) {
    expect(shellWord(word)).toBe(word);
  }
});
