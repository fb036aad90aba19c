import type { Locator } from 'playwright/test';
import { expect } from './app.ts';
import { only } from './hosts/only.ts';
import { addUrl, connectToUrl, test } from './http-servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** A part of the HTTP tab. */
const part = (window: Window, name: string): Locator =>
  window.trace.detail.getByRole('region', { name, exact: true });

/** A line of a part by its name, such as a header. */
const line = (window: Window, name: string, header: string): Locator =>
  part(window, name)
    .locator('dl > div')
    .filter({ has: window.page.getByText(header, { exact: true }) });

/** Calls `echo` and waits for its answer. */
async function callEcho(window: Window): Promise<void> {
  const tools = new ToolsPane(window);
  await tools.call('echo');
  await tools.expectOutcome('ok');
}

test.describe('an HTTP exchange', () => {
  test(
    'is shown with its headers, status and timing, and without the secret it carried',
    only.page,
    async ({ app, servers }) => {
      const server = await servers.streamable();
      const window = new Window(await app.open());
      await window.servers.getByRole('button', { name: 'Add server' }).click();
      const form = window.page.getByRole('form', { name: 'Add a server' });
      await form.getByRole('radio', { name: 'URL (HTTP)' }).click();
      await form.getByRole('textbox', { name: 'URL', exact: true }).fill(server.url);
      await form.getByRole('button', { name: 'Authorization: Bearer …' }).click();
      await window.page.keyboard.type('open-sesame-4711');
      await form.getByLabel('Name', { exact: true }).fill('guarded');
      await form.getByRole('button', { name: 'Save and connect' }).click();
      await window.expectPhase('ready');
      await callEcho(window);

      await expect(window.trace.rows('POST', /\/mcpJSON/).first()).toBeVisible();
      await window.trace.rows('tools/call').click();
      const { detail } = window.trace;
      await detail.getByRole('tab', { name: 'HTTP' }).click();
      await expect(part(window, 'Request')).toContainText(`POST ${server.url}`);
      const sent = server.requests.at(-1);
      expect(sent?.header('authorization')).toBe('Bearer open-sesame-4711');
      await expect(line(window, 'Request', 'Authorization')).toContainText(/Bearer .*16 chars/);
      await expect(
        line(window, 'Request', 'Authorization').getByRole('img', { name: 'secret' }),
      ).toBeVisible();
      await expect(window.page.locator('body')).not.toContainText('open-sesame-4711');
      // Names and order are those that the server got.
      const names = await part(window, 'Request').locator('dt').allTextContents();
      expect(names).toEqual(sent?.headers.map(([name]) => name));

      await expect(part(window, 'Response')).toContainText('HTTP/1.1 200 OK');
      await expect(line(window, 'Response', 'Content-Type')).toContainText('application/json');
      await expect(part(window, 'Timing')).toContainText(/Wait\s*\d+\.\d{3} ms/);
      await expect(part(window, 'Timing')).toContainText(/Total\s*\d+\.\d{3} ms/);
      await expect(line(window, 'Connection', 'Server')).toContainText(new URL(server.url).host);
      await expect(part(window, 'Carried').getByRole('listitem')).toHaveCount(2);
    },
  );

  test('is a key away from what it carried', only.page, async ({ app, servers }) => {
    const server = await servers.streamable({ answers: 'sse' });
    const window = new Window(await app.open());
    await connectToUrl(window, 'scripted', server.url);
    await callEcho(window);
    const { keyboard } = window.page;
    await window.trace.rows('tools/call').click();
    const selected = window.trace.table.locator('[role=row][aria-selected=true]');
    await expect(selected).toContainText('tools/call');
    await keyboard.press('e');
    await expect(selected).toContainText('POST');
    await expect(selected).toContainText('200');
    await expect(selected).toContainText('/mcpSSE');
    await expect(window.trace.detail.getByRole('tab')).toHaveText(['HTTP']);
    await keyboard.press('ControlOrMeta+e');
    await expect(selected).toContainText('tools/call');

    // The answer came as an event: raw, it is what stood in the stream.
    await keyboard.press('p');
    await expect(selected).toContainText('response');
    await window.trace.detail.getByRole('tab', { name: 'Raw' }).click();
    await expect(window.trace.detail.getByRole('tabpanel')).toContainText(/data: ?\{"jsonrpc"/);
  });

  test('is shown while it is open, and as it ends', only.page, async ({ app, servers }) => {
    const server = await servers.streamable();
    const window = new Window(await app.open());
    await connectToUrl(window, 'scripted', server.url);
    const stream = window.trace.rows('GET');
    await expect(stream).toContainText('200 open');
    await stream.click();
    await expect(part(window, 'Timing')).toContainText('still open');
    await server.push({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'hello' },
    });
    await expect(part(window, 'Carried')).toContainText('info · hello');
    await window.page
      .getByRole('button', { name: /^Disconnect/ })
      .first()
      .click();
    await expect(part(window, 'Timing')).toContainText(/Total/);
    await expect(window.trace.detail.getByRole('note')).toContainText('Sightglass aborted the exchange.');
  });

  test('that fails says at which step', only.page, async ({ app, servers }) => {
    const server = await servers.streamable();
    await server.close();
    const window = new Window(await app.open());
    await addUrl(window, 'gone', server.url);
    await window.expectPhase('failed');
    await window.trace.rows('POST').first().click();
    await expect(window.trace.detail.getByRole('note')).toContainText('Connecting failed.');
    await expect(window.trace.detail.getByRole('note')).toContainText('ECONNREFUSED');
    await expect(part(window, 'Response')).toContainText('None.');
  });

  test('with a page instead of a message shows the page as text', only.page, async ({ app, servers }) => {
    const server = await servers.streamable({
      intercept: (exchange) => {
        exchange.reply(502, { 'Content-Type': 'text/html' }, '<h1 id="theirs">Bad gateway</h1>');
        return true;
      },
    });
    const window = new Window(await app.open());
    await addUrl(window, 'gateway', server.url);
    await window.expectPhase('failed');
    await window.trace.rows('body').first().click();
    await expect(window.trace.detail).toContainText('<h1 id="theirs">Bad gateway</h1>');
    await expect(window.page.locator('#theirs')).toHaveCount(0);
    await window.page.keyboard.press('e');
    await expect(part(window, 'Response')).toContainText('502 Bad Gateway');
  });
});
