import type { MenuCommand } from './menu.ts';

/** What Electron's preload script exposes to the page as `window.sightglass`; absent in a browser. */
export interface PreloadBridge {
  invoke(command: string, params: unknown): Promise<unknown>;
  onEvent(listener: (frame: unknown) => void): () => void;
  /** What the window can do beyond the engine; left out by stand-ins. */
  readonly desktop?: DesktopBridge;
  /** The native menus of the window; left out by stand-ins. */
  readonly menus?: MenuBridge;
}

/** How a page fills the native menus of its window. */
export interface MenuBridge {
  /** Shows these commands, and no others, beside what the system has. */
  show(commands: readonly MenuCommand[]): Promise<unknown>;
  /** Calls the listener with the id of each command chosen in a menu, until the returned function is called. */
  onChosen(listener: (id: string) => void): () => void;
}

/** What a page can do by a desktop window alone. */
export interface DesktopBridge {
  /** Where a file that was dropped or chosen lies; empty for one that lies nowhere. */
  pathOf(file: { readonly name: string; readonly size: number }): string;
  /** Asks the user for trace files in the dialog of the system. None if it is cancelled. */
  chooseTraces(): Promise<unknown>;
  /** Asks the user for folders in the dialog of the system. Returns their file URIs, none if it is cancelled. */
  chooseFolders(): Promise<unknown>;
  /** Shows a file in the system's file manager. */
  showInFolder(path: string): Promise<unknown>;
}

/** The channels of Electron's IPC: commands to the engine, events from it, and what the window itself does. */
export const channels = {
  command: 'sightglass/command',
  event: 'sightglass/event',
  chooseTraces: 'sightglass/choose-traces',
  chooseFolders: 'sightglass/choose-folders',
  showInFolder: 'sightglass/show-in-folder',
  showMenus: 'sightglass/show-menus',
  menuChosen: 'sightglass/menu-chosen',
} as const;
