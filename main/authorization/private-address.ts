import { BlockList, isIP } from 'node:net';
import type { Fault } from '#shared/contract/fault.ts';

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

/** Whether a URL names this machine or its network. A name is not looked up. */
export function isPrivateAddress({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (/(?:^|\.)(?:localhost|local|internal)$/i.test(host)) return true;
  const family = isIP(host);
  return family !== 0 && privateRanges.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Why a request must not be sent without the user: a public server named a private address (MCP security best practices,
 * server-side request forgery). Null if it may be sent.
 */
export function whyNeedsConsent(url: URL, serverUrl: URL): Fault | null {
  if (isPrivateAddress(serverUrl) || !isPrivateAddress(url)) return null;
  return {
    code: 'private-address',
    what: `The server names ${url.host}, which only this machine or its network can reach; nothing was sent there.`,
    why: 'A public server could use you to reach what it cannot reach itself (MCP security best practices).',
    next: 'If that is meant, run the flow step by step: then you see each request before you send it.',
  };
}
