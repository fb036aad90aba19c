import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { formatBytes } from '#shared/format.ts';
import { onCtrlC } from './exit.ts';
import { readDuration } from './option-values.ts';
import { electronPackage, findElectron, installElectron, type Progress } from './install-electron.ts';
import { progressLine, say } from './output.ts';

export type FirstStart =
  | { readonly binary: string }
  /** Why there is no binary, for the user. */
  | { readonly binary: null; readonly why: string; readonly wasInterrupted: boolean };

/** Milliseconds without a byte after which the download is given up. */
const SILENCE = 10_000;
/** Bytes between two lines of progress if they cannot be overwritten. */
const BYTES_A_LINE = 10_000_000;

/** Finds Electron, or installs it if that is allowed. Downloads nothing else. */
export async function obtainElectron(): Promise<FirstStart> {
  const found = findElectron();
  if (found !== null) return { binary: found };
  const packageFolder = electronPackage();
  const forbidden = noDownloadReason(process.env, packageFolder);
  if (forbidden !== null || packageFolder === null) {
    const why = `Electron’s binary is not installed (${forbidden})`;
    return { binary: null, why, wasInterrupted: false };
  }
  return install(packageFolder);
}

/** Why nothing may be downloaded; null if it may. */
function noDownloadReason(env: NodeJS.ProcessEnv, packageFolder: string | null): string | null {
  if (env.ELECTRON_OVERRIDE_DIST_PATH) return 'ELECTRON_OVERRIDE_DIST_PATH names a folder without it';
  if (packageFolder === null) return 'nor is the package that could install it';
  const names = ['SIGHTGLASS_NO_DOWNLOAD', 'CI', 'ELECTRON_SKIP_BINARY_DOWNLOAD'];
  const forbidding = names.find((name) => !NOT_SET.has((env[name] ?? '').toLowerCase()));
  return forbidding === undefined
    ? null
    : `it is not downloaded while ${forbidding} is set; "npx install-electron" does`;
}

/** Values that turn a variable off. */
const NOT_SET: ReadonlySet<string> = new Set(['', '0', 'false', 'no']);

async function install(packageFolder: string): Promise<FirstStart> {
  const timeout = process.env.SIGHTGLASS_DOWNLOAD_TIMEOUT;
  const silence = timeout ? readDuration('SIGHTGLASS_DOWNLOAD_TIMEOUT', timeout) : SILENCE;
  const version = versionOf(packageFolder);
  say(
    `Electron ${version} is not installed yet: downloading it, once (SIGHTGLASS_NO_DOWNLOAD=1 prevents that)`,
  );
  const interruption = new AbortController();
  const stopListening = onCtrlC(() => interruption.abort());
  const line = progressLine(process.stderr);
  try {
    const why = await installElectron({
      packageFolder,
      env: process.env,
      silence,
      interruption: interruption.signal,
      onProgress: progressNotes((text) => line.note(`sightglass: Electron ${version}: ${text}`)),
    });
    line.end();
    const binary = why === null ? findElectron(packageFolder) : null;
    if (binary !== null) return { binary };
    return {
      binary: null,
      why: `Electron could not be downloaded (${why ?? 'its installer left no binary'})`,
      wasInterrupted: interruption.signal.aborted,
    };
  } finally {
    stopListening();
  }
}

/** On a terminal every change overwrites the last one; elsewhere a line is printed now and then. */
function progressNotes(note: (text: string) => void): (progress: Progress) => void {
  let progress = { step: '', bytes: 0 };
  return ({ step, bytes }) => {
    const isNews = step !== progress.step || bytes - progress.bytes >= BYTES_A_LINE;
    if (!isNews && !process.stderr.isTTY) return;
    progress = { step, bytes };
    note(`${step}, ${formatBytes(bytes)} so far`);
  };
}

const versionOf = (packageFolder: string): string =>
  z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))).version;
