import { z } from 'zod';
import type { NamedServer } from '#engine/platform.ts';
import { type CliCommand, parseOptions } from './command.ts';
import { whyNoWindow } from './display.ts';
import { type ElectronRun, runElectron } from './electron-window.ts';
import { findBrowser } from './find-browser.ts';
import { findElectron } from './find-electron.ts';
import { say } from './say.ts';
import { serveUntilEnd } from './serve.ts';
import { readOptionalTarget, targetNotes, targetOptions } from './target.ts';

const optionsSchema = z.object({
  web: z.boolean().default(false),
  port: z.coerce.number('is a number').int().min(0).max(65_535).default(0),
  confirmInTerminal: z.boolean().default(false),
});

/** Opens the app: in Electron, else in a browser window, else behind an address. */
export const openCommand: CliCommand = {
  usage: 'open',
  isDefault: true,
  summary: 'open the app, connected to a server if one is named',
  options: [
    ['--web', 'serve the app on 127.0.0.1 and print its address'],
    ['--port <number>', 'the port to serve it on'],
    ['--confirm-in-terminal', 'ask here, not in the page, before a new command line is run'],
    ...targetOptions,
  ],
  notes:
    'Opens in Electron where its binary is installed, else in a window of Chromium, Chrome or Edge, else prints\n' +
    'an address. --port and --confirm-in-terminal concern the served app, so Electron is not used with them.\n' +
    `${targetNotes}\n\n` +
    'Examples: sightglass open -- node server.js\n' +
    '          sightglass open --url http://127.0.0.1:3000/mcp',
  async run(invocation) {
    const { web, port, confirmInTerminal } = parseOptions(optionsSchema, invocation.options);
    const namedServer = readOptionalTarget(invocation);
    const serve = (why: string, browser: string | null) =>
      serveUntilEnd({ port, confirmInTerminal, namedServer, browser, why });
    if (web) return serve('serving the app', null);
    const noWindow = whyNoWindow();
    if (noWindow !== null) return serve(noWindow, null);

    const reasons: string[] = [];
    if (port === 0 && !confirmInTerminal) {
      const run = await tryElectron(namedServer);
      if (run.hasRun) return run.exitCode;
      reasons.push(run.why);
    }
    const browser = findBrowser();
    if (browser === null)
      return serve([...reasons, 'no Chromium, Chrome or Edge was found'].join('; '), null);
    say([...reasons, `opening a window of ${browser}`].join('; '));
    return serve('', browser);
  },
};

async function tryElectron(namedServer: NamedServer | null): Promise<ElectronRun> {
  const binary = findElectron();
  if (binary !== null) return runElectron(binary, namedServer);
  return { hasRun: false, why: 'Electron’s binary is not installed ("npx install-electron" fetches it)' };
}
