import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { type JsonMembers, membersOf, textsAt } from './evidence.ts';
import type { AddressShape, KnownProvider } from './provider.ts';
import { knownProviders } from './table.ts';

/** A provider, and how it is known to take part in a flow. */
export interface RecognizedProvider {
  readonly provider: KnownProvider;
  /** `chosen`: by the user. `paths`: its addresses look like those of the provider. `words`: it answers as only that one does. */
  readonly by: 'chosen' | 'host' | 'paths' | 'words';
}

/**
 * The provider that the authorization server of a flow is: what the user said, else the one whose host or addresses it has; then those
 * that answered as only they do, such as one that it is federated with.
 */
export function providersOf(flow: AuthorizationFlow): readonly RecognizedProvider[] {
  const all = Object.values(knownProviders);
  const found: RecognizedProvider[] = [];
  const { knownProvider } = flow;
  if (knownProvider !== null) found.push({ provider: knownProviders[knownProvider], by: 'chosen' });
  else {
    const addresses = addressesOf(flow);
    const every = [...addresses.issuer, ...addresses.authorization, ...addresses.token];
    const atHost = all.find(({ hosts }) =>
      hosts.some((pattern) => every.some(({ host }) => isHost(pattern, host))),
    );
    const byPaths = all.find(({ shapes }) => shapes.some((shape) => hasShape(addresses, shape)));
    if (atHost !== undefined) found.push({ provider: atHost, by: 'host' });
    else if (byPaths !== undefined) found.push({ provider: byPaths, by: 'paths' });
  }
  const words = flow.steps.map((step) => textsAt(flow, step)).join('\n');
  for (const provider of all)
    if (
      provider.marks.some((mark) => words.includes(mark)) &&
      !found.some((one) => one.provider.id === provider.id)
    )
      found.push({ provider, by: 'words' });
  return found;
}

/** Whether a host is one of a pattern of the table. */
export function isHost(pattern: string, host: string): boolean {
  if (pattern.startsWith('*.')) return host.endsWith(pattern.slice(1)) && host.length >= pattern.length;
  return matches(pattern.split('.'), host.split('.'));
}

/** Whether a path is one of a pattern of the table. A slash at the end does not matter. */
export const isPath = (pattern: string, path: string): boolean =>
  matches(pattern.split('/'), path.replace(/\/$/, '').split('/'));

const matches = (patterns: readonly string[], parts: readonly string[]): boolean =>
  patterns.length === parts.length && patterns.every((pattern, at) => matchesPart(pattern, parts[at] ?? ''));

/** Whether a part has the fixed texts of a pattern in their order, with at least one character for each `*`. */
function matchesPart(pattern: string, part: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  if (others.length === 0) return part === pattern;
  if (!part.startsWith(first)) return false;
  let at = first.length;
  for (const [index, text] of others.entries()) {
    const isLast = index === others.length - 1;
    const found = isLast ? part.length - text.length : part.indexOf(text, at + 1);
    if (found < at + 1 || !part.startsWith(text, found)) return false;
    at = found + text.length;
  }
  return true;
}

interface Address {
  /** In lower case, without a port. */
  readonly host: string;
  readonly path: string;
}

/** Host and path of an http or https URL; null if it is none. */
export function addressOf(url: string): Address | null {
  const [, scheme = '', rest = ''] = /^(https?):\/\/([^?#]*)/i.exec(url) ?? [];
  if (scheme === '') return null;
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  return { host: host.toLowerCase(), path: slash < 0 ? '/' : rest.slice(slash) };
}

interface Addresses {
  readonly issuer: readonly Address[];
  readonly authorization: readonly Address[];
  readonly token: readonly Address[];
}

const hasShape = (addresses: Addresses, { issuer, authorization, token }: AddressShape): boolean =>
  hasPath(addresses.issuer, issuer) &&
  hasPath(addresses.authorization, authorization) &&
  hasPath(addresses.token, token);

const hasPath = (addresses: readonly Address[], pattern: string | undefined): boolean =>
  pattern === undefined || addresses.some(({ path }) => isPath(pattern, path));

/** Every address of the authorization server that a flow shows. */
function addressesOf({ steps, issuers }: AuthorizationFlow): Addresses {
  const metadata = steps.filter(({ name }) => name === 'server-metadata').map(membersOf);
  const resources = steps.filter(({ name }) => name === 'resource-metadata').map(membersOf);
  const requested = (...names: readonly AuthorizationStep['name'][]) =>
    steps.flatMap(({ name, request }) => (request !== null && names.includes(name) ? [request.url] : []));
  return {
    issuer: addressesIn([
      ...issuers,
      ...resources.flatMap((members) => texts(members, 'authorization_servers')),
      ...metadata.flatMap((members) => texts(members, 'issuer')),
    ]),
    authorization: addressesIn([
      ...metadata.flatMap((members) => texts(members, 'authorization_endpoint')),
      ...requested('authorization-request'),
    ]),
    token: addressesIn([
      ...metadata.flatMap((members) => texts(members, 'token_endpoint')),
      ...requested('token', 'refresh'),
    ]),
  };
}

const addressesIn = (all: readonly string[]): Address[] => all.map(addressOf).filter((one) => one !== null);

/** The texts of a member that is a text or a list of them. */
function texts(members: JsonMembers | null, name: string): string[] {
  const value = members?.[name];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((one) => typeof one === 'string');
}
