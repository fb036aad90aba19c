/** Every URI begins with a scheme and a colon (RFC 3986 section 3.1). */
const start = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** What a URI may contain after its scheme (RFC 3986 section 2): unreserved and reserved characters, and octets as `%2F`. */
const allowed = /[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2}/y;

/** Why a text is not a URI (RFC 3986); null if it is one. Nothing is resolved, and any scheme is allowed. */
export function uriError(text: string): string | null {
  const scheme = start.exec(text)?.[0];
  if (scheme === undefined) return 'it has no scheme';
  for (let at = scheme.length; at < text.length; at = allowed.lastIndex) {
    allowed.lastIndex = at;
    if (!allowed.test(text)) return wrongCharacter(text, at);
  }
  if (text.indexOf('#') !== text.lastIndexOf('#')) return 'it has more than one "#"';
  return portError(text) ?? bracketsError(text);
}

function wrongCharacter(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === '%') return 'a "%" is not followed by two hexadecimal digits';
  const encoded =
    /[\uD800-\uDFFF]/.test(character) && character.length === 1 ? '' : encodeURIComponent(character);
  const named = JSON.stringify(character);
  return `${named} is not allowed in it${encoded === '' || encoded === character ? '' : `; encoded it is ${encoded}`}`;
}

/** The part between the slashes and the path. */
const authority = /^[^:]*:\/\/([^/?#]*)/;

function portError(text: string): string | null {
  const port = /:([^:\]]*)$/.exec(authority.exec(text)?.[1]?.replace(/^.*@/, '') ?? '')?.[1];
  return port === undefined || /^\d*$/.test(port) ? null : `its port is not a number: ${port}`;
}

/** Brackets enclose an IP address as the host, and stand nowhere else (RFC 3986 section 3.2.2). */
function bracketsError(text: string): string | null {
  const host = authority.exec(text)?.[1] ?? '';
  const rest = text.replace(authority, '');
  const isAddress = !/[[\]]/.test(host) || /^(?:[^[\]]*@)?\[[0-9A-Fa-fv:.]+\](?::\d*)?$/.test(host);
  return isAddress && !/[[\]]/.test(rest) ? null : 'brackets only enclose an IP address as its host';
}
