import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { Pane } from './pane.ts';
import { RecordedList } from './recorded-list.ts';
import { everything } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** Another client, of the official SDK. */
async function connectTo(url: string): Promise<Client> {
  const client = new Client({ name: 'another-client', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

const echo = (client: Client, message: string) =>
  client.callTool({ name: 'echo', arguments: { message } }).then(
    (result) => JSON.stringify(result),
    (error: unknown) => String(error),
  );

test('a recorded trace is served as a mock: another client and Sightglass itself are answered, a miss is explained or forwarded, and it is stopped', async ({
  app,
}) => {
  const window = new Window(await app.open(...everything));
  const { page } = window;
  const list = new RecordedList(page);
  const tools = new ToolsPane(window);
  const mock = new Pane(window, 'Mock');
  const requests = mock.pane.getByRole('listbox', { name: 'Requests to the mock' });
  const exchange = mock.pane.getByRole('region', { name: 'Exchange' });
  const mocked = window.servers.getByRole('button', { name: /\(mock\)/ }).first();
  const address = mock.pane.getByRole('region', { name: 'Address of the mock' });

  let recorded = '';

  await test.step('it is started from the menu of the trace', async () => {
    await window.expectPhase('ready');
    await tools.call('echo', { message: 'hello' });
    await tools.expectOutcome('ok');
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
    // The trace is listed once the session has ended.
    await expect(list.region.locator('[data-trace]')).toHaveCount(1);
    recorded = (await list.region.locator('[data-trace]').getAttribute('data-trace')) ?? '';
    await list.region.locator('[data-trace]').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Serve as a mock…' }).click();
    const form = page.getByRole('dialog', { name: 'Serve as a mock' });
    await expect(form.getByRole('textbox', { name: 'Port' })).toBeFocused();
    await expect(form).toContainText('sightglass mock ');
    if (app.host === 'web') expect(await findings(page, '[role="dialog"]')).toEqual([]);
    await form.getByRole('textbox', { name: 'Port' }).press('Enter');
    await expect(mock.pane).toContainText('Nothing was asked yet');
    await expect(mocked).toContainText('serving · mock');
    await expect(address).toContainText('serving');
  });

  const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec((await address.textContent()) ?? '')?.[0] ?? '';

  await test.step('another client is answered, and a miss says what the recording had instead', async () => {
    const client = await connectTo(url);
    expect(await echo(client, 'hello')).toContain('Echo: hello');
    expect(await echo(client, 'other')).toContain('Never recorded');
    await client.close();
    await expect(mock.pane.getByRole('status')).toContainText('1 miss');
    await expect(requests.getByRole('option').filter({ hasText: 'echo' })).toHaveCount(2);
    await requests.focus();
    await page.keyboard.press('End');
    const chosen = requests.getByRole('option', { selected: true });
    await expect(chosen).toContainText('no match, nearest #');
    await page.keyboard.press('Enter');
    await expect(exchange).toBeFocused();
    await expect(exchange).toContainText('another-client');
    await expect(exchange.getByRole('region', { name: 'Asked' })).toContainText('other');
    await expect(exchange.getByRole('region', { name: 'Answered' })).toContainText('sightglass mock');
    await expect(exchange.getByRole('list', { name: 'Paths that differ' })).toContainText(
      'arguments.message',
    );
    await expect(exchange.getByRole('region', { name: 'Recorded response' })).toContainText('Echo: hello');
    await page.keyboard.press('Escape');
    await expect(requests).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(chosen).toContainText(/from #\d/);
    await expect(exchange.getByRole('region', { name: 'Answered' })).toContainText('Echo: hello');
    if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);
    await mock.pane.getByRole('radio', { name: 'Not as recorded 1' }).click();
    await expect(requests.getByRole('option')).toHaveCount(1);
    await mock.pane.getByRole('radio', { name: 'All' }).click();
  });

  await test.step('Sightglass connects to it as to any server', async () => {
    await page.keyboard.press('Alt+R');
    await window.expectPhase('ready');
    await tools.call('echo', { message: 'hello' });
    await tools.expectOutcome('ok');
    await expect(tools.result).toContainText('Echo: hello');
    await mock.show();
    await expect(requests.getByRole('option').last()).toContainText('sightglass');
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
  });

  await test.step('it is stopped, and started again on the same port', async () => {
    await address.getByRole('button', { name: 'Stop' }).click();
    await expect(address).toContainText('stopped');
    await expect(mocked).toContainText('stopped · mock');
    await expect(connectTo(url)).rejects.toThrow();
    await expect(requests.getByRole('option').last()).toContainText('sightglass');
    await list.command('Start the mock again');
    await expect(mock.pane).toContainText('Nothing was asked yet');
    const client = await connectTo(url);
    expect(await echo(client, 'hello')).toContain('Echo: hello');
    await client.close();
    await expect(requests.getByRole('option').filter({ hasText: 'echo' })).toHaveCount(1);
  });

  await test.step('what was not recorded goes to a connected server', async () => {
    await window.servers.getByRole('button').first().click();
    await page.keyboard.press('Alt+R');
    await window.expectPhase('ready');
    await list.region.locator(`[data-trace=${JSON.stringify(recorded)}]`).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Serve as a mock…' }).click();
    const form = page.getByRole('dialog', { name: 'Serve as a mock' });
    const choice = form.getByRole('combobox', { name: 'A request that was not recorded' });
    await choice.selectOption({ index: 1 });
    await expect(form).toContainText('Its session records what it answers.');
    await form.getByRole('button', { name: 'Start the mock' }).click();
    await expect(address).toContainText('misses forwarded to');
    const forwarding = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec((await address.textContent()) ?? '')?.[0] ?? '';
    expect(forwarding).not.toBe(url);
    const client = await connectTo(forwarding);
    expect(await echo(client, 'hello')).toContain('Echo: hello');
    expect(await echo(client, 'other')).toContain('Echo: other');
    await client.close();
    await expect(requests.getByRole('option').filter({ hasText: 'echo' }).last()).toContainText('forwarded');
  });
});
