import { type BrowserWindow, dialog, ipcMain, type IpcMainInvokeEvent, shell } from 'electron';
import { z } from 'zod';
import { channels } from '#shared/contract/preload-bridge.ts';
import { isOwnMainFrame } from './ipc.ts';

/** Lets our page use the dialogs and the file manager of the system. */
export function offerDesktop(window: BrowserWindow): void {
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
  answer(channels.showInFolder, (path) => shell.showItemInFolder(z.string().parse(path)));
}

function answer(channel: string, give: (param: unknown) => unknown): void {
  ipcMain.handle(channel, async ({ senderFrame }: IpcMainInvokeEvent, param: unknown) => {
    if (!isOwnMainFrame(senderFrame)) throw new Error('This page may not use the desktop.');
    return give(param);
  });
}
