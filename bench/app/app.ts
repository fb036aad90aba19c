import type { AppPage } from './page.ts';

/** What the app is started with beside its data folder. */
export type Opened =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'url'; readonly url: string };

/** The real app on one of its hosts, with a data folder of its own. */
export interface App {
  readonly page: AppPage;
  /** Where it keeps its traces. */
  readonly home: string;
  /** Milliseconds from the start of its process until its window could be used. */
  readonly startTime: number;
  readonly engine: Engine;
  /** Ends it as its user does, and waits until its process is gone. */
  close(): Promise<void>;
}

/** The engine, seen from outside. */
export interface Engine {
  readonly pid: number;
  /** Does something, and tells for how many milliseconds at most the engine did not answer meanwhile. */
  longestStall<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly stall: number }>;
}

export type HostName = 'web' | 'electron';

/** Starts the app on one host. */
export interface Host {
  readonly name: HostName;
  start(opened: Opened, home: string): Promise<App>;
  /** Closes what all starts shared. */
  end(): Promise<void>;
}
