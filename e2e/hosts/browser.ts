import { type Browser, chromium } from 'playwright/test';
import { findBrowser } from '#scripts/browser.ts';

/** A Chromium of this machine, started when it is needed first. */
export class MachineBrowser {
  #browser: Promise<Browser> | undefined;

  open(): Promise<Browser> {
    const executablePath = findBrowser();
    if (!executablePath) throw new Error('No browser found: npm run e2e finds or installs one');
    return (this.#browser ??= chromium.launch({
      executablePath,
      // Chromium does not run as root in its sandbox.
      chromiumSandbox: process.getuid?.() !== 0,
    }));
  }

  async close(): Promise<void> {
    await (await this.#browser)?.close();
  }
}
