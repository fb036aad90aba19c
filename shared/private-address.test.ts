import { isIP } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPrivateAddress, isPrivateHost } from './private-address.ts';

/** The first and the last address of each block, and its neighbours, which are public. */
const blocks: readonly (readonly [name: string, first: string, last: string, public_: readonly string[]])[] =
  [
    ['this network', '0.0.0.0', '0.255.255.255', ['1.0.0.0']],
    ['private use', '10.0.0.0', '10.255.255.255', ['9.255.255.255', '11.0.0.0']],
    ['shared address space', '100.64.0.0', '100.127.255.255', ['100.63.255.255', '100.128.0.0']],
    ['loopback', '127.0.0.0', '127.255.255.255', ['126.255.255.255', '128.0.0.0']],
    ['link-local', '169.254.0.0', '169.254.255.255', ['169.253.255.255', '169.255.0.0']],
    ['private use, 172.16', '172.16.0.0', '172.31.255.255', ['172.15.255.255', '172.32.0.0']],
    ['protocol assignments', '192.0.0.0', '192.0.0.255', ['191.255.255.255', '192.0.1.0']],
    ['6to4 relays', '192.88.99.0', '192.88.99.255', ['192.88.98.255', '192.88.100.0']],
    ['private use, 192.168', '192.168.0.0', '192.168.255.255', ['192.167.255.255', '192.169.0.0']],
    ['benchmarking', '198.18.0.0', '198.19.255.255', ['198.17.255.255', '198.20.0.0']],
    ['multicast and reserved', '224.0.0.0', '255.255.255.255', ['223.255.255.255']],
    ['unspecified, loopback and IPv4-compatible', '::', '::ffff:ffff', []],
    ['translated by SIIT', '::ffff:0:0:0', '::ffff:0:ffff:ffff', []],
    ['IPv4-mapped loopback', '::ffff:127.0.0.0', '::ffff:127.255.255.255', ['::ffff:126.255.255.255']],
    ['private use behind a translator', '64:ff9b::a00:0', '64:ff9b::aff:ffff', ['64:ff9b::8.8.8.8']],
    ['behind a local translator', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', []],
    ['discard-only', '100::', '100::ffff:ffff:ffff:ffff', []],
    ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', ['2001:200::']],
    ['benchmarking, IPv6', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', ['2001:2:1::']],
    ['ORCHID', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', ['2001:20::']],
    ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ['2003::', '2001:ffff::']],
    ['segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ['3fff:ffff::']],
    ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', []],
    ['link-local, IPv6', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', []],
    ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', []],
    ['multicast, IPv6', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', []],
  ];

test.each(blocks)('%s is private from %s to %s, and its neighbours are public', (_, first, last, others) => {
  for (const address of [first, last]) {
    expect([address, isIP(address) > 0, isPrivateAddress(address)]).toEqual([address, true, true]);
  }
  for (const address of others) expect([address, isPrivateAddress(address)]).toEqual([address, false]);
});

test.each([
  'http://127.0.0.1:80/',
  'http://localhost/',
  'http://localhost./',
  'http://a.localhost/',
  'http://[::1]/',
  'http://10.1.2.3/',
  'http://172.31.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest',
  'http://[fe80::1]/',
  'http://[fd00::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[fec0::1]/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://2130706433/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://１２７.0.0.1/',
  'http://0/',
  'http://metadata.internal/',
  'http://printer.local/',
  'http://nas.lan/',
  'http://box.home.arpa/',
  'http://router/',
  'https://intranet:8443/',
])('%s is private', (url) => {
  expect(isPrivateHost(new URL(url))).toBe(true);
});

test.each([
  'https://example.com/',
  'https://example.com./',
  'http://8.8.8.8/',
  'http://172.32.0.1/',
  'http://203.0.113.5/',
  'http://[2001:db8::1]/',
  'http://[2606:4700::1111]/',
  'http://[64:ff9b::8.8.8.8]/',
  'http://localhost.example.com/',
  'http://internal.example/',
  'http://10.0.0.1.example.com/',
])('%s is public', (url) => {
  expect(isPrivateHost(new URL(url))).toBe(false);
});

test('every spelling of an address counts the same, with a zone and in capitals too', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const { hostname } = new URL(`http://[${address}]/`);
      const expected = isPrivateAddress(hostname.slice(1, -1));
      expect(isPrivateAddress(address)).toBe(expected);
      expect(isPrivateAddress(`${address.toUpperCase()}%eth0`)).toBe(expected);
    }),
  );
});

test.each([
  '',
  'a',
  '1.2.3',
  '1.2.3.256',
  ':',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '::g',
  '::1.2.3',
])('"%s" is no address', (text) => {
  expect([isIP(text), isPrivateAddress(text)]).toEqual([0, false]);
});
