import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright/test';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** How the app is started. */
export interface StartSettings {
  /** The data folder. */
  readonly home: string;
  /** The server to open, as given on the command line. */
  readonly command: readonly string[];
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
