import { join } from 'node:path';
import { defineConfig } from 'playwright/test';
import type { HostOption } from './e2e/app.ts';
import { only } from './e2e/hosts/only.ts';
import { resultFiles } from './scripts/tally.ts';

/** In the jail nothing but this folder can be written. */
const folder = process.env.E2E_OUTPUT;
const host = process.env.E2E_HOST === 'electron' ? 'electron' : 'web';
const resultFile = folder ? join(folder, 'results.json') : resultFiles[host];

const tagged = ({ tag }: { readonly tag: string }): RegExp => new RegExp(`${tag}\\b`);

/** `npm run soak` runs them on Electron too. */
const notOnElectron = process.env.E2E_ALL === '1' ? [only.web] : [only.web, only.page];

// The same specs on both hosts, but for what is tagged as of one alone. Timeouts are for a machine of two cores that does other things too.
export default defineConfig<HostOption>({
  testDir: 'e2e',
  outputDir: folder ? join(folder, 'artifacts') : `test-results/${host}/artifacts`,
  reporter: [['list'], ['json', { outputFile: resultFile }]],
  timeout: 240_000,
  expect: { timeout: 30_000 },
  fullyParallel: true,
  // The web host runs twice as many tests, while Electron's windows would take the focus from one another.
  workers: host === 'web' ? 2 : 1,
  forbidOnly: process.env.CI === 'true',
  // Recording every step costs as much as the steps. A test that fails leaves what e2e/app.ts attaches; `--trace on`
  // records it when it runs again.
  use: { actionTimeout: 30_000 },
  projects: [
    { name: 'web', use: { host: 'web' }, grepInvert: tagged(only.electron) },
    { name: 'electron', use: { host: 'electron' }, grepInvert: notOnElectron.map(tagged) },
  ],
});
