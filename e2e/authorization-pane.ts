import { expect, type Locator, type Page } from 'playwright/test';
import { Pane } from './pane.ts';
import type { Window } from './window.ts';

/** The Auth pane: the steps of a flow, the request of one, what came of it. */
export class AuthorizationPane extends Pane {
  constructor(window: Window) {
    super(window, 'Auth');
  }

  get steps(): Locator {
    return this.pane.getByRole('listbox', { name: 'Steps of the flow' });
  }

  step(name: RegExp): Locator {
    return this.steps.getByRole('option', { name });
  }

  get request(): Locator {
    return this.pane.getByRole('region', { name: 'Step', exact: true });
  }

  get send(): Locator {
    return this.pane.getByRole('button', { name: /^Send step/ });
  }

  async expectSelected(name: RegExp): Promise<void> {
    await expect(this.steps.getByRole('option', { selected: true })).toHaveAccessibleName(name);
  }

  /** Sends steps until one is stopped. */
  async sendUpTo(name: RegExp): Promise<void> {
    const selected = this.steps.getByRole('option', { selected: true });
    for (let sent = 0; sent < 10; sent++) {
      await expect(selected).toHaveAccessibleName(/stopped before sending/);
      const shown = (await selected.getAttribute('aria-label')) ?? '';
      if (name.test(shown)) return;
      await this.send.click();
      await expect(selected).not.toHaveAccessibleName(shown);
    }
    await this.expectSelected(name);
  }

  /** Opens the authorization request as the user does, in a tab of its own, and closes it when the callback is answered. */
  async openInBrowser(inTab: (tab: Page) => Promise<void> = async () => undefined): Promise<void> {
    const opened = this.window.page.waitForEvent('popup');
    await this.pane.getByRole('link', { name: 'Open in browser' }).click();
    const tab = await opened;
    await inTab(tab);
    await expect(tab).toHaveURL(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
    await tab.close();
  }
}
