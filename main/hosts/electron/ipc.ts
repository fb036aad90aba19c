import { pathToFileURL } from 'node:url';
import {
  ipcMain,
  type WebContents,
  webContents,
  type WebFrameMain,
  type BrowserWindow,
  dialog,
  type IpcMainInvokeEvent,
  shell,
} from 'electron';
import { z } from 'zod';
import type { Engine } from '#main/platform.ts';
import { type MenuCommand, menuCommandSchema } from '#shared/contract/menu.ts';
import { channels } from '#shared/contract/preload-bridge.ts';
import { PAGE_ORIGIN } from './page-protocol.ts';

/** Carries the contract between the page and the engine; commands wait for an engine still starting. */
export function carryContract(starting: Promise<Engine>): void {
  ipcMain.handle(channels.command, async ({ senderFrame }, command: unknown, params: unknown) => {
    if (!isOwnMainFrame(senderFrame)) throw new Error('This page may not speak to the engine.');
    const engine = await starting;
    return engine.handle(z.string().parse(command), params);
  });
}

/** Sends every event of the engine to our page. */
export function sendEvents(engine: Engine): void {
  engine.onEvent(({ event, payload }) => {
    for (const contents of webContents.getAllWebContents()) {
      if (holdsOwnPage(contents)) contents.send(channels.event, { event, payload });
    }
  });
}

const holdsOwnPage = (contents: WebContents): boolean =>
  !contents.isDestroyed() && isOwn(() => contents.mainFrame);

/** Whether the sender is the app's page. Null: the frame has navigated away since. */
export const isOwnMainFrame = (frame: WebFrameMain | null): boolean => isOwn(() => frame);

/** Electron throws when asked about a frame that is gone: its page crashed, or is being replaced by a load. */
function isOwn(frameNow: () => WebFrameMain | null): boolean {
  try {
    const frame = frameNow();
    return frame !== null && frame.parent === null && frame.origin === PAGE_ORIGIN;
  } catch {
    return false;
  }
}

/** Lets our page use the dialogs and the file manager of the system. */
export function exposeDesktop(window: BrowserWindow): void {
  answer(channels.chooseTraces, async () => {
    const { filePaths } = await dialog.showOpenDialog(window, {
      title: 'Open trace',
      properties: ['openFile', 'multiSelections'],
      filters: [
        { name: 'Traces', extensions: ['mcptrace'] },
        { name: 'All files', extensions: ['*'] },
      ],
    });
    return filePaths;
  });
  answer(channels.chooseFolders, async () => {
    const { filePaths } = await dialog.showOpenDialog(window, {
      title: 'Add roots',
      properties: ['openDirectory', 'multiSelections'],
    });
    return filePaths.map((path) => pathToFileURL(path).href);
  });
  answer(channels.showInFolder, (path) => shell.showItemInFolder(z.string().parse(path)));
}

/** Lets our page say which of its commands the menus show. */
export function exposeMenus(show: (commands: readonly MenuCommand[]) => void): void {
  answer(channels.showMenus, (commands) => show(z.array(menuCommandSchema).parse(commands)));
}

function answer(channel: string, give: (param: unknown) => unknown): void {
  ipcMain.handle(channel, async ({ senderFrame }: IpcMainInvokeEvent, param: unknown) => {
    if (!isOwnMainFrame(senderFrame)) throw new Error('This page may not use the desktop.');
    return give(param);
  });
}
