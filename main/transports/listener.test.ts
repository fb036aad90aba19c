import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { answerRequests, closeListener, listen, takeUpgrades, urlOfRequest } from './listener.ts';

const closeAfter = closeAfterEachTest();

async function open() {
  const listener = await listen({ host: '127.0.0.1', port: 0 });
  closeAfter({ close: () => closeListener(listener.server) });
  return { ...listener, origin: `http://127.0.0.1:${listener.port}` };
}

test.each([
  ['/', '/'],
  ['//', '//'],
  ['//evil.example/a', '//evil.example/a'],
  ['/a/../b?c=d', '/b?c=d'],
  ['http://127.0.0.1:1/a?b', '/a?b'],
])('a request for %s is for %s of this server', (target, path) => {
  const url = urlOfRequest({ url: target }, 'http://127.0.0.1:1');
  expect(`${url?.pathname ?? ''}${url?.search ?? ''}`).toBe(path);
  expect(url?.origin).toBe('http://127.0.0.1:1');
});

test.each([
  '',
  '*',
  'evil.example:443',
  'http://[',
  'http://evil.example/',
  'http://127.0.0.1:2/',
  'a',
  '\\',
])('a request for "%s" is for nothing of this server', (target) => {
  expect(urlOfRequest({ url: target }, 'http://127.0.0.1:1')).toBeNull();
});

test('the port that is usual may be named', () => {
  expect(urlOfRequest({ url: '/a' }, 'http://127.0.0.1:80')?.pathname).toBe('/a');
});

test.each([
  [
    'throws',
    () => {
      throw new Error('a\x1b[2Jbug');
    },
  ],
  ['rejects', () => Promise.reject(new Error('a\x1b[2Jbug'))],
])('an answer that %s ends its request, and the next one is answered', async (_, fails) => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { server, origin } = await open();
  answerRequests(server, (request, response) => {
    if (request.url !== '/fails') response.end('fine');
    return request.url === '/fails' ? fails() : undefined;
  });
  expect((await fetch(`${origin}/fails`)).status).toBe(500);
  expect(await (await fetch(`${origin}/`)).text()).toBe('fine');
  expect(said.mock.calls.flat().join('')).toBe('sightglass: while answering a request: "a\\u001b[2Jbug"\n');
  said.mockRestore();
});

test('an answer that fails after its head, or writes after its end, ends its connection only', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { server, origin } = await open();
  answerRequests(server, (request, response) => {
    if (request.url === '/late') {
      response.end('over');
      response.write('more');
      return;
    }
    response.writeHead(200, { 'Content-Length': 100 }).write('half');
    if (request.url === '/half') throw new Error('bug');
    response.destroy();
  });
  await expect(fetch(`${origin}/half`).then((response) => response.text())).rejects.toThrow(
    /terminated|fetch failed/,
  );
  await fetch(`${origin}/late`).then(
    (response) => response.text(),
    () => null,
  );
  await expect(fetch(`${origin}/gone`).then((response) => response.text())).rejects.toThrow(
    /terminated|fetch failed/,
  );
  said.mockRestore();
});

test('an upgrade that cannot be taken ends its connection only', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { server, port } = await open();
  takeUpgrades(server, () => Promise.reject(new Error('bug')));
  const ended = new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    );
    socket.once('close', resolve).on('error', () => undefined);
  });
  await ended;
  expect(said.mock.calls.flat().join('')).toContain('while taking an upgrade: "bug"');
  said.mockRestore();
});

test('an error of the server itself, such as too many open files, is reported', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { server } = await open();
  server.emit('error', new Error('accept EMFILE'));
  expect(said.mock.calls.flat().join('')).toContain('while listening: "accept EMFILE"');
  said.mockRestore();
});
