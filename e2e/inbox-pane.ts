import { expect, type Locator } from 'playwright/test';
import { Pane } from './pane.ts';
import type { Window } from './window.ts';

/** The Inbox: the list of questions, the one that is shown, its answer. */
export class InboxPane extends Pane {
  constructor(window: Window) {
    super(window, 'Inbox');
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
    return this.window.page.getByRole('tablist', { name: 'Panes' }).getByRole('tab', { name: /^Inbox/ });
  }

  async open(): Promise<void> {
    await this.show();
    await expect(this.list).toBeVisible();
  }

  /** A field of the form to answer with, by the beginning of its name. */
  field(name: string): Locator {
    return this.answer.getByRole('textbox', { name: new RegExp(`^${name}`, 'i') });
  }

  /** Writes the answer as JSON. */
  async write(text: string): Promise<void> {
    const json = this.answer.getByRole('radio', { name: 'JSON' });
    if ((await json.count()) > 0) await json.click();
    await this.writeJson('Answer as JSON', text);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.pane.getByRole('button', { name, exact: true }).click();
  }
}
