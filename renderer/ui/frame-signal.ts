import { useSyncExternalStore } from 'react';

export const onNextFrame = (run: () => void): void => {
  requestAnimationFrame(() => run());
};

/** Notifies components of changes outside React, at most once per frame. */
export class FrameSignal {
  readonly #listeners = new Set<() => void>();
  #version = 0;
  #isPlanned = false;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Increases with every notification. */
  version = (): number => this.#version;

  /** Notifies with the next frame: for changes by the engine. */
  notify = (): void => {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    onNextFrame(() => {
      this.#isPlanned = false;
      this.notifyNow();
    });
  };

  /** Notifies at once: for changes by the user. */
  notifyNow(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

/** Renders the component again with every notification. */
export function useSignal(signal: FrameSignal): void {
  useSyncExternalStore(signal.subscribe, signal.version);
}

/** A value outside React; renders again only when it changes. */
export const useSignalled = <T>(signal: FrameSignal, read: () => T): T =>
  useSyncExternalStore(signal.subscribe, read);
