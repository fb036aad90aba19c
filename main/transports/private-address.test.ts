import { describe, expect, test } from 'vitest';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { ClientUnderTest } from '#fixtures/http/client-under-test.ts';
import { ok, startRawServer } from '#fixtures/http/raw-server.ts';
import { explainHttpFailure } from './http-fault-explanations.ts';

describe('an exchange beside the messages that must not reach a private address', () => {
  const closeAfter = closeAfterEachTest();
  const serve = async () => closeAfter(await startRawServer((socket) => socket.write(ok('ok'))));

  /** A client of a server, with the addresses of names in place of those of the name service. */
  const clientOf = (origin: string, addresses: Readonly<Record<string, readonly string[]>>) => {
    const asked: string[] = [];
    const lookup = async (host: string) => {
      asked.push(host);
      return (addresses[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
    return { asked, under: closeAfter(new ClientUnderTest({ origin, lookup })) };
  };
  const outOfBand = { isOutOfBand: true, refusesPrivate: true } as const;

  test.each([
    '127.0.0.1',
    '10.0.0.8',
    '203.0.113.9, 127.0.0.1',
    '::ffff:192.168.1.1',
    '198.18.0.1',
    '192.0.0.8',
    '240.0.0.1',
    '255.255.255.255',
    '224.0.0.1',
    'fec0::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::1',
    '::127.0.0.1',
    '2001::1',
    'fe80::1%lo',
  ])('is refused for a public name with the addresses %s', async (text) => {
    const addresses = text.split(', ');
    const server = await serve();
    const { under } = clientOf('https://mcp.example', { 'login.example': addresses });
    const url = new URL(`http://login.example:${server.port}/token`);
    const { failure, response } = await under.request(url.href, outOfBand);
    expect(response).toBeNull();
    expect(failure).toMatchObject({ step: 'lookup', code: 'PRIVATE_ADDRESS' });
    expect(server.connections()).toBe(0);
    const fault = explainHttpFailure(failure!, { url, proxy: null });
    expect(fault).toMatchObject({ code: 'private-address', what: expect.stringContaining(url.host) });
    expect(fault.evidence).toContain(addresses.at(-1));
  });

  test('is refused for an address, and for the name of this machine', async () => {
    const server = await serve();
    const { under } = clientOf('https://mcp.example', { localhost: ['127.0.0.1'] });
    for (const host of ['127.0.0.1', 'localhost']) {
      const { failure } = await under.request(`http://${host}:${server.port}/`, outOfBand);
      expect(failure).toMatchObject({ code: 'PRIVATE_ADDRESS' });
    }
    expect(server.connections()).toBe(0);
  });

  test('looks its name up once, and connects to the address that was checked', async () => {
    const server = await serve();
    const calls: string[] = [];
    const lookup = async (host: string) => {
      calls.push(host);
      // Later answers lead elsewhere, as those of an attacker do.
      return [{ address: calls.length === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    };
    const under = closeAfter(new ClientUnderTest({ origin: 'http://127.0.0.1:9', lookup }));
    const { response } = await under.request(`http://login.example:${server.port}/`, outOfBand);
    expect(response?.status).toBe(200);
    expect(under.all('http-connected')).toMatchObject([{ remote: `127.0.0.1:${server.port}` }]);
    expect(calls).toEqual(['login.example']);
  });

  test('is made once the user confirms it; the open connection serves no request without', async () => {
    const server = await serve();
    const { under } = clientOf('https://mcp.example', { 'login.example': ['127.0.0.1'] });
    const url = `http://login.example:${server.port}/`;
    expect((await under.request(url, { isOutOfBand: true })).response?.status).toBe(200);
    expect((await under.request(url, outOfBand)).failure).toMatchObject({ code: 'PRIVATE_ADDRESS' });
    expect(server.connections()).toBe(1);
  });

  test('is made if the server of the client is at a private address, too', async () => {
    const [mcp, login] = [await serve(), await serve()];
    const origin = `http://mcp.example:${mcp.port}`;
    const addresses = { 'mcp.example': ['127.0.0.1'], 'login.example': ['127.0.0.1'] };
    const { under } = clientOf(origin, addresses);
    const url = `http://login.example:${login.port}/`;
    // Before the server was reached, its name may be that of any machine.
    expect((await under.request(url, outOfBand)).failure).toMatchObject({ code: 'PRIVATE_ADDRESS' });
    await under.request(origin);
    expect((await under.request(url, outOfBand)).response?.status).toBe(200);
  });
});
