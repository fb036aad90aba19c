import type { Locator } from 'playwright/test';
import { expect } from './app.ts';
import { only } from './hosts/only.ts';
import { connectToUrl, test } from './http-servers.ts';
import { Window } from './window.ts';

/** The section of client switches in the Overview. */
class Switches {
  readonly section: Locator;
  readonly chip: Locator;
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
    this.section = window.pane('Overview').getByRole('region', { name: 'Client switches' });
    this.chip = window.status.getByRole('button', { name: /^bad client/ });
  }

  async open(): Promise<void> {
    await this.#window.show('Overview');
    await this.section.getByRole('button', { name: 'Client switches' }).click();
  }

  async turn(name: string, choice: string): Promise<void> {
    await this.row(name).getByRole('radio', { name: choice }).click();
  }

  row(name: string): Locator {
    return this.section.getByRole('listitem', { name });
  }
}

/** Has the server asked for its tools once more. */
async function refreshTools(window: Window): Promise<void> {
  await window.show('Tools');
  await window.pane('Tools').getByRole('button', { name: 'Reload the tools' }).click();
}

test.describe('a bad client', () => {
  test(
    'leaves the session id out, says so all the while, and is a good one again',
    only.page,
    async ({ app, servers }) => {
      const server = await servers.streamable();
      const lists = () =>
        server.requests.filter(({ messages }) => messages.some(({ method }) => method === 'tools/list'));
      const window = new Window(await app.open());
      await connectToUrl(window, 'legacy', server.url);
      await server.receivedMethod('tools/list');
      const switches = new Switches(window);
      await expect(switches.chip).toBeHidden();

      await switches.open();
      await switches.turn('Mcp-Session-Id', 'omit');
      await expect(switches.chip).toHaveText('bad client: 1 switch');
      await refreshTools(window);
      await expect.poll(() => lists().length).toBe(2);
      expect(lists()[1]?.header('Mcp-Session-Id')).toBeUndefined();
      await expect(window.pane('Tools')).toContainText('Server not initialized');

      await switches.chip.click();
      await expect(switches.section.getByRole('button', { name: 'Client switches' })).toBeFocused();
      await switches.section.getByRole('button', { name: 'Turn all off' }).click();
      await expect(switches.chip).toBeHidden();
      await refreshTools(window);
      await expect.poll(() => lists().length).toBe(3);
      expect(lists()[2]?.header('Mcp-Session-Id')).toBeDefined();
    },
  );

  test(
    'sends the _meta and the headers that the user wants in the modern era',
    only.page,
    async ({ app, servers }) => {
      const server = await servers.streamable({ era: 'modern' });
      const window = new Window(await app.open());
      await connectToUrl(window, 'modern', server.url);
      await server.receivedMethod('tools/list');
      const switches = new Switches(window);
      await switches.open();
      await expect(switches.row('notifications/initialized')).toContainText('no effect here');
      await switches.turn('_meta of each request', 'change');
      await switches
        .row('_meta of each request')
        .getByRole('textbox', { name: 'Members' })
        .fill('{"example.com/odd": [1]}');
      await switches.section.getByRole('button', { name: 'Apply' }).click();
      await switches.turn('Mcp-Method, Mcp-Name', 'omit');
      await expect(switches.chip).toHaveText('bad client: 2 switches');

      await refreshTools(window);
      const odd = await server.received(({ body }) => body.includes('example.com/odd'));
      expect(odd.messages[0]?.params?._meta).toMatchObject({ 'example.com/odd': [1] });
      expect(odd.header('Mcp-Method')).toBeUndefined();
    },
  );

  test(
    'withholds notifications/initialized from the next connect on',
    only.page,
    async ({ app, servers }) => {
      const server = await servers.streamable();
      const window = new Window(await app.open());
      await connectToUrl(window, 'legacy', server.url);
      await server.receivedMethod('notifications/initialized');
      const switches = new Switches(window);
      await switches.open();
      await switches.turn('notifications/initialized', 'withhold');
      await expect(switches.chip).toBeVisible();

      const before = server.requests.length;
      await window.page.getByRole('button', { name: 'Reconnect' }).first().click();
      const methods = () =>
        server.requests.slice(before).flatMap(({ messages }) => messages.map(({ method }) => method));
      await expect.poll(methods).toContain('tools/list');
      expect(methods()).toContain('initialize');
      expect(methods()).not.toContain('notifications/initialized');
      await window.expectPhase('ready');
    },
  );
});
