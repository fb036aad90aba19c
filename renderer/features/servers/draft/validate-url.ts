import { isLoopback } from '#shared/loopback.ts';
import { isRunner } from '#shared/server-names.ts';
import { sampleUrl } from '#shared/url-template.ts';
import { isHeld, secretsInUrl, USER_INFO } from '#shared/url-secrets.ts';

/** Something about a URL the user should know before connecting. */
export type UrlWarning =
  | { readonly kind: 'not-encrypted' }
  /** A user name or password, which could be a header instead. */
  | { readonly kind: 'credentials'; readonly without: string; readonly authorization: string }
  /** The part after `#` is never sent (RFC 9110 section 7.1). */
  | { readonly kind: 'fragment' };

type UrlValidation =
  | { readonly state: 'ok'; readonly url: string; readonly warnings: readonly UrlWarning[] }
  /** Invalid so far; typing on may fix it. `suggestion` is the URL probably meant. */
  | { readonly state: 'unfinished'; readonly error: string; readonly suggestion: string | null }
  /** Invalid whatever follows. */
  | { readonly state: 'wrong'; readonly error: string };

/** Validates the URL of a server while the user types it. */
export function validateUrl(typed: string): UrlValidation {
  const text = typed.trim();
  if (text === '') return unfinished('Enter the URL of the server.');
  const sample = sampleUrl(text);
  if (/\s/.test(sample)) return { state: 'wrong', error: 'A URL cannot contain spaces.' };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(sample)?.[1]?.toLowerCase();
  if (scheme === undefined)
    return unfinished('The URL must start with http:// or https://.', withScheme(text));
  if (scheme !== 'http' && scheme !== 'https')
    return { state: 'wrong', error: `MCP has no transport for ${scheme}://; use http:// or https://.` };
  const readable = URL.canParse(text) ? text : sample;
  if (!URL.canParse(readable)) return unfinished('This URL is not complete: check its host and port.');
  // Of an example for a placeholder in the host, nothing may be taken over.
  const warnings = warningsOf(new URL(readable)).filter(
    ({ kind }) => kind !== 'credentials' || readable === text,
  );
  return { state: 'ok', url: text, warnings };
}

const unfinished = (error: string, suggestion: string | null = null): UrlValidation => ({
  state: 'unfinished',
  error,
  suggestion,
});

/** Adds a scheme to an address that clearly names a host; null for any other text. */
function withScheme(text: string): string | null {
  const host = /^(localhost|\[[0-9a-f:]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?]|$)/i.exec(text)?.[1];
  if (host === undefined) return null;
  const url = `${isLoopback({ hostname: host }) ? 'http' : 'https'}://${text}`;
  return URL.canParse(url) ? url : null;
}

function warningsOf(url: URL): UrlWarning[] {
  const warnings: UrlWarning[] = [];
  if (url.protocol === 'http:' && !isLoopback(url)) warnings.push({ kind: 'not-encrypted' });
  // A stored secret is only a placeholder here.
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
    // A lone "%" is kept as it is.
    return text;
  }
}

/** The URL entered as a command line; null if it is not a URL. */
export const urlIn = (commandLine: string): string | null =>
  /^["'<]?(https?:\/\/[^\s"'<>]+)["'>]?$/i.exec(commandLine.trim())?.[1] ?? null;

/** The command line entered as a URL; null if it is not a command line. */
export function commandLineIn(url: string): string | null {
  const text = url.trim();
  const [first = '', second] = text.split(/\s+/);
  if (first.includes('://')) return null;
  const isPath = /^(?:\.{0,2}[\\/]|~\/|[a-z]:\\)/i.test(first);
  return second !== undefined || isPath || isRunner(first) ? text : null;
}
