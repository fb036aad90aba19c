import { createDataFolder } from '#config/data-folder.ts';
import { createEngine } from '#main/engine.ts';
import type { Engine, StartupTarget } from '#main/platform.ts';
import { appVersion, demoServer, pageFolder, reportError } from '../app-root.ts';
import { closeInOrder } from '../close-in-order.ts';
import { memorySecrets } from '#config/secrets.ts';
import { onPageRebuilt } from '#hosts/page-files.ts';
import { startWebHost, type WebHost, type WebHostSettings } from '../web/host.ts';
import { showInAppWindow } from './windows.ts';
import { onCtrlC, type ExitCode, exitCodes, UsageError } from './exit.ts';
import { type Asker, createAsker } from './terminal-questions.ts';

export interface ServeSettings {
  /** 0 takes any free port. */
  readonly port: number;
  readonly confirmInTerminal: boolean;
  /** What to open. */
  readonly target: StartupTarget | null;
  /** The browser to show the page in; without one its address is printed. */
  readonly browser: string | null;
  /** Why the user has to open the address manually. */
  readonly why: string;
}

/** Serves the app until its window is closed or the process is interrupted, then ends all servers. */
export async function serveUntilEnd(settings: ServeSettings): Promise<ExitCode> {
  const end = listenForEnd();
  const asker = settings.confirmInTerminal ? createAsker(process.stdin, process.stderr) : null;
  const closings: (() => Promise<unknown>)[] = [async () => asker?.close(), async () => end.stop()];
  try {
    const engine = await startEngine(settings.target, asker);
    closings.unshift(() => engine.close());
    if (settings.target?.kind === 'file') await engine.openFile(settings.target.path);
    const host = await listen({
      engine,
      pageFolder,
      port: settings.port,
      onPagesGone: () => printAddress('the page was closed', host),
    });
    closings.unshift(() => host.close());
    const stopWatching = onPageRebuilt(() => host.reloadPages());
    closings.unshift(async () => stopWatching());
    await showPage(settings, host, end);
  } finally {
    await closeInOrder(closings);
  }
  return exitCodes.fine;
}

async function showPage({ browser, why }: ServeSettings, host: WebHost, end: EndListener): Promise<void> {
  const failure = browser === null ? why : await showInBrowser(browser, host);
  if (failure === null || end.hasEnded()) return;
  printAddress(failure, host);
  await end.ended;
}

/** Resolves when the window is closed; with the reason if it never showed the page. */
async function showInBrowser(browser: string, host: WebHost): Promise<string | null> {
  const ended = await showInAppWindow(browser, host.newAddress());
  if (ended.wasInterrupted || host.hasHadPage()) return null;
  return `${browser} ended with ${ended.failure ?? ended.signal ?? `exit code ${ended.exitCode}`}`;
}

function printAddress(why: string, host: WebHost): void {
  process.stdout.write(`sightglass: ${why}; open ${host.newAddress()}\n`);
}

function startEngine(target: StartupTarget | null, asker: Asker | null): Promise<Engine> {
  return createEngine({
    host: 'web',
    appVersion,
    dataFolder: createDataFolder(),
    secrets: memorySecrets(),
    demoServer,
    reportError,
    ...(target !== null && target.kind !== 'file' ? { namedServer: target } : {}),
    ...(asker && {
      confirmLaunch: (launch) => asker.confirmLaunch(launch),
      confirmVariables: (sent, serverName) => asker.confirmVariables(sent, serverName),
    }),
  });
}

async function listen(settings: WebHostSettings): Promise<WebHost> {
  try {
    return await startWebHost(settings);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new UsageError(`--port: ${settings.port} cannot be used (${String(error.code)})`);
  }
}

interface EndListener {
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  stop(): void;
}

function listenForEnd(): EndListener {
  let hasEnded = false;
  let stop = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    stop = onCtrlC(() => {
      hasEnded = true;
      resolve();
    });
  });
  return { ended, hasEnded: () => hasEnded, stop: () => stop() };
}
