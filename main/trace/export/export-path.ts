import { mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { ExportFormat } from '#shared/contract/exports.ts';
import { FaultError } from '#shared/contract/fault.ts';

const TRACE = '.mcptrace';
const MOST_TRIED = 1000;

/** Where an export of a trace may go: a file that is not there yet, in the folder of downloads if there is one. */
export async function suggestPath(tracePath: string, format: ExportFormat): Promise<string> {
  const downloads = join(homedir(), 'Downloads');
  const folder = (await isFolder(downloads)) ? downloads : exportsFolder(tracePath);
  const name = basename(tracePath).replace(/\.mcptrace$/i, '');
  // The trace itself may lie there.
  const first = format === 'mcptrace' ? `${name}-shared` : name;
  for (let count = 1; count < MOST_TRIED; count++) {
    const path = join(folder, `${first}${count === 1 ? '' : `-${count}`}.${format}`);
    if (!(await exists(path))) return path;
  }
  return join(folder, `${first}.${format}`);
}

/** A path as the user wrote it, with the ending of the format. @throws FaultError when it does not say which folder */
export function exportPath(written: string, format: ExportFormat): string {
  const path = written.startsWith('~/') ? join(homedir(), written.slice(2)) : written;
  if (!isAbsolute(path)) {
    throw new FaultError({
      code: 'bad-path',
      what: 'The path of an export must be a whole one, from the root or from ~/ on.',
      next: 'Write the folder too.',
      evidence: written,
    });
  }
  const ending = format === 'mcptrace' ? TRACE : `.${format}`;
  return path.toLowerCase().endsWith(ending) ? path : `${path}${ending}`;
}

/** Makes the folder that was suggested; any other has to be there. */
export async function makeSuggestedFolder(tracePath: string, path: string): Promise<void> {
  const folder = exportsFolder(tracePath);
  if (dirname(path) !== folder || (await isFolder(folder))) return;
  // Why it cannot be made is told when the file in it cannot.
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
}

/** The data folder has one for exports beside that of the traces; a file from elsewhere has its own folder. */
function exportsFolder(tracePath: string): string {
  const folder = dirname(tracePath);
  return basename(folder) === 'traces' ? join(dirname(folder), 'exports') : folder;
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
