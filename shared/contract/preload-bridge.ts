/** What Electron's preload script exposes to the page as `window.sightglass`; absent in a browser. */
export interface PreloadBridge {
  invoke(command: string, params: unknown): Promise<unknown>;
  onEvent(listener: (frame: unknown) => void): () => void;
}

/** The two channels of Electron's IPC: commands to the engine, events from it. */
export const channels = { command: 'sightglass/command', event: 'sightglass/event' } as const;
