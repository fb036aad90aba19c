import type { JSHandle, Locator, Page } from 'playwright/test';

/** The recorded traces at the left, and what opens there. */
export class RecordedList {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get region(): Locator {
    return this.page.getByRole('navigation', { name: 'Recorded' });
  }

  /** The rows whose text begins so. */
  rows(name: string): Locator {
    return this.region.locator('[data-trace]').filter({ hasText: new RegExp(`^${name}`) });
  }

  /** What is asked about a trace, or said of one that was not opened. */
  dialog(name: string): Locator {
    return this.page.getByRole('dialog', { name });
  }

  /** Runs a command of the palette. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+K');
    await this.page.getByRole('dialog').getByRole('combobox').fill(title);
    await this.page.getByRole('option', { name: title }).click();
  }

  /** Lets files fall on the window that lie nowhere: a page cannot say where they do. */
  async drop(...files: readonly { readonly name: string; readonly text: string }[]): Promise<void> {
    await this.#drop(
      await this.page.evaluateHandle((all) => {
        const made = new DataTransfer();
        for (const { name, text } of all) made.items.add(new File([text], name));
        return made;
      }, files),
    );
  }

  /** Lets a file of the disk fall on the window. */
  async dropPath(path: string): Promise<void> {
    const input = await this.page.evaluateHandle(() => {
      const made = document.createElement('input');
      made.type = 'file';
      return made;
    });
    await input.setInputFiles(path);
    await this.#drop(
      await input.evaluateHandle(({ files }) => {
        const made = new DataTransfer();
        for (const file of files ?? []) made.items.add(file);
        return made;
      }),
    );
  }

  async #drop(dataTransfer: JSHandle<DataTransfer>): Promise<void> {
    const body = this.page.locator('body');
    await body.dispatchEvent('dragenter', { dataTransfer });
    await this.page.getByText('Drop to open', { exact: true }).waitFor();
    await body.dispatchEvent('drop', { dataTransfer });
  }
}
