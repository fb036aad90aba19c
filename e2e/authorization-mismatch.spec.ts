import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { test as base, expect } from './app.ts';
import { AuthorizationPane } from './authorization-pane.ts';
import { findings, PANE } from './axe.ts';
import { only } from './hosts/only.ts';

const OTHER = 'https://other.example/mcp';

/** A server whose resource metadata is of another resource. */
const test = base.extend<{ server: ProtectedServer }>({
  server: async ({ app: _app }, use) => {
    const server = await ProtectedServer.open({ resourceMetadata: { resource: OTHER } });
    server.authorization.resources.push(OTHER);
    await use(server);
    await server.close();
  },
});

test(
  'metadata of another resource stops a flow; by keyboard the user continues anyway',
  only.web,
  async ({ app, server }) => {
    const { window, auth } = await AuthorizationPane.open(app);
    const { page } = window;
    await window.servers.getByRole('button', { name: 'Add server' }).click();
    const form = page.getByRole('form', { name: 'Add a server' });
    await form.getByRole('radio', { name: 'URL (HTTP)' }).click();
    await form.getByRole('textbox', { name: 'URL', exact: true }).fill(server.url);
    await form.getByRole('button', { name: 'Authorization', exact: true }).click();
    await form.getByLabel('Port of the redirect').fill('8123');
    await expect(form.getByText('http://127.0.0.1:8123/callback')).toBeVisible();
    expect(await findings(page, 'form')).toEqual([]);
    await form.getByLabel('Port of the redirect').fill('');
    await form.getByRole('radio', { name: 'stepped' }).click();
    await form.getByLabel('Name', { exact: true }).fill('mismatched');
    await form.getByRole('button', { name: /^Save(?! and)/ }).click();

    // Before the flow: what it redirects to.
    await auth.show();
    await expect(auth.pane.getByText('http://127.0.0.1:PORT/callback')).toBeVisible();
    expect(await findings(page, PANE)).toEqual([]);
    await auth.pane.getByRole('button', { name: 'Step through' }).click();

    await auth.expectSelected(/^1 Challenge, stopped/);
    await page.keyboard.press('F10');
    await auth.expectSelected(/Resource metadata, stopped/);
    await auth.step(/^1 Challenge/).click();
    const challenge = auth.pane.getByRole('region', { name: 'Challenge 1' });
    await expect(challenge).toContainText('Bearer');
    await expect(challenge.getByRole('definition')).toHaveText(server.resourceMetadataUrl);
    expect(await findings(page, PANE)).toEqual([]);

    await page.keyboard.press('F10');
    await auth.expectSelected(/Resource metadata, failed, status 200/);
    const tree = auth.pane.getByRole('tree', { name: 'Body of the response' });
    await expect(tree.getByRole('treeitem').filter({ hasText: 'authorization_servers' })).toBeVisible();
    const goOn = auth.pane.getByRole('button', { name: 'Continue anyway' });
    expect(await findings(page, PANE)).toEqual([]);
    await window.tabTo(goOn);
    await page.keyboard.press('Enter');
    await auth.expectSelected(/Server metadata, stopped/);
    await expect(auth.step(/Resource metadata, failed, continued anyway/)).toBeVisible();
    await expect(auth.pane.getByText('Authorization: required')).toBeVisible();

    await auth.sendUpTo(/Authorization, stopped/);
    await expect(auth.request.getByRole('textbox', { name: 'Value of resource' })).toHaveValue(OTHER);
    await expect(auth.request).toContainText('resource of the metadata, which is not this server');
    const checklist = auth.pane.getByRole('region', { name: /^Check yourself/ });
    await window.tabTo(checklist.locator('summary'));
    await page.keyboard.press('Enter');
    await expect(checklist.getByText('confused deputy')).toBeVisible();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await expect(checklist.getByRole('checkbox', { name: 'Consent for each client' })).toBeChecked();
    await expect(checklist).toContainText('1 of 4 ticked');
    expect(await findings(page, PANE)).toEqual([]);
  },
);
