/** A URI reference in its parts (RFC 3986 section 3); undefined for those that it does not have. */
interface UriParts {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
}

export interface ResolvedUri {
  /** The URI without its fragment. */
  readonly document: string;
  /** Without its `#`, and percent-decoded. */
  readonly fragment: string;
}

/** Resolves a reference against a base URI (RFC 3986 section 5.2). */
export function resolveUri(reference: string, base: string): ResolvedUri {
  const at = reference.indexOf('#');
  const fragment = at === -1 ? '' : decoded(reference.slice(at + 1));
  const own = partsOf(at === -1 ? reference : reference.slice(0, at));
  return { document: textOf(merged(own, partsOf(base))), fragment };
}

function partsOf(text: string): UriParts {
  const [, scheme, authority, path = '', query] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text) ?? [];
  return { scheme: scheme?.toLowerCase(), authority: authority?.toLowerCase(), path, query };
}

function merged(own: UriParts, base: UriParts): UriParts {
  const { scheme, authority } = base;
  const path = withoutDots(own.path);
  if (own.scheme !== undefined) return { ...own, path };
  if (own.authority !== undefined) return { ...own, scheme, path };
  if (own.path === '') return { ...base, query: own.query ?? base.query };
  if (own.path.startsWith('/')) return { scheme, authority, path, query: own.query };
  const folder = base.path.slice(0, base.path.lastIndexOf('/') + 1);
  const start = folder === '' && authority !== undefined ? '/' : folder;
  return { scheme, authority, path: withoutDots(start + own.path), query: own.query };
}

/** Removes the segments `.` and `..` (RFC 3986 section 5.2.4). */
function withoutDots(path: string): string {
  if (!path.includes('.')) return path;
  const kept: string[] = [];
  const segments = path.split('/');
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === '..') {
      if (kept.length > 1 || (kept.length === 1 && kept[0] !== '')) kept.pop();
      if (isLast) kept.push('');
    } else if (segment === '.') {
      if (isLast) kept.push('');
    } else kept.push(segment);
  }
  return kept.join('/');
}

const textOf = ({ scheme, authority, path, query }: UriParts): string =>
  [
    scheme === undefined ? '' : `${scheme}:`,
    authority === undefined ? '' : `//${authority}`,
    path,
    query === undefined ? '' : `?${query}`,
  ].join('');

/** Percent-decodes text; unchanged if it is malformed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
