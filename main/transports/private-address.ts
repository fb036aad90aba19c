import { BlockList, isIP } from 'node:net';

/** Addresses that only this machine or its network can reach (IANA special-purpose registries). */
const privateRanges = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  privateRanges.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::', 128],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  privateRanges.addSubnet(network, bits, 'ipv6');
}

/** Whether only this machine or its network can reach an IP address. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && privateRanges.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a URL names this machine or its network, as far as its text shows: a name is not looked up. */
export function isPrivateHost({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return /(?:^|\.)(?:localhost|local|internal)$/i.test(host) || isPrivateAddress(host);
}

/** The code of the failure of a connection that was not made because it would have been private. */
export const PRIVATE_ADDRESS = 'PRIVATE_ADDRESS';
