import type { Page } from 'playwright/test';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { test } from './app.ts';
import { everything, typed } from './servers.ts';
import { test as httpTest, addUrl } from './http-servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { InboxPane } from './inbox-pane.ts';
import { Window } from './window.ts';

async function shots(page: Page, name: string): Promise<void> {
  for (const scheme of ['light', 'dark'] as const)
    for (const [width, height] of [[1280, 800], [1920, 1080]] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForTimeout(400);
      await page.screenshot({ path: `/work/notes/shots-rev4/${name}-${scheme}-${width}x${height}.png` });
    }
}

test('approval and approvals and undo', async ({ app }) => {
  const window = new Window(await app.open());
  const { page } = window;
  await page.setViewportSize({ width: 1280, height: 800 });
  await window.addServer('files\u200bhidden', `${typed(everything)} "--root=/home\u202e/user\u00a0data\u200b" "na\u0456ve"`);
  await page.getByRole('region', { name: 'Run this command?' }).waitFor();
  await shots(page, 'approval-hidden');
  await window.approve();
  await window.expectPhase('ready');
  await window.servers.getByRole('button', { name: /^files/ }).click({ button: 'right' });
  await page.waitForTimeout(300);
  await shots(page, 'server-menu');
  await page.getByRole('menuitem', { name: /Edit|Settings/ }).first().click();
  await page.waitForTimeout(500);
  const approved = page.getByText('Approved to run');
  await approved.scrollIntoViewIfNeeded();
  await approved.click();
  await page.getByRole('button', { name: 'Revoke' }).scrollIntoViewIfNeeded();
  await shots(page, 'approvals-settings');
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.waitForTimeout(500);
  await shots(page, 'undo-toast');
});

test('inbox', async ({ app }) => {
  const window = new Window(await app.open());
  const { page } = window;
  await page.setViewportSize({ width: 1280, height: 800 });
  await window.connectTo('everything', typed(everything));
  const tools = new ToolsPane(window);
  const inbox = new InboxPane(window);
  await tools.call('trigger-elicitation-request');
  await inbox.open();
  await shots(page, 'inbox-before');
  await inbox.press(/^Decline all/);
  await page.waitForTimeout(800);
  await shots(page, 'inbox-declining');
  await window.show('Tools');
  await tools.run.click();
  await page.waitForTimeout(1500);
  await shots(page, 'tools-declined');
  await window.show('Overview');
  await page.waitForTimeout(500);
  await shots(page, 'overview-consents');
});

httpTest('variables', async ({ app, servers }) => {
  process.env.DEMO_TOKEN = 'demo';
  app.launch = { env: { DEMO_TOKEN: 'x1y2z3w4secret', DEMO_TENANT: 'acme' }, switches: [] };
  const server = await servers.streamable();
  const window = new Window(await app.open());
  const { page } = window;
  await page.setViewportSize({ width: 1280, height: 800 });
  await window.servers.getByRole('button', { name: /^Import/ }).click();
  await page.waitForTimeout(500);
  await shots(page, 'import-form');
  await page.getByRole('textbox').last().fill(JSON.stringify({ mcpServers: { weather: { type: 'http', url: `${server.url}?tenant=\${env:DEMO_TENANT}`, headers: { Authorization: 'Bearer ${env:DEMO_TOKEN}', 'X-Tenant': '${env:DEMO_TENANT}' } } } }));
  await page.waitForTimeout(1500);
  await shots(page, 'import-preview');
  await page.getByRole('button', { name: /^Import( 1| the|$)/ }).last().click();
  await page.waitForTimeout(1000);
  await shots(page, 'import-done');
  await window.server('weather').click();
  await page.getByRole('button', { name: /^Connect/ }).first().click();
  await page.waitForTimeout(1200);
  await shots(page, 'variables-question');
  await page.getByRole('button', { name: /^Send/ }).first().click();
  await page.waitForTimeout(2000);
  await shots(page, 'variables-after');
  await window.show('Overview');
  await shots(page, 'variables-overview');
  await window.servers.getByRole('button', { name: /^weather/ }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: /Edit|Settings/ }).first().click();
  await page.waitForTimeout(500);
  const approved = page.getByText('Approved to be sent');
  await approved.click();
  await page.getByRole('button', { name: 'Revoke' }).scrollIntoViewIfNeeded();
  await shots(page, 'approvals-variables');
});

for (const kind of ['resource-query', 'other-issuer', 'private-address'] as const)
  test(`auth ${kind}`, async ({ app }) => {
    const server = await ProtectedServer.open({ sharesOrigin: true, resourceMetadataAt: [], namesMetadata: false, era: 'legacy' });
    const page = await app.open();
    if (kind !== 'resource-query') {
      await page.routeWebSocket(/engine/, (ws) => {
        const real = ws.connectToServer();
        real.onMessage((m) => {
          const question = kind === 'other-issuer'
            ? { kind, credentials: ['client-id', 'client-secret'], before: ['https://login.example.com'], issuer: 'https://login.exаmple.com.evil.example' }
            : { kind, url: 'http://127.0.0.1:8081/.well-known/oauth-authorization-server', fault: { code: 'private-address', what: 'The server is at mcp.example.com, but metadata.example leads to 127.0.0.1:8081, which is on this machine.', why: 'A server that is elsewhere can use this to reach what only this machine can reach.' } };
          ws.send(String(m).replaceAll(/"question":\{[^}]*\}/g, `"question":${JSON.stringify(question)}`));
        });
      });
      await page.reload();
    }
    const window = new Window(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await addUrl(window, 'protected', `${server.url}?tenant=acme&region=eu`);
    await page.getByRole('region', { name: 'Question' }).waitFor();
    await page.waitForTimeout(800);
    await shots(page, `auth-${kind}`);
    await server.close();
  });
