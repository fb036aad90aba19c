import { BrowserWindow, nativeTheme } from 'electron';
import { preloadScript } from '../app-root.ts';
import { PAGE_URL } from './page-protocol.ts';
import { lastPlace } from './window-bounds.ts';

/** Until the page has painted, the window has the page's own ground, so that it does not flash. */
const groundColour = (): string => (nativeTheme.shouldUseDarkColors ? '#0e1116' : '#f4f6f8');

/** Opens the window with the page in it. The page shows itself when it has something to show. */
export function openWindow(dataFolder: string): BrowserWindow {
  const { bounds, isMaximized } = lastPlace(dataFolder);
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
  window.loadURL(PAGE_URL).catch((error: unknown) => {
    // Closed before it had loaded: nobody misses the page.
    if (!window.isDestroyed()) console.error('sightglass: the page could not be loaded:', error);
  });
  return window;
}

/** Brings the window to the user, wherever it is. */
export function showWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** A page that lived shorter than this would only crash again. */
const WORTH_REVIVING = 10_000;

/** Loads a crashed page anew: the engine and its sessions live here, not in the page. */
function reviveCrashedPage(window: BrowserWindow): void {
  const { webContents } = window;
  let startedAt = performance.now();
  webContents.on('did-start-loading', () => (startedAt = performance.now()));
  webContents.on('render-process-gone', (_, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    console.error(`sightglass: the page ended (${reason})`);
    if (performance.now() - startedAt > WORTH_REVIVING) webContents.reload();
  });
}
