import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The headless build comes first: it renders the same pages with two thirds of the processor time. */
const onPath = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge',
  'msedge',
];

const wellKnown: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/snap/bin/chromium',
    '/opt/google/chrome/chrome',
    '/opt/microsoft/msedge/msedge',
  ],
  darwin: ['Google Chrome', 'Chromium', 'Microsoft Edge'].flatMap((name) => [
    `/Applications/${name}.app/Contents/MacOS/${name}`,
    `${homedir()}/Applications/${name}.app/Contents/MacOS/${name}`,
  ]),
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) => {
    const folder = process.env[name];
    if (!folder) return [];
    return [
      join(folder, 'Google/Chrome/Application/chrome.exe'),
      join(folder, 'Microsoft/Edge/Application/msedge.exe'),
    ];
  }),
};

/**
 * A Chromium, Chrome or Edge of this machine, or null. `CHROMIUM` names one and then no other is looked for.
 */
export function findBrowser(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.CHROMIUM) return isProgram(env.CHROMIUM) ? env.CHROMIUM : null;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = [
    ...folders.flatMap((folder) => onPath.map((name) => join(folder, name))),
    ...(wellKnown[process.platform] ?? []),
  ];
  return candidates.find(isProgram) ?? null;
}

/** Finds a browser, or installs Debian's package of one where this user may. Never downloads a browser build. */
export function findOrInstallBrowser(): string {
  const found = findBrowser();
  if (found) return found;
  if (process.env.CHROMIUM) throw new Error(`CHROMIUM names no program: ${process.env.CHROMIUM}`);
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    console.log("No browser found: installing Debian's chromium-headless-shell with apt-get");
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const apt = (...args: string[]) =>
      spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...args], { env, stdio: 'inherit' })
        .status === 0;
    const installed =
      apt('update') &&
      apt('install', '-y', '--no-install-recommends', 'chromium-headless-shell') &&
      findBrowser();
    if (installed) return installed;
  }
  throw new Error(
    'No browser for the end-to-end tests: install Chromium, Chrome or Edge, or name one with CHROMIUM=/path/to/it.',
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
