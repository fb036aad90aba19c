import { BrowserWindow, dialog, nativeTheme } from 'electron';
import { systemCodeOf } from '#shared/contract/fault.ts';
import { preloadScript } from '../app-root.ts';
import { PAGE_URL } from './page-protocol.ts';
import { againWhenStuck } from './slow-step.ts';
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
