import type { Locator } from 'playwright/test';
import { Pane } from './pane.ts';
import type { Window } from './window.ts';

/** The Resources pane: the tree, the templates, one resource with its reads. */
export class ResourcesPane extends Pane {
  constructor(window: Window) {
    super(window, 'Resources');
  }

  get tree(): Locator {
    return this.pane.getByRole('tree', { name: 'Resources' });
  }

  /** The contents of the last read. */
  get contents(): Locator {
    return this.pane.getByRole('region', { name: 'Contents' });
  }

  get reads(): Locator {
    return this.pane.getByRole('region', { name: 'Reads' });
  }

  /** A template in the list, folded or open. */
  template(uriTemplate: string): Locator {
    return this.pane.getByRole('region', { name: 'Templates' }).getByRole('button', { name: uriTemplate });
  }

  /** A suggestion of the server for the field that has the focus. */
  suggestion(value: string): Locator {
    return this.window.page
      .getByRole('listbox', { name: 'Suggestions' })
      .getByRole('option', { name: value });
  }

  /** Opens the pane and clicks a resource, which reads it. */
  async read(name: string): Promise<void> {
    await this.show();
    await this.tree.getByRole('treeitem', { name }).click();
  }
}
