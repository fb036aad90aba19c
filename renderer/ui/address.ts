import { isLoopback } from '#shared/loopback.ts';
import { isPrivateHost } from '#shared/private-address.ts';

/** An address that a server wants opened, split so that its real host stands out. */
type Address = { readonly state: 'unreadable' } | ReadAddress;

export interface ReadAddress {
  readonly state: 'read';
  /** The address as the browser normalized it, which is shown and opened. */
  readonly href: string;
  readonly before: string;
  /** Including the port. */
  readonly host: string;
  readonly after: string;
  /** Whether it is http(s), and so may be opened. */
  readonly isWeb: boolean;
  /** Whether normalization changed it. */
  readonly isRewritten: boolean;
  /** Whether it names this machine or its network. */
  readonly isPrivate: boolean;
  readonly warnings: readonly string[];
}

/** Parses an address of a server. Nothing is opened or resolved. */
export function readAddress(text: string): Address {
  if (!URL.canParse(text)) return { state: 'unreadable' };
  const url = new URL(text);
  const { href, protocol, host, username, password } = url;
  const user = username === '' && password === '' ? '' : `${username}${password && `:${password}`}@`;
  const before = `${protocol}${href.startsWith(`${protocol}//`) ? '//' : ''}${user}`;
  return {
    state: 'read',
    href,
    before,
    host,
    after: href.slice(before.length + host.length),
    isWeb: /^https?:$/.test(protocol),
    isPrivate: isPrivateHost(url),
    isRewritten: href !== text && href !== `${text}/`,
    warnings: doubts.filter((doubt) => doubt.of(url)).map(({ says }) => says),
  };
}

/** Warnings about a URL (MCP 2025-11-25 elicitation, safe URL handling). */
const doubts: readonly { readonly of: (url: URL) => boolean; readonly says: string }[] = [
  {
    of: (url) => url.protocol === 'http:' && !isLoopback(url),
    says: 'It is not encrypted (http): others on the network can read what you enter there.',
  },
  {
    of: ({ protocol }) => !/^https?:$/.test(protocol),
    says: 'It is not a web address, so Sightglass does not open it.',
  },
  {
    of: ({ username, password }) => username !== '' || password !== '',
    says: 'A user name before the host can make it look like another host.',
  },
  {
    of: ({ hostname }) => hostname.split('.').some((label) => label.startsWith('xn--')),
    says: 'The host contains non-ASCII letters (xn--), which can look like another host.',
  },
  {
    of: ({ hostname }) => /^[\d.]+$|^\[/.test(hostname) && !isLoopback({ hostname }),
    says: 'The host is a number instead of a name.',
  },
];
