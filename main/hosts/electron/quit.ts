import { app } from 'electron';
import { closeInOrder, onEndSignal } from '../close-in-order.ts';

/**
 * Quits the app when its window closes or the process is asked to end, after the given parts have closed:
 * a server must not outlive us.
 */
export function closeBeforeQuit(...parts: readonly (() => Promise<unknown>)[]): void {
  let isClosing = false;

  async function closeAndExit(): Promise<void> {
    // Started again from now on, the app is a new one.
    app.releaseSingleInstanceLock();
    await closeInOrder(parts);
    app.exit(0);
  }

  app.on('before-quit', (quitting) => {
    quitting.preventDefault();
    if (isClosing) return;
    isClosing = true;
    void closeAndExit();
  });
  app.on('window-all-closed', () => app.quit());
  onEndSignal(() => app.quit());
}
