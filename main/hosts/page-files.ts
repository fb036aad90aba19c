import { readFile } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';

export interface PageFile {
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

/** The file of the built page at a URL's path, or null when there is none; never a file outside `folder`. */
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
