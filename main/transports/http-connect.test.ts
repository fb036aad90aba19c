import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openConnection, type Route } from './http-connect.ts';
import { StepError } from './http-step-failure.ts';
import { TlsIdentity } from './tls-handshake.ts';

const servers: Server[] = [];
const taken: Socket[] = [];
afterEach(async () => {
  for (const socket of taken.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** A server that takes connections and says nothing. */
async function silence(): Promise<number> {
  const server = createServer((socket) => taken.push(socket));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

async function failureOf(route: Route, stepLimit: number, stop = new AbortController()) {
  const sockets: Socket[] = [];
  const identity = new TlsIdentity({ accepted: null });
  const opening = openConnection(
    route,
    { identity, stepLimit, onSocket: (one) => sockets.push(one) },
    stop.signal,
  );
  const error = await opening.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StepError)) throw new Error('it did not fail as it should');
  return { failure: error.failure, sockets };
}

describe('a connection that takes too long is given up', () => {
  test('in the handshake of TLS', async () => {
    const url = new URL(`https://127.0.0.1:${await silence()}`);
    const { failure, sockets } = await failureOf({ url, proxy: null }, 50);
    expect(failure).toMatchObject({ step: 'tls', code: 'ETIMEDOUT' });
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  test('at the proxy', async () => {
    const address = `http://127.0.0.1:${await silence()}`;
    const proxy = { url: new URL(address), address, authorization: null };
    const { failure, sockets } = await failureOf({ url: new URL('https://far.example/'), proxy }, 50);
    expect(failure).toMatchObject({ step: 'proxy', code: 'ETIMEDOUT' });
    expect(failure.message).toContain(address);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
  });
});

test('a connection that nobody wants any more leaves no socket', async () => {
  const stop = new AbortController();
  const url = new URL(`https://127.0.0.1:${await silence()}`);
  const failing = failureOf({ url, proxy: null }, 60_000, stop);
  await expect.poll(() => taken.length).toBe(1);
  stop.abort();
  const { sockets } = await failing;
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
});
