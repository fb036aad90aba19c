import { expect, test } from 'vitest';
import { cliCommand } from './cli.ts';

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

test('of a trace opened from a file it asks before it runs', () => {
  const text = call('{"name":"echo","arguments":{"message":"hi"}}');
  expect(cliCommand(text, stdio, null, true)).toBe(`sightglass call echo message=hi --confirm ${target}`);
  const http = { name: 's', transport: 'http', url: 'http://127.0.0.1:3000/mcp' } as const;
  expect(cliCommand('{"method":"ping"}', http, null, true)).toBe(
    'sightglass request ping --confirm --url http://127.0.0.1:3000/mcp',
  );
});
