import { expect, type Locator } from 'playwright/test';
import { Pane } from './pane.ts';
import { ToolsPane } from './tools-pane.ts';
import type { Window } from './window.ts';

/** The Tasks pane: the list, and one task with its timeline and its result. */
export class TasksPane extends Pane {
  constructor(window: Window) {
    super(window, 'Tasks');
  }

  get list(): Locator {
    return this.pane.getByRole('listbox', { name: 'Tasks' });
  }

  /** The task shown. */
  get task(): Locator {
    return this.pane.getByRole('region', { name: 'Task', exact: true });
  }

  get timeline(): Locator {
    return this.task.getByRole('list', { name: 'Timeline' });
  }

  get result(): Locator {
    return this.task.getByRole('region', { name: 'Result of the task' });
  }

  /** The tasks that an earlier session left. */
  get resumable(): Locator {
    return this.pane.getByRole('region', { name: 'Tasks of an earlier session' });
  }

  async expectStatus(status: string): Promise<void> {
    await expect(this.task.getByRole('status')).toHaveText(status);
  }

  /** Runs a tool as a task, and shows the task. */
  async start(
    tool: string,
    values: Readonly<Record<string, string>>,
    { ends, isAsked }: { readonly ends?: string; readonly isAsked: boolean },
  ): Promise<void> {
    const tools = new ToolsPane(this.window);
    await tools.choose(tool);
    await tools.fill(values);
    if (ends !== undefined) await tools.pane.getByRole('combobox', { name: 'ends' }).selectOption(ends);
    const checkbox = tools.pane.getByRole('checkbox', { name: 'Request a task' });
    if (isAsked) {
      if (!(await checkbox.isVisible())) await tools.pane.getByRole('button', { name: 'Options' }).click();
      await checkbox.check();
    }
    await tools.run.click();
    await tools.result.getByRole('button', { name: 'Show its task' }).click();
    await expect(this.task.getByRole('heading', { name: tool })).toBeVisible();
  }
}
