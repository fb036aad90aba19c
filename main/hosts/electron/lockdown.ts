import { app, type InputEvent, session, shell, type WebContents } from 'electron';
import { PAGE_URL } from './page-protocol.ts';

/** How long Chromium counts a click as user activation. */
const CLICK_COUNTS_FOR = 5_000;

/** Copying needs this one; everything else a page may ask of Electron is denied. */
const grantedPermissions: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

/** Denies the page every permission it does not need. */
export function denyPermissions(): void {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((_, permission, answer) =>
    answer(grantedPermissions.has(permission)),
  );
  defaultSession.setPermissionCheckHandler((_, permission) => grantedPermissions.has(permission));
  defaultSession.setDevicePermissionHandler(() => false);
}

/** Keeps every window on our page, and opens web links in the system's browser after a click only. */
export function lockNavigation(): void {
  app.on('web-contents-created', (_, contents) => {
    const wasClicked = watchClicks(contents);
    contents.on('will-frame-navigate', (details) => {
      if (!isOwnPage(details.url)) details.preventDefault();
    });
    contents.on('will-attach-webview', (attaching) => attaching.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      if (wasClicked()) {
        openInBrowser(url).catch((error: unknown) => {
          console.error('sightglass: no browser could be opened:', error);
        });
      }
      return { action: 'deny' };
    });
  });
}

const isOwnPage = (url: string): boolean => url.split(/[?#]/, 1)[0] === PAGE_URL;

const clickTypes: ReadonlySet<InputEvent['type']> = new Set(['mouseUp', 'keyDown', 'rawKeyDown', 'touchEnd']);

function watchClicks(contents: WebContents): () => boolean {
  let clickedAt = Number.NEGATIVE_INFINITY;
  contents.on('input-event', (_, input) => {
    if (clickTypes.has(input.type)) clickedAt = performance.now();
  });
  return () => performance.now() - clickedAt < CLICK_COUNTS_FOR;
}

/** Opens a web address in the system's browser, without a shell; ignores any other. */
export async function openInBrowser(address: string): Promise<void> {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return;
  await shell.openExternal(url.href);
}
