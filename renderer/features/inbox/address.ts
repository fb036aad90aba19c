/** An address that a server wants opened, in the parts that tell where it really leads. */
type Address =
  | { readonly state: 'unreadable' }
  | {
      readonly state: 'read';
      /** What a browser makes of it: this is what is shown and opened. */
      readonly href: string;
      readonly before: string;
      /** With the port. */
      readonly host: string;
      readonly after: string;
      /** Whether it is one that may be opened. */
      readonly isWeb: boolean;
      /** Whether the browser reads it otherwise than it is written. */
      readonly isRewritten: boolean;
      readonly warnings: readonly string[];
    };

/** Takes an address of a server apart. Nothing is opened or looked up. */
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
    isRewritten: href !== text && href !== `${text}/`,
    warnings: doubts.filter((doubt) => doubt.of(url)).map(({ says }) => says),
  };
}

/** Each thing to look out for (MCP 2025-11-25 elicitation, safe URL handling). */
const doubts: readonly { readonly of: (url: URL) => boolean; readonly says: string }[] = [
  {
    of: ({ protocol }) => protocol === 'http:',
    says: 'It is not encrypted (http): what you enter there can be read on the way.',
  },
  {
    of: ({ protocol }) => !/^https?:$/.test(protocol),
    says: 'It is no web address, so Sightglass does not open it.',
  },
  {
    of: ({ username, password }) => username !== '' || password !== '',
    says: 'There is a user name before the host, which can make it look like another host.',
  },
  {
    of: ({ hostname }) => hostname.split('.').some((label) => label.startsWith('xn--')),
    says: 'The host has letters outside ASCII (xn--), which can look like those of another host.',
  },
  {
    of: ({ hostname }) => /^[\d.]+$|^\[/.test(hostname) && !isLoopback(hostname),
    says: 'The host is a number in place of a name.',
  },
];

const isLoopback = (hostname: string): boolean => /^127\.|^\[::1\]$/.test(hostname);
