import { expect, type Locator } from 'playwright/test';
import { Pane } from './pane.ts';
import type { Window } from './window.ts';

/** The Composer pane: the message, its warnings, what was sent and what came back. */
export class ComposerPane extends Pane {
  constructor(window: Window) {
    super(window, 'Composer');
  }

  get outcomes(): Locator {
    return this.pane.getByRole('list', { name: 'Sent messages' });
  }

  /** The response to the selected outcome. */
  get response(): Locator {
    return this.pane.getByRole('tabpanel', { name: 'Response' });
  }

  get warnings(): Locator {
    return this.pane.getByRole('list', { name: 'Warnings' });
  }

  get send(): Locator {
    return this.pane.getByRole('button', { name: /^Send( anyway)? (Ctrl|⌘)/ });
  }

  get editor(): Locator {
    return this.pane.getByRole('code').getByRole('textbox', { name: /^(Message as JSON|Raw bytes)$/ });
  }

  /** What the editor offers at the caret. */
  get suggestions(): Locator {
    return this.window.page.locator('.suggest-widget.visible');
  }

  /** Adds a message made of a template. */
  async template(search: string): Promise<void> {
    const code = this.pane.getByRole('code');
    const before = (await code.count()) === 0 ? '' : await code.innerText();
    await this.pane.getByRole('button', { name: 'Templates' }).click();
    const list = this.window.page.getByRole('dialog', { name: 'Templates' });
    await list.getByRole('searchbox', { name: 'Find a template' }).fill(search);
    await list.getByRole('searchbox', { name: 'Find a template' }).press('Enter');
    await list.waitFor({ state: 'hidden' });
    // The message comes once an id is reserved for it.
    await expect.poll(async () => ((await code.count()) === 0 ? before : code.innerText())).not.toBe(before);
  }

  /** Puts a text in place of the one in the editor, as it is. */
  async write(text: string): Promise<void> {
    await this.editor.press('ControlOrMeta+A');
    await this.editor.press('Delete');
    // As a paste: the editor closes no bracket by itself.
    await this.window.page.keyboard.insertText(text);
  }

  async raw(): Promise<void> {
    await this.pane.getByRole('radio', { name: 'Raw bytes' }).click();
  }
}
