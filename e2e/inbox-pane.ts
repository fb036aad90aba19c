import { expect, type Locator } from 'playwright/test';
import type { Window } from './window.ts';

/** The Inbox: the list of questions, the one that is shown, its answer. */
export class InboxPane {
  readonly pane: Locator;
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
    this.pane = window.pane('Inbox');
  }

  get list(): Locator {
    return this.pane.getByRole('listbox', { name: 'Questions' });
  }

  get question(): Locator {
    return this.pane.getByRole('region', { name: 'Question' });
  }

  get answer(): Locator {
    return this.pane.getByRole('region', { name: 'Answer' });
  }

  /** The tab of the pane, with how many wait. */
  get tab(): Locator {
    return this.#window.page.getByRole('tablist', { name: 'Panes' }).getByRole('tab', { name: /^Inbox/ });
  }

  async open(): Promise<void> {
    await this.#window.show('Inbox');
    await expect(this.list).toBeVisible();
  }

  /** Puts a text in place of the one in the editor. */
  async write(text: string): Promise<void> {
    // What stands in for the editor until it is loaded has no such part.
    const editor = this.pane.getByRole('code').getByRole('textbox', { name: 'Answer as JSON' });
    await editor.press('ControlOrMeta+A');
    await editor.press('Delete');
    // Key by key: what the editor closes by itself is then typed over.
    await editor.pressSequentially(text);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.pane.getByRole('button', { name }).click();
  }
}
