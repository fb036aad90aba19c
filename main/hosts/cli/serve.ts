import { createDataFolder } from '#config/data-folder.ts';
import { createEngine } from '#engine/engine.ts';
import type { Engine, Named } from '#engine/platform.ts';
import { appVersion, demoServer, pageFolder, reportError } from '../app-root.ts';
import { closeInOrder } from '../close-in-order.ts';
import { memorySecrets } from '#config/memory-secrets.ts';
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
  readonly named: Named | null;
  /** The browser to show the page in; without one its address is printed. */
  readonly browser: string | null;
  /** Why the user has to open the address manually. */
  readonly why: string;
}

/** Serves the app until its window is closed or the process is interrupted, then ends all servers. */
export async function serveUntilEnd(settings: ServeSettings): Promise<ExitCode> {
  const asked = listenForEnd();
  const asker = settings.confirmInTerminal ? createAsker(process.stdin, process.stderr) : null;
  const closings: (() => Promise<unknown>)[] = [async () => asker?.close(), async () => asked.stop()];
  try {
    const engine = await startEngine(settings.named, asker);
    closings.unshift(() => engine.close());
    if (settings.named?.kind === 'file') await engine.openFile(settings.named.path);
    const host = await listen({
      engine,
      pageFolder,
      port: settings.port,
      onPagesGone: () => printAddress('the page was closed', host),
    });
    closings.unshift(() => host.close());
    const stopWatching = onPageRebuilt(() => host.reloadPages());
    closings.unshift(async () => stopWatching());
    await showPage(settings, host, asked);
  } finally {
    await closeInOrder(closings);
  }
  return exitCodes.fine;
}

async function showPage({ browser, why }: ServeSettings, host: WebHost, asked: EndListener): Promise<void> {
  const failure = browser === null ? why : await showInBrowser(browser, host);
  if (failure === null || asked.hasCome()) return;
  printAddress(failure, host);
  await asked.coming;
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

function startEngine(named: Named | null, asker: Asker | null): Promise<Engine> {
  return createEngine({
    host: 'web',
    appVersion,
    dataFolder: createDataFolder(),
    secrets: memorySecrets(),
    demoServer,
    reportError,
    ...(named !== null && named.kind !== 'file' ? { namedServer: named } : {}),
    ...(asker ? { confirmLaunch: (launch) => asker.confirmLaunch(launch) } : {}),
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
  readonly coming: Promise<void>;
  hasCome(): boolean;
  stop(): void;
}

function listenForEnd(): EndListener {
  let hasCome = false;
  let stop = (): void => undefined;
  const coming = new Promise<void>((resolve) => {
    stop = onCtrlC(() => {
      hasCome = true;
      resolve();
    });
  });
  return { coming, hasCome: () => hasCome, stop: () => stop() };
}
