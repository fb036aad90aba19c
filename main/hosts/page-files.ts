import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';
import { pageFolder } from './app-root.ts';

interface PageFile {
  readonly body: Buffer;
  readonly contentType: string;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** The file of the built page for a URL path, or null if there is none; never a file outside `folder`. */
export async function readPageFile(folder: string, urlPath: string): Promise<PageFile | null> {
  const path = pathInside(folder, urlPath === '/' ? '/index.html' : urlPath);
  if (path === null) return null;
  try {
    const body = await readFile(path);
    return { body, contentType: contentTypes[extname(path)] ?? 'application/octet-stream' };
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

function pathInside(folder: string, urlPath: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(urlPath);
  } catch {
    return null; // Not UTF-8: no file of ours has such a name.
  }
  if (decoded.includes('\0')) return null;
  const path = resolve(folder, `.${decoded}`);
  return path.startsWith(resolve(folder) + sep) ? path : null;
}

const absences: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EINVAL']);

const isAbsence = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && absences.has(error.code);

/** A build writes many files; the page is complete once none has changed for this long. */
const QUIET = 300;

/** Calls the listener whenever the page was rebuilt, in development only (`npm run dev`). */
export function onPageRebuilt(listener: () => void): () => void {
  if (!process.env.SIGHTGLASS_DEV) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(pageFolder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(listener, QUIET);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

/** What every host sends with every file of the page. The page may connect to nothing else than `connect`. */
export function securityHeaders(connect: readonly string[]): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(connect),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

function contentSecurityPolicy(connect: readonly string[]): string {
  const directives: Readonly<Record<string, readonly string[]>> = {
    'default-src': ["'self'"],
    'script-src': ["'self'"],
    // Monaco writes its colours into style elements.
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:'],
    'media-src': ["'self'", 'data:', 'blob:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'", ...connect],
    'worker-src': ["'self'", 'blob:'],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}
