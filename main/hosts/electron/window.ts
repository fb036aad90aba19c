import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BrowserWindow, dialog, nativeTheme, type Rectangle, screen } from 'electron';
import { z } from 'zod';
import { writeFileAtomically } from '#config/json-file.ts';
import { preloadScript } from '#hosts/app-root.ts';
import { systemCodeOf } from '#shared/contract/fault.ts';
import { PAGE_URL } from './page-protocol.ts';
import { againWhenStuck } from './slow-step.ts';

/** Until the page has painted, the window has the page's own ground, so that it does not flash. */
const groundColour = (): string => (nativeTheme.shouldUseDarkColors ? '#0e1116' : '#f4f6f8');

/** Opens the window with the page in it. The page shows itself when it has something to show. */
export function openWindow(dataFolder: string): BrowserWindow {
  const { bounds, isMaximized } = savedBounds(dataFolder);
  const window = new BrowserWindow({
    ...bounds,
    minWidth: 900,
    minHeight: 560,
    show: false,
    title: 'Sightglass',
    backgroundColor: groundColour(),
    autoHideMenuBar: true,
    webPreferences: {
      preload: preloadScript,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      // Chromium would fetch dictionaries from the network.
      spellcheck: false,
    },
  });
  if (isMaximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  reviveCrashedPage(window);
  loadPage(window);
  return window;
}

function loadPage(window: BrowserWindow): void {
  againWhenStuck('the page to load', async () => {
    if (!window.isDestroyed()) await window.loadURL(PAGE_URL);
  }).catch((error: unknown) => {
    // Closed before it had loaded, or reloaded in between: this load no longer matters. A crash is reported below.
    if (window.isDestroyed() || isReplaced(error) || window.webContents.isCrashed()) return;
    offerAnotherLoad(window, 'The page could not be loaded', error);
  });
}

const isReplaced = (error: unknown): boolean => systemCodeOf(error) === 'ERR_ABORTED';

/** Says why the window has nothing to show: on stderr, and in a dialog, since there may be no terminal. */
function offerAnotherLoad(window: BrowserWindow, what: string, why: unknown): void {
  console.error(`sightglass: ${what}:`, why);
  dialog
    .showMessageBox({
      type: 'error',
      message: what,
      detail: `${why instanceof Error ? why.message : String(why)}\n\nThe sessions with your servers go on meanwhile.`,
      buttons: ['Load it again', 'Leave it'],
      cancelId: 1,
    })
    .then(({ response }) => {
      if (response === 0 && !window.isDestroyed()) loadPage(window);
    })
    .catch((error: unknown) => console.error('sightglass: no dialog could be shown:', error));
}

/** Brings the window to the user, wherever it is. */
export function showWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** Milliseconds: a page that crashes again within this time of being reloaded would only crash once more. */
const SOON = 10_000;

/** Reloads a crashed page: the engine and its sessions live here, not in the page. */
function reviveCrashedPage(window: BrowserWindow): void {
  const { webContents } = window;
  let revivedAt = Number.NEGATIVE_INFINITY;
  webContents.on('render-process-gone', (_, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    if (performance.now() - revivedAt <= SOON) {
      return offerAnotherLoad(window, 'The page ended as soon as it was loaded', reason);
    }
    revivedAt = performance.now();
    console.error(`sightglass: the page ended (${reason})`);
    webContents.reload();
  });
}

/** Milliseconds that a page has for its last commands to the engine. */
const MAX_UNLOAD_TIME = 1000;

/** Closes the window and waits until it is gone. Its page sends what it has gathered while it unloads. */
export async function closeWindow(window: BrowserWindow): Promise<void> {
  if (window.isDestroyed()) return;
  const closed = once(window, 'closed');
  const timer = setTimeout(() => window.destroy(), MAX_UNLOAD_TIME);
  window.close();
  await closed;
  clearTimeout(timer);
}

const boundsSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(200),
  height: z.number().int().min(200),
  isMaximized: z.boolean(),
});
type SavedBounds = z.infer<typeof boundsSchema>;

/** The bounds of a window; without a position the window manager decides. */
interface WindowState {
  readonly bounds: Partial<Rectangle> & { readonly width: number; readonly height: number };
  readonly isMaximized: boolean;
}

const INITIAL_STATE: WindowState = { bounds: { width: 1440, height: 900 }, isMaximized: false };

const fileIn = (dataFolder: string): string => join(dataFolder, 'window.json');

/** Where the window was when it was last closed, unless that screen is gone. */
function savedBounds(dataFolder: string): WindowState {
  const saved = readBounds(dataFolder);
  if (saved === null) return INITIAL_STATE;
  const { isMaximized, ...bounds } = saved;
  const { width, height } = bounds;
  return { bounds: isOnScreen(bounds) ? bounds : { width, height }, isMaximized };
}

/** Saves the bounds of the window when it closes. The returned function saves them now, if it is open, and waits until that is done. */
export function rememberBounds(window: BrowserWindow, dataFolder: string): () => Promise<void> {
  let saved: Promise<void> = Promise.resolve();
  const save = () => {
    const state: SavedBounds = { ...window.getNormalBounds(), isMaximized: window.isMaximized() };
    saved = writeFileAtomically(fileIn(dataFolder), `${JSON.stringify(state)}\n`).catch((error: unknown) => {
      console.error('sightglass: the bounds of the window could not be saved:', error);
    });
  };
  window.on('close', save);
  return () => {
    if (!window.isDestroyed()) save();
    return saved;
  };
}

// A file that is missing or damaged costs the user a moved window, no more.
function readBounds(dataFolder: string): SavedBounds | null {
  try {
    return boundsSchema.parse(JSON.parse(readFileSync(fileIn(dataFolder), 'utf8')));
  } catch {
    return null;
  }
}

/** Whether enough of the title bar is on a screen to be taken hold of. */
function isOnScreen({ x, y, width }: Rectangle): boolean {
  return screen.getAllDisplays().some(({ workArea }) => {
    const overlap = Math.min(x + width, workArea.x + workArea.width) - Math.max(x, workArea.x);
    return overlap >= 100 && y >= workArea.y && y < workArea.y + workArea.height - 40;
  });
}
