import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron';
import {
  channels,
  type DesktopBridge,
  type MenuBridge,
  type PreloadBridge,
} from '#shared/contract/preload-bridge.ts';

const desktop: DesktopBridge = {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Electron itself checks that it is a file
  pathOf: (file) => webUtils.getPathForFile(file as File),
  chooseTraces: () => ipcRenderer.invoke(channels.chooseTraces),
  chooseFolders: () => ipcRenderer.invoke(channels.chooseFolders),
  showInFolder: (path) => ipcRenderer.invoke(channels.showInFolder, path),
};

const menus: MenuBridge = {
  show: (commands) => ipcRenderer.invoke(channels.showMenus, commands),
  onChosen(listener) {
    const onId = (_: IpcRendererEvent, id: string) => listener(id);
    ipcRenderer.on(channels.menuChosen, onId);
    return () => {
      ipcRenderer.off(channels.menuChosen, onId);
    };
  },
};

const bridge: PreloadBridge = {
  invoke: (command, params) => ipcRenderer.invoke(channels.command, command, params),
  onEvent(listener) {
    // The page never sees Electron's own event: its `sender` could send on any channel.
    const onFrame = (_: IpcRendererEvent, frame: unknown) => listener(frame);
    ipcRenderer.on(channels.event, onFrame);
    return () => {
      ipcRenderer.off(channels.event, onFrame);
    };
  },
  desktop,
  menus,
};

contextBridge.exposeInMainWorld('sightglass', bridge);
