import type { Locator } from 'playwright/test';
import { Pane } from './pane.ts';
import type { Window } from './window.ts';

/** The Prompts pane: the list, the arguments of one prompt, its messages. */
export class PromptsPane extends Pane {
  constructor(window: Window) {
    super(window, 'Prompts');
  }

  get list(): Locator {
    return this.pane.getByRole('listbox', { name: 'Prompts' });
  }

  get messages(): Locator {
    return this.pane.getByRole('region', { name: 'Messages' });
  }

  /** Opens the pane on a prompt. */
  async choose(title: string): Promise<void> {
    await this.show();
    await this.list.getByRole('option', { name: title }).click();
  }

  /** Types the beginning of a value, and chooses it among the suggestions. */
  async complete(argument: string, typed: string, value: string): Promise<void> {
    const field = this.pane.getByRole('combobox', { name: argument });
    await field.pressSequentially(typed);
    await this.window.page
      .getByRole('listbox', { name: 'Suggestions' })
      .getByRole('option', { name: value, exact: true })
      .click();
  }
}
