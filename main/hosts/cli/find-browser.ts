import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Names on the PATH of Linux, the likeliest first. */
const commandNames = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'microsoft-edge-stable',
];

const macApps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];

const windowsPaths = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
];

/** A browser of the Chromium family on this machine, which can open a window without an address bar; or null. */
export function findBrowser(): string | null {
  return candidates().find(isExecutable) ?? null;
}

function candidates(): string[] {
  const { env } = process;
  switch (process.platform) {
    case 'darwin':
      return ['/Applications', join(env.HOME ?? '', 'Applications')].flatMap((folder) =>
        macApps.map((app) => join(folder, `${app}.app`, 'Contents', 'MacOS', app)),
      );
    case 'win32':
      return [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA]
        .filter((folder) => folder !== undefined)
        .flatMap((folder) => windowsPaths.map((path) => join(folder, ...path)));
    default: {
      const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
      return commandNames.flatMap((name) => folders.map((folder) => join(folder, name)));
    }
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
