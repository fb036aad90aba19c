import type { HttpRequest, HttpResponse } from './http-messages.ts';

/** Which methods are repeated at the address a redirect names; a POST is never turned into a GET. */
const followedMethods: Readonly<Record<number, 'any' | 'safe'>> = {
  301: 'safe',
  302: 'safe',
  303: 'safe',
  307: 'any',
  308: 'any',
};

/** Where a response redirects to; null when it does not. Untrusted: the server chose it. */
export function redirectTarget(response: HttpResponse, url: URL): URL | null {
  const location = response.header('location');
  if (followedMethods[response.status] === undefined || location === null) return null;
  const target = URL.canParse(location, url.href) ? new URL(location, url) : null;
  return target?.protocol === 'http:' || target?.protocol === 'https:' ? target : null;
}

/** Where a request is repeated by itself: only at its own origin, since its header lines go there too. */
export function followedTarget(response: HttpResponse, request: HttpRequest): URL | null {
  const target = redirectTarget(response, request.url);
  if (target === null || target.origin !== request.url.origin) return null;
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  return isSafe || followedMethods[response.status] === 'any' ? target : null;
}
