import type { IncomingMessage, ServerResponse } from 'node:http';
import { readPageFile, securityHeaders } from '#hosts/page-files.ts';
import { urlOfRequest } from '#transports/listener.ts';

/**
 * The only name our page has. A foreign name that resolves to us is a rebinding attack, and `localhost` may resolve to
 * another listener of this machine.
 */
export const ownHost = (port: number): string => `127.0.0.1:${port}`;

/** Serves the built page. It holds nothing secret, so it needs no token. */
export function pageServer(
  folder: string,
  port: number,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const host = ownHost(port);
  const headers = { ...securityHeaders([`ws://${host}`]), 'cache-control': 'no-cache' };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rejection = rejectionOf(request, host);
    if (rejection !== null) return end(request, response, rejection, rejections[rejection]);
    const url = urlOfRequest(request, `http://${host}`);
    const file = url === null ? null : await readPageFile(folder, url.pathname);
    if (file === null) return end(request, response, 404, 'Not found');
    response.setHeader('content-type', file.contentType);
    end(request, response, 200, file.body);
  }

  function end(request: IncomingMessage, response: ServerResponse, status: number, body: string | Buffer) {
    if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  return answer;
}

const rejections = {
  403: 'This is not a name of Sightglass.',
  405: 'Only GET and HEAD are answered here.',
} as const;

function rejectionOf(request: IncomingMessage, host: string): keyof typeof rejections | null {
  if (request.headers.host !== host) return 403;
  if (request.method !== 'GET' && request.method !== 'HEAD') return 405;
  return null;
}
