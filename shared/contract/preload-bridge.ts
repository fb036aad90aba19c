/** What Electron's preload script exposes to the page as `window.sightglass`; absent in a browser. */
export interface PreloadBridge {
  invoke(command: string, params: unknown): Promise<unknown>;
  onEvent(listener: (frame: unknown) => void): () => void;
  /** What the window can do beyond the engine; left out by stand-ins. */
  readonly desktop?: DesktopBridge;
}

/** What a page can do by a desktop window alone. */
export interface DesktopBridge {
  /** Where a file that was dropped or chosen lies; empty for one that lies nowhere. */
  pathOf(file: { readonly name: string; readonly size: number }): string;
  /** Asks the user for trace files in the dialog of the system. None if it is cancelled. */
  chooseTraces(): Promise<unknown>;
  /** Shows a file in the system's file manager. */
  showInFolder(path: string): Promise<unknown>;
}

/** The channels of Electron's IPC: commands to the engine, events from it, and what the window itself does. */
export const channels = {
  command: 'sightglass/command',
  event: 'sightglass/event',
  chooseTraces: 'sightglass/choose-traces',
  showInFolder: 'sightglass/show-in-folder',
} as const;
