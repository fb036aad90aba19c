// The end-to-end tests on the web host, and on Electron where one is, side by side; arguments go on to Playwright.
// ELECTRON_RUNNER names a program that runs a command where it finds an Electron, and ends with 75 where it has none.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findOrInstallBrowser } from './browser.ts';
import { findElectron, whyNoWindow } from './electron-binary.ts';
import { projectRoot, runStep, type Step } from './step.ts';
import { resultFiles } from './tally.ts';

const hosts = ['web', 'electron'] as const;
export type Host = (typeof hosts)[number];

/** What the program of ELECTRON_RUNNER ends with where it has no Electron (EX_TEMPFAIL). */
const NO_RUNTIME = 75;

/** Why the tests of this host cannot run here, or null. */
function whySkipped(host: Host): string | null {
  if (host === 'web' || process.env.ELECTRON_RUNNER) return null;
  return findElectron() ? whyNoWindow() : 'no Electron binary on this machine';
}

/** Runs the built app end to end on one host. False when a test failed. */
async function runHost(
  host: Host,
  args: readonly string[],
  { chromium, live }: { readonly chromium: string; readonly live: NonNullable<Step['live']> },
): Promise<boolean> {
  const runner = host === 'electron' ? process.env.ELECTRON_RUNNER : undefined;
  // In the jail the project cannot be written, and results go where it says.
  if (!process.env.E2E_OUTPUT) await rm(join(projectRoot, resultFiles[host]), { force: true });
  return runStep({
    name: `end to end, ${host}`,
    command: runner
      ? [runner, 'node', 'scripts/e2e.ts', '--project', host, ...args]
      : ['playwright', 'test', `--project=${host}`, ...args],
    // Electron's Node is another one, and in the jail the folder of the cache cannot be written.
    env: {
      E2E_HOST: host,
      CHROMIUM: chromium,
      ...(host === 'electron' && { NODE_DISABLE_COMPILE_CACHE: '1' }),
    },
    live,
    ...(runner && { skipCode: NO_RUNTIME }),
  });
}

/**
 * Runs the hosts side by side; what cannot run here is skipped, and a line says so. Gives the names of those that failed.
 * @param args for Playwright
 */
export async function e2e(
  wanted: readonly Host[],
  args: readonly string[],
  live: NonNullable<Step['live']>,
): Promise<string[]> {
  const runs = wanted.filter((host) => {
    const skipped = whySkipped(host);
    if (skipped) console.log(`- end to end, ${host}: SKIPPED, ${skipped}`);
    return !skipped;
  });
  // Electron hands URLs to the system's browser, so it needs one too.
  const chromium = runs.length > 0 ? findOrInstallBrowser() : '';
  const failed: string[] = [];
  await Promise.all(
    runs.map(async (host) => {
      if (!(await runHost(host, args, { chromium, live }))) failed.push(`end to end, ${host}`);
    }),
  );
  return failed;
}

if (import.meta.main) {
  try {
    if (!existsSync(join(projectRoot, 'dist/main/cli.js')))
      throw new Error('Nothing is built: npm run build');
    const { named, others } = splitProjects(process.argv.slice(2));
    const only = hosts.filter((host) => named.includes(host));
    if (only.length < named.length) throw new Error(`--project is ${hosts.join(' or ')}`);
    for (const host of only) {
      const skipped = whySkipped(host);
      if (skipped) throw new Error(`end to end, ${host}: ${skipped}`);
    }
    const live = only.length === 1 ? 'as-is' : 'labelled';
    if ((await e2e(only.length > 0 ? only : hosts, others, live)).length > 0) process.exitCode = 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Takes `--project NAME` and `--project=NAME` out of the arguments. */
function splitProjects(args: readonly string[]): { named: string[]; others: string[] } {
  const named: string[] = [];
  const others: string[] = [];
  for (const [place, arg] of args.entries()) {
    if (arg === '--project' || args[place - 1] === '--project') {
      if (arg !== '--project') named.push(arg);
    } else if (arg.startsWith('--project=')) named.push(arg.slice('--project='.length));
    else others.push(arg);
  }
  return { named, others };
}
