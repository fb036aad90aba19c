import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright/test';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

export interface Launch {
  readonly env: Readonly<Record<string, string>>;
  readonly switches: readonly string[];
}

/** How the app is started. */
export interface StartSettings {
  /** The data folder. */
  readonly home: string;
  /** The server to open, as given on the command line. */
  readonly command: readonly string[];
  /** Further variables of its environment, and switches of Electron. */
  readonly launch: Launch;
  /** Called with the page before anything of it can be missed. */
  readonly beforeLoad: (page: Page) => Promise<void>;
}

/** Milliseconds from the start of the process until the app is shown, on a machine that does other things too. */
export const START_TIME = 90_000;

/** Resolves when the process has ended. */
export const endOf = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.once('exit', () => resolve()));

/** Waits until the page shows the app. */
export const showsApp = (page: Page): Promise<void> =>
  page.getByRole('contentinfo').waitFor({ state: 'attached', timeout: START_TIME });

/** A host that is being started. */
interface Start {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  /** Milliseconds that it may take. */
  readonly time?: number;
  /** Describes its state for the error. */
  readonly known: () => string | Promise<string>;
}

/** Resolves with what was started. Rejects after `time`: kills the process, with its state in the error. */
export async function startInTime<T>(
  starting: Promise<T>,
  { child, ended, known, time = START_TIME }: Start,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing was shown for ${time} ms`)), time);
  });
  // Its result after the deadline no longer matters.
  starting.catch(() => {});
  try {
    return await Promise.race([starting, late]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const state = await known();
    child.kill('SIGKILL');
    await ended;
    throw new Error(`The app was not shown: ${why}\n${state}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** What is known of the process of a host. */
export function stateOf({ pid, exitCode, signalCode }: ChildProcess, output: string): string {
  const ended = signalCode ?? exitCode;
  const lines = output.trimEnd().split('\n').slice(-40).join('\n');
  return `pid ${pid}, ${ended === null ? 'still running' : `ended with ${ended}`}; it printed last:\n${lines}`;
}

/** An item of the native menus that can be chosen. */
export interface NativeItem {
  /** The menu it is in. */
  readonly menu: string;
  /** The menu inside that menu; null for none. */
  readonly submenu: string | null;
  readonly label: string;
  /** As Electron writes keys; null without. */
  readonly accelerator: string | null;
  /** What Electron does itself; null for a command of the page. */
  readonly role: string | null;
}

/** The native menus of a window. */
export interface NativeMenus {
  items(): Promise<readonly NativeItem[]>;
  /** Chooses an item by its label. */
  choose(label: string): Promise<void>;
  /** Whether the window shows the developer tools. */
  hasDeveloperTools(): Promise<boolean>;
}

/** The built app, running on one of its hosts. */
export interface RunningApp {
  readonly page: Page;
  /** The process that runs the engine. */
  readonly enginePid: number;
  /** Ends the app as its user does, and waits until its process is gone. */
  close(): Promise<void>;
  /** The address that lets a page in once, where pages have one. */
  readonly address: string | null;
  /** Ends the page's process as a crash does, where the host brings its page back. */
  readonly crashPage?: () => Promise<void>;
  /** What the page shows now, as the host sees it: Playwright loses sight of a page that crashed. */
  readonly pageText?: () => Promise<string>;
  /** The native menus, where the host has some. */
  readonly menus?: NativeMenus;
  /** Keeps the URLs for the system's browser instead of opening them, where the host opens some; returns those so far. */
  readonly keptUrls?: () => Promise<readonly string[]>;
  /** Cancels the dialogs of the system that choose files, where the host has some; returns the titles of those so far. */
  readonly keptDialogs?: () => Promise<readonly string[]>;
  /** Opens a URL in a browser of this machine, which keeps its cookies as long as the app runs. For hosts that open URLs. */
  readonly openTab?: (url: string) => Promise<Page>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** What the process printed so far, for a failed test. */
  output(): string;
}

export interface AppHost {
  start(settings: StartSettings): Promise<RunningApp>;
  /** Closes what all tests of the worker share. */
  end(): Promise<void>;
}
