import { useSyncExternalStore } from 'react';

export const onNextFrame = (run: () => void): void => {
  requestAnimationFrame(() => run());
};

/** Tells components that something outside React changed: once a frame, however often it changes. */
export class FrameSignal {
  readonly #listeners = new Set<() => void>();
  #version = 0;
  #isPlanned = false;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Another number after every telling. */
  version = (): number => this.#version;

  /** Tells with the next frame: for what comes from the engine. */
  notify = (): void => {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    onNextFrame(() => {
      this.#isPlanned = false;
      this.notifyNow();
    });
  };

  /** Tells at once: for what the user did. */
  notifyNow(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

/** Renders the component again whenever the signal tells. */
export function useSignal(signal: FrameSignal): void {
  useSyncExternalStore(signal.subscribe, signal.version);
}

/** What something outside React is now; renders again only when that is another value. */
export const useSignalled = <T>(signal: FrameSignal, read: () => T): T =>
  useSyncExternalStore(signal.subscribe, read);
