import { protocol, session } from 'electron';
import { readPageFile, securityHeaders } from '#hosts/page-files.ts';

const SCHEME = 'app';
const HOST = 'sightglass';

/** The page's origin as Electron's frames state it; Node's URL calls that of such a scheme "null". */
export const PAGE_ORIGIN = `${SCHEME}://${HOST}`;
export const PAGE_URL = `${PAGE_ORIGIN}/`;

/** Makes `app:` an origin like https. Electron takes this only before it is ready. */
export function registerPageScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, codeCache: true };
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges }]);
}

/** Serves the built page at `app://sightglass/`, and nothing else of the disk. */
export function servePage(folder: string): void {
  const headers = securityHeaders([]);
  session.defaultSession.protocol.handle(SCHEME, async (request) => {
    const url = new URL(request.url);
    const file = url.host === HOST ? await readPageFile(folder, url.pathname) : null;
    if (file === null) return new Response('Not found', { status: 404, headers });
    return new Response(new Uint8Array(file.body), {
      headers: { ...headers, 'content-type': file.contentType },
    });
  });
}
