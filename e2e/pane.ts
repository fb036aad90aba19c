import type { Locator } from 'playwright/test';
import type { Window } from './window.ts';

/** A pane of the window, and what all panes have. */
export class Pane {
  readonly pane: Locator;
  protected readonly window: Window;
  readonly #name: string;

  constructor(window: Window, name: string) {
    this.window = window;
    this.#name = name;
    this.pane = window.pane(name);
  }

  async show(): Promise<void> {
    await this.window.show(this.#name);
  }

  /** Puts a text in place of the one in an editor of JSON. */
  async writeJson(label: string, text: string): Promise<void> {
    // What stands in for the editor until it is loaded has no such part.
    const editor = this.pane.getByRole('code').getByRole('textbox', { name: label });
    await editor.press('ControlOrMeta+A');
    await editor.press('Delete');
    // Key by key: what the editor closes by itself is then typed over.
    await editor.pressSequentially(text);
  }
}
