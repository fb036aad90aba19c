import { z } from 'zod';
import { resolve } from 'node:path';
import { requireFile, statOf } from '#files/file-kinds.ts';
import type { StartupTarget } from '#main/platform.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { dataFolder } from '#config/data-folder.ts';
import { memorySecrets } from '#config/secrets.ts';
import { ServerList } from '#config/server-list.ts';
import { demoServer } from '#hosts/app-root.ts';
import { namedFile } from '#hosts/startup-target.ts';
import { type CliCommand, type Invocation, parseOptions } from '#hosts/cli/command.ts';
import { exitCodeOf, type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { faultText, say } from '#hosts/cli/output.ts';
import { noWindowReason, type ElectronRun, runElectron, findBrowser } from '#hosts/cli/windows.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { obtainElectron } from '#hosts/cli/first-start.ts';
import { type ServeSettings, serveUntilEnd } from '#hosts/cli/serve.ts';
import { readOptionalTarget, targetNotes, targetOptions } from '#hosts/cli/target.ts';

const optionsSchema = z.object({
  web: z.boolean().default(false),
  port: z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, {
      error: ({ input }) => `a whole number from 0 to 65535 is needed; it is ${quoted(String(input))}`,
    })
    .transform(Number)
    .default(0),
  confirmInTerminal: z.boolean().default(false),
});

const argsSchema = z.tuple([z.string().optional()]);

/** Opens the app: in Electron, else in a browser window, else at a printed address. */
export const openCommand: CliCommand = {
  usage: 'open [file]',
  isDefault: true,
  summary: 'open the app, connected to a server or with a trace file if one is named',
  options: [
    ['--web', 'serve the app on 127.0.0.1 and print its address'],
    ['--port <number>', 'the port to serve it on: 0 to 65535, where 0 takes any free one'],
    ['--confirm-in-terminal', 'ask here, not in the page, before a new command line is run'],
    ...targetOptions,
  ],
  notes:
    'Opens in Electron, which is downloaded by its own installer when it is missing (not when SIGHTGLASS_NO_DOWNLOAD or\n' +
    'CI is set, or there is no display; given up after 10 s without a byte, or SIGHTGLASS_DOWNLOAD_TIMEOUT). Else opens\n' +
    'in a window of Chromium, Chrome or Edge, else prints an address. --port and --confirm-in-terminal concern the served app, so Electron is not used with them.\n' +
    `${targetNotes}\n\n` +
    'Examples: sightglass open -- node server.js\n' +
    '          sightglass open --url http://127.0.0.1:3000/mcp\n' +
    '          sightglass open session.mcptrace',
  ends: { 0: 'the app was closed', 3: 'the data folder cannot be used' },
  async run(invocation) {
    const { web, port, confirmInTerminal } = parseOptions(optionsSchema, invocation.options);
    const target = readStartupTarget(invocation);
    if (target?.kind === 'saved') await requireSaved(target.name);
    const serve = (why: string, browser: string | null) =>
      serveOrReport({ port, confirmInTerminal, target, browser, why });
    if (web) return serve('serving the app', null);
    const noWindow = noWindowReason();
    if (noWindow !== null) return serve(noWindow, null);

    const reasons: string[] = [];
    if (port === 0 && !confirmInTerminal) {
      const run = await tryElectron(target);
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

/** The trace file or the server to open, if any. @throws UsageError */
function readStartupTarget(invocation: Invocation): StartupTarget | null {
  const [file] = argsSchema.parse(invocation.args);
  const server = readOptionalTarget(invocation);
  if (file === undefined) return server;
  if (server !== null) throw new UsageError('open a trace file or a server, not both at once');
  requireFile(resolve(file), statOf(resolve(file), 'a trace'), 'a trace');
  return namedFile(file);
}

/** Before a window opens that would have nothing to show. @throws UsageError */
async function requireSaved(name: string): Promise<void> {
  const servers = new ServerList({
    folder: dataFolder(),
    secrets: memorySecrets(),
    demo: demoServer,
    onChange: () => {},
    movesSecrets: false,
  });
  try {
    await servers.named(name);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    throw new UsageError(faultText(error.fault));
  }
}

/** Serves the app, or prints the fault if it cannot be opened. */
async function serveOrReport(settings: ServeSettings): Promise<ExitCode> {
  try {
    return await serveUntilEnd(settings);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    say(faultText(error.fault));
    return exitCodeOf(error.fault);
  }
}

async function tryElectron(target: StartupTarget | null): Promise<ElectronRun> {
  const start = await obtainElectron();
  if (start.binary !== null) return runElectron(start.binary, target);
  if (start.wasInterrupted) return { hasRun: true, exitCode: exitCodes.interrupted };
  return { hasRun: false, why: start.why };
}
