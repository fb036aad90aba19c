import { expect, type Locator, type Page } from 'playwright/test';
import type { App } from './app.ts';
import { Pane } from './pane.ts';
import { Window } from './window.ts';

/** The Auth pane: the steps of a flow, the request of one, what came of it. */
export class AuthorizationPane extends Pane {
  readonly #app: App;
  /** How many URLs for the system's browser have been used. */
  #used = 0;

  constructor(window: Window, app: App) {
    super(window, 'Auth');
    this.#app = app;
  }

  /** Opens the app, with the URLs for the system's browser kept where it opens some. */
  static async open(app: App): Promise<{ window: Window; auth: AuthorizationPane }> {
    const window = new Window(await app.open());
    if (app.host === 'electron') await app.keptUrls();
    return { window, auth: new AuthorizationPane(window, app) };
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

  /** The card of the *Token* tab. */
  get token(): Locator {
    return this.pane.getByRole('region', { name: 'Access token' });
  }

  /** The tokens so far, in the *Token* tab, the newest first. */
  get generations(): Locator {
    return this.pane.getByRole('table', { name: 'Rotation' }).locator('tbody tr');
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

  /**
   * Opens the authorization request as the user does, and closes its tab when the callback is answered: by the link of the
   * pane, or in the system's browser, which gets the URL without a click if the flow is automatic.
   */
  async openInBrowser(
    inTab: (tab: Page) => Promise<void> = async () => undefined,
    mode: 'automatic' | 'stepped' = 'automatic',
  ): Promise<void> {
    const tab = this.#app.host === 'web' ? await this.#popup() : await this.#systemTab(mode);
    await inTab(tab);
    await expect(tab).toHaveURL(/^http:\/\/(?:127\.0\.0\.1|localhost):\d+\/callback\?/);
    await tab.close();
  }

  /** Opens the authorization request, sees an error page of the server in place of a redirect, and says so. */
  async seeErrorPage(text: RegExp): Promise<void> {
    const tab = this.#app.host === 'web' ? await this.#popup() : await this.#systemTab('automatic');
    await expect(tab.locator('body')).toContainText(text);
    await tab.close();
    await this.pane.getByRole('button', { name: 'It shows an error page' }).click();
  }

  async #popup(): Promise<Page> {
    const opened = this.window.page.waitForEvent('popup');
    await this.pane.getByRole('link', { name: 'Open in browser' }).click();
    return opened;
  }

  async #systemTab(mode: 'automatic' | 'stepped'): Promise<Page> {
    if (mode === 'stepped') await this.pane.getByRole('button', { name: 'Open in browser' }).click();
    await expect.poll(() => this.#app.keptUrls()).toHaveLength(this.#used + 1);
    const url = (await this.#app.keptUrls())[this.#used++] ?? '';
    return this.#app.openTab(url);
  }
}

interface ProtectedSettings {
  readonly name: string;
  readonly mode?: 'automatic' | 'stepped';
  readonly dpop?: boolean;
  /** A pre-registered client, with its secret or its key. */
  readonly client?: {
    readonly id: string;
    readonly secret?: string;
    readonly key?: { readonly id: string; readonly text: string };
  };
  /** What the authorization server is, as the choice names it. */
  readonly provider?: string;
  /** The hosted client ID metadata document, and the authority of its certificate. */
  readonly document?: { readonly url: string; readonly caFile: string };
}

/** Adds a server with these settings of its authorization, and connects it. */
export async function addProtected(
  { page, servers }: Window,
  url: string,
  { name, mode = 'automatic', dpop = false, client, provider, document }: ProtectedSettings,
): Promise<void> {
  await servers.getByRole('button', { name: 'Add server' }).click();
  const form = page.getByRole('form', { name: 'Add a server' });
  await form.getByRole('radio', { name: 'URL (HTTP)' }).click();
  await form.getByRole('textbox', { name: 'URL', exact: true }).fill(url);
  await form.getByRole('button', { name: 'Authorization', exact: true }).click();
  await form.getByRole('radio', { name: mode }).click();
  if (dpop) await form.getByRole('checkbox', { name: /DPoP/ }).click();
  if (provider !== undefined) await form.getByLabel('Authorization server is').selectOption(provider);
  if (client !== undefined) {
    await form.getByLabel('Client ID', { exact: true }).fill(client.id);
    if (client.secret !== undefined) await form.getByLabel('Client secret').fill(client.secret);
    if (client.key !== undefined) {
      await form.getByLabel('Client authentication').selectOption('private_key_jwt');
      await form.getByLabel('Private key').fill(client.key.text);
      await form.getByLabel('Key ID').fill(client.key.id);
    }
  }
  if (document !== undefined) {
    await form.getByLabel('Client ID metadata document').fill(document.url);
    await form.getByRole('button', { name: 'TLS', exact: true }).click();
    await form.getByLabel('CA file').fill(document.caFile);
  }
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByRole('button', { name: 'Save and connect' }).click();
}
