import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Locator } from 'playwright/test';
import type { App } from './app.ts';
import { projectRoot } from './hosts/host.ts';
import { Pane } from './pane.ts';
import type { Command } from './servers.ts';
import type { Window } from './window.ts';

const server = fileURLToPath(import.meta.resolve('#fixtures/replay/billing-server.ts'));

const steps = [
  ['get_invoice', '{ id: INV-2041 }'],
  ['create_invoice', '{ currency: CHF }'],
  ['create_invoice', '{ currency: EUR }'],
  ['delete_invoice', '{}'],
  ['convert_currency', '{}'],
  ['search_invoices_of_a_customer_by_number_date_or_amount', '{}'],
  ...Array.from({ length: 6 }, () => ['list_customers', '{}']),
  ['get_balance', '{}'],
];

/** A billing server whose build can be changed, and recordings of it in the data folder of the app. */
export class Billing {
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  get command(): Command {
    return [process.execPath, server, join(this.#app.home, 'build')];
  }

  /** Changes what the server is from its next start on. */
  async build(name: 'old' | 'new'): Promise<void> {
    await writeFile(join(this.#app.home, 'build'), name);
  }

  /** Records the same calls to a build, with the built command. */
  async record(name: 'old' | 'new'): Promise<void> {
    await this.build(name);
    const file = join(this.#app.home, 'calls.mcptest.yaml');
    const lines = steps.map(
      ([tool, args], index) => `  - { name: n${index}, call: ${tool}, arguments: ${args} }`,
    );
    await writeFile(file, ['version: 1', 'steps:', ...lines, ''].join('\n'));
    const cli = join(projectRoot, 'dist/main/cli.js');
    const env = { ...process.env, SIGHTGLASS_HOME: this.#app.home };
    await promisify(execFile)(
      process.execPath,
      [cli, 'test', file, '--allow-writes', '--', ...this.command],
      { env },
    ).catch(() => undefined);
  }
}

/** The Replay pane. */
export class ReplayPane extends Pane {
  constructor(window: Window) {
    super(window, 'Replay');
  }

  get calls(): Locator {
    return this.pane.getByRole('grid', { name: 'Compared calls' });
  }

  get selected(): Locator {
    return this.calls.locator('[aria-selected=true]');
  }

  get responses(): Locator {
    return this.pane.getByRole('region', { name: 'Responses' });
  }
}
