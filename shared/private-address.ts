import { withoutEnd } from './trim.ts';
/**
 * Which addresses only this machine or its network can reach, by the registries of IANA for special-purpose addresses. Ranges for
 * documentation are left out: nobody is there, and tests stand on them for public servers.
 */

/** Blocks of IPv4 addresses that are not reached over the internet. */
const privateIpv4: readonly (readonly [network: string, bits: number, name: string])[] = [
  ['0.0.0.0', 8, 'this network (RFC 791)'],
  ['10.0.0.0', 8, 'private use (RFC 1918)'],
  ['100.64.0.0', 10, 'shared address space (RFC 6598)'],
  ['127.0.0.0', 8, 'loopback (RFC 1122)'],
  ['169.254.0.0', 16, 'link-local (RFC 3927)'],
  ['172.16.0.0', 12, 'private use (RFC 1918)'],
  ['192.0.0.0', 24, 'protocol assignments (RFC 6890)'],
  ['192.88.99.0', 24, '6to4 relays (RFC 7526)'],
  ['192.168.0.0', 16, 'private use (RFC 1918)'],
  ['198.18.0.0', 15, 'benchmarking (RFC 2544)'],
  ['224.0.0.0', 4, 'multicast (RFC 5771)'],
  ['240.0.0.0', 4, 'reserved, and broadcast (RFC 1112, RFC 919)'],
];

/** Blocks of IPv6 addresses whose last 32 bits are an IPv4 address, which decides. */
const embeddingIpv6: readonly (readonly [network: string, bits: number, name: string])[] = [
  ['::ffff:0:0', 96, 'IPv4-mapped (RFC 4291)'],
  ['64:ff9b::', 96, 'IPv4 behind a translator (RFC 6052)'],
];

/** All that was given out for the internet (RFC 4291): what is outside is loopback, local, multicast, reserved or obsolete. */
const publicIpv6 = ['2000::', 3] as const;

/** Blocks in it that are not reached over the internet. */
const privateIpv6: readonly (readonly [network: string, bits: number, name: string])[] = [
  ['2001::', 32, 'Teredo, which embeds an IPv4 address (RFC 4380)'],
  ['2001:2::', 48, 'benchmarking (RFC 5180)'],
  ['2001:10::', 28, 'ORCHID (RFC 4843)'],
  ['2002::', 16, '6to4, which embeds an IPv4 address (RFC 7526)'],
];

/** Names of this machine or its network, whatever their addresses. A name without a dot is one of the network, too. */
const privateNames =
  /^[^.]+$|(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/i;

/** Whether only this machine or its network can reach an IP address, as text with or without a zone; false if it is not an address. */
export function isPrivateAddress(text: string): boolean {
  const v4 = ipv4Of(text);
  if (v4 !== null) return privateIpv4.some(([network, bits]) => isIn(v4, ipv4Of(network), bits));
  const v6 = ipv6Of(text);
  if (v6 === null) return false;
  const isInBlock = ([network, bits]: readonly [string, number, ...unknown[]]) =>
    isIn(v6, ipv6Of(network), bits);
  if (embeddingIpv6.some(isInBlock)) return isPrivateAddress(v6.slice(-4).join('.'));
  return !isInBlock(publicIpv6) || privateIpv6.some(isInBlock);
}

/** Whether a URL names this machine or its network, as far as its text shows: a name is not looked up. */
export function isPrivateHost({ hostname }: { readonly hostname: string }): boolean {
  const host = withoutEnd(hostname, '.').replace(/^\[(.*)\]$/, '$1');
  if (ipv4Of(host) !== null || ipv6Of(host) !== null) return isPrivateAddress(host);
  return privateNames.test(host);
}

/** Whether the bytes of an address begin with so many bits of a network. */
function isIn(address: readonly number[], network: readonly number[] | null, bits: number): boolean {
  return address.every((byte, index) => {
    const relevant = Math.min(8, Math.max(0, bits - index * 8));
    const mask = (0xff << (8 - relevant)) & 0xff;
    return (byte & mask) === ((network?.[index] ?? 0) & mask);
  });
}

/** The 4 bytes of an IPv4 address in decimal, as URLs and name services write it; null if it is not one. */
function ipv4Of(text: string): number[] | null {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return null;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : null;
}

/** The 16 bytes of an IPv6 address in any spelling; null if it is not one. */
function ipv6Of(text: string): number[] | null {
  const [address = ''] = text.split('%');
  if (!/^[\da-f:.]+$/i.test(address) || !address.includes(':')) return null;
  const lastGroup = address.slice(address.lastIndexOf(':') + 1);
  const tail = lastGroup.includes('.') ? lastGroup : undefined;
  const last = tail === undefined ? [] : ipv4Of(tail);
  if (last === null) return null;
  const groups = tail === undefined ? address : address.slice(0, -tail.length).replace(/([^:]):$/, '$1');
  const halves = groups.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [left = [], right = []] = halves;
  const missing = 8 - last.length / 2 - left.length - right.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return null;
  const all = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  if (!all.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null;
  return [
    ...all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
    ...last,
  ];
}
