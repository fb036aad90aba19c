import { isRunner } from '#shared/server-names.ts';
import { isHeld, secretsInUrl, USER_INFO } from '#shared/url-secrets.ts';

/** What a URL tells that its owner should know before connecting. */
export type UrlWarning =
  | { readonly kind: 'not-encrypted' }
  /** A user name or password, which could be a header. */
  | { readonly kind: 'credentials'; readonly without: string; readonly authorization: string }
  /** What stands behind a `#` is never sent (RFC 9110 section 7.1). */
  | { readonly kind: 'fragment' };

type UrlValidation =
  | { readonly state: 'ok'; readonly url: string; readonly warnings: readonly UrlWarning[] }
  /** Not right, but more typing may make it so; `suggestion` is what may be meant. */
  | { readonly state: 'unfinished'; readonly why: string; readonly suggestion: string | null }
  /** Not right, whatever follows. */
  | { readonly state: 'wrong'; readonly why: string };

/** Validates the URL of a server while it is being typed. */
export function validateUrl(typed: string): UrlValidation {
  const text = typed.trim();
  if (text === '') return unfinished('Write the URL of the server.');
  if (/\s/.test(text)) return { state: 'wrong', why: 'A URL has no spaces.' };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return unfinished('The URL begins with http:// or https://.', withScheme(text));
  if (scheme !== 'http' && scheme !== 'https')
    return { state: 'wrong', why: `MCP has no transport for ${scheme}://; use http:// or https://.` };
  if (!URL.canParse(text)) return unfinished('This is no whole URL: look at its host and port.');
  return { state: 'ok', url: text, warnings: warningsOf(new URL(text)) };
}

const unfinished = (why: string, suggestion: string | null = null): UrlValidation => ({
  state: 'unfinished',
  why,
  suggestion,
});

/** What is meant by an address without a scheme, once it names a host for sure. */
function withScheme(text: string): string | null {
  const host = /^(localhost|\[[0-9a-f:]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?]|$)/i.exec(text)?.[1];
  if (host === undefined) return null;
  const url = `${isLoopback(host.toLowerCase()) ? 'http' : 'https'}://${text}`;
  return URL.canParse(url) ? url : null;
}

function warningsOf(url: URL): UrlWarning[] {
  const warnings: UrlWarning[] = [];
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) warnings.push({ kind: 'not-encrypted' });
  // Of what is kept as a secret there is only a placeholder here.
  const isKept = secretsInUrl(url.href).some((secret) => secret.key === USER_INFO && isHeld(secret));
  if (!isKept && (url.username !== '' || url.password !== '')) warnings.push(credentialsIn(url));
  if (url.hash !== '') warnings.push({ kind: 'fragment' });
  return warnings;
}

function credentialsIn(url: URL): UrlWarning {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  const bytes = new TextEncoder().encode(`${decoded(url.username)}:${decoded(url.password)}`);
  return {
    kind: 'credentials',
    without: plain.href,
    // RFC 7617 section 2.
    authorization: `Basic ${btoa(String.fromCharCode(...bytes))}`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone "%" stands for itself.
    return text;
  }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host);

/** Text that was put where the other kind of transport is described. */

/** The URL that was written where a command line belongs; null when none was. */
export const urlIn = (commandLine: string): string | null =>
  /^["'<]?(https?:\/\/[^\s"'<>]+)["'>]?$/i.exec(commandLine.trim())?.[1] ?? null;

/** The command line that was written where a URL belongs; null when none was. */
export function commandLineIn(url: string): string | null {
  const text = url.trim();
  const [first = '', second] = text.split(/\s+/);
  if (first.includes('://')) return null;
  const isPath = /^(?:\.{0,2}[\\/]|~\/|[a-z]:\\)/i.test(first);
  return second !== undefined || isPath || isRunner(first) ? text : null;
}
