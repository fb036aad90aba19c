import { expect, type Locator } from 'playwright/test';
import { Pane } from './pane.ts';
import type { Window } from './window.ts';

/** The Tools pane: the list, the arguments of one tool, what came of a call. */
export class ToolsPane extends Pane {
  constructor(window: Window) {
    super(window, 'Tools');
  }

  /** The result of the call shown. */
  get result(): Locator {
    return this.pane.getByRole('region', { name: 'Result' });
  }

  get run(): Locator {
    return this.pane.getByRole('button', { name: /^Run( anyway| Ctrl.*| ⌘.*)?$/ });
  }

  /** Opens the pane on a tool. */
  async choose(name: string): Promise<void> {
    await this.show();
    await this.pane.getByRole('searchbox', { name: 'Find a tool' }).fill(name);
    await this.pane.getByRole('listbox', { name: 'Tools' }).getByRole('option', { name }).first().click();
  }

  /** Fills fields of the form. */
  async fill(values: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      await this.pane.getByRole('textbox', { name, exact: true }).fill(value);
    }
  }

  /** Chooses a tool, fills in the form and runs it. */
  async call(name: string, values: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.choose(name);
    await this.fill(values);
    await this.run.click();
  }

  async expectOutcome(word: string): Promise<void> {
    await expect(this.result.getByRole('status').first()).toHaveText(word);
  }
}
