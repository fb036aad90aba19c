import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import { channels, type PreloadBridge } from '#shared/contract/preload-bridge.ts';

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
};

contextBridge.exposeInMainWorld('sightglass', bridge);
