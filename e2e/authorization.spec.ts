import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright/test';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { secretsOf } from '#fixtures/authorization/secrets-of.ts';
import { test as base, expect } from './app.ts';
import { addProtected, AuthorizationPane } from './authorization-pane.ts';
import { findings, PANE } from './axe.ts';
import { only } from './hosts/only.ts';
import { addUrl } from './http-servers.ts';
import { RecordedList } from './recorded-list.ts';
import { ToolsPane } from './tools-pane.ts';
import type { Window } from './window.ts';

const test = base.extend<{ protect: (options?: ProtectedServerOptions) => Promise<ProtectedServer> }>({
  protect: async ({ app: _app }, use) => {
    const open: ProtectedServer[] = [];
    await use(async (options) => {
      const server = await ProtectedServer.open(options);
      open.push(server);
      return server;
    });
    await Promise.all(open.map((server) => server.close()));
  },
});

async function chooseByKeyboard(window: Window, box: Locator, label: string): Promise<void> {
  await box.focus();
  await window.page.keyboard.press('Enter');
  await window.page.keyboard.type(label);
  await window.page.keyboard.press('Enter');
  await expect(box).toContainText(label);
}

test.describe('authorization', only.web, () => {
  test('automatic: the pane shows itself, the browser opens by a click, and the tools are listed', async ({
    app,
    protect,
  }) => {
    const server = await protect({ authorization: { consent: 'page' }, challengeScope: 'files:read' });
    const { window, auth } = await AuthorizationPane.open(app);
    await addUrl(window, 'protected', server.url);
    await auth.expectSelected(/Callback, waiting/);
    expect(server.authorization.requestsTo('authorize')).toEqual([]);
    await auth.openInBrowser(async (tab) => {
      await tab.getByRole('button', { name: 'Allow' }).click();
    });
    await window.expectPhase('ready');
    await expect(auth.step(/Token exchange, done/)).toBeVisible();
    await expect(auth.step(/Use token, done/)).toBeVisible();
    expect(server.leaks).toEqual([]);
    await auth.pane.getByRole('tab', { name: 'Token' }).click();
    await expect(auth.pane.getByRole('region', { name: 'Access token' })).toContainText('files:read');
    expect(await findings(window.page, PANE)).toEqual([]);

    // The tests of the server, by keyboard.
    await window.page.keyboard.press('Escape');
    await auth.pane.getByRole('tab', { name: 'Token' }).press('End');
    await window.tabTo(auth.pane.getByRole('button', { name: 'Run the tests' }));
    await window.page.keyboard.press('Enter');
    const tests = auth.pane.getByRole('table', { name: 'Server tests' });
    await expect(tests.getByRole('row', { name: /^Invented token/ })).toContainText('401 Unauthorized');
    await expect(auth.pane.getByRole('button', { name: 'Run again' })).toBeVisible();
    await expect(tests.getByText('careless', { exact: true }).first()).toBeHidden();
    expect(await findings(window.page, PANE)).toEqual([]);
  });

  test('stepped, by keyboard alone: each request is seen before it is sent', async ({ app, protect }) => {
    const server = await protect();
    const { window, auth } = await AuthorizationPane.open(app);
    await addProtected(window, server.url, { name: 'protected', mode: 'stepped' });
    await auth.expectSelected(/Resource metadata, stopped before sending/);
    expect(server.transcript.slice(1)).toEqual([]);
    await expect(auth.request).toContainText('stopped before sending');
    expect(await findings(window.page, PANE)).toEqual([]);

    await window.page.keyboard.press('F10');
    await auth.expectSelected(/Server metadata, stopped before sending/);
    await window.tabTo(auth.steps);
    await window.page.keyboard.press('Home');
    await auth.expectSelected(/^1 Challenge/);
    await window.page.keyboard.press('End');
    await window.page.keyboard.press('F10');
    await auth.expectSelected(/Registration, stopped before sending/);
    await window.page.keyboard.press('F10');
    await auth.expectSelected(/Authorization, stopped before sending/);
    await window.page.keyboard.press('F10');
    await expect(auth.pane.getByRole('link', { name: 'Open in browser' })).toBeVisible();
    await auth.openInBrowser();
    await auth.expectSelected(/Token exchange, stopped before sending/);
    await window.page.keyboard.press('F10');
    await window.expectPhase('ready');
    expect(server.leaks).toEqual([]);
  });

  test('a whole flow by hand: every request is changed, taken back and forked; its report and its HAR have all of it', async ({
    app,
    protect,
  }) => {
    const server = await protect();
    const { authorization } = server;
    const { window, auth } = await AuthorizationPane.open(app);
    await addProtected(window, server.url, { name: 'protected', mode: 'stepped' });
    const add = async (name: string, value: string, tab?: string) => {
      if (tab !== undefined) await auth.request.getByRole('tab', { name: tab }).click();
      await auth.request.getByRole('button', { name: 'Add', exact: true }).click();
      await auth.request.getByRole('textbox', { name: 'Name of the parameter' }).fill(name);
      await auth.request.getByRole('textbox', { name: `Value of ${name}` }).fill(value);
    };
    const valueOf = (name: string) => auth.request.getByRole('textbox', { name: `Value of ${name}` });
    const back = async (to: RegExp) => {
      await auth.pane.getByRole('button', { name: /^Back/ }).click();
      await auth.expectSelected(to);
    };

    await auth.expectSelected(/Resource metadata, stopped/);
    await add('X-By-Hand', 'resource', 'Headers');
    await auth.send.click();
    await auth.expectSelected(/Server metadata, stopped/);
    await back(/Resource metadata, stopped/);
    await auth.request.getByRole('tab', { name: 'Headers' }).click();
    await expect(valueOf('X-By-Hand')).toHaveValue('resource');
    await auth.send.click();
    await auth.expectSelected(/Server metadata, stopped/);
    await add('X-By-Hand', 'server', 'Headers');
    await auth.send.click();
    await auth.expectSelected(/Registration, stopped/);
    await valueOf('client_name').fill('"By hand"');
    await auth.send.click();
    await auth.expectSelected(/Authorization, stopped/);
    await add('login_hint', 'a b&c');
    await auth.send.click();
    await auth.openInBrowser();
    await auth.expectSelected(/Token exchange, stopped/);
    await back(/Authorization, stopped/);
    await expect(valueOf('login_hint')).toHaveValue('a b&c');
    await auth.send.click();
    await auth.openInBrowser();
    await auth.expectSelected(/Token exchange, stopped/);
    await valueOf('code_verifier').fill('of-another-request');
    await auth.send.click();
    await auth.expectSelected(/Token exchange, failed, status 400/);
    await expect(auth.pane.getByRole('alert').first()).toContainText('invalid_grant');

    await auth
      .step(/Authorization, done/)
      .last()
      .click();
    await auth.pane.getByRole('button', { name: 'Fork here' }).click();
    await auth.expectSelected(/Authorization, stopped/);
    await expect(auth.step(/^\d+C Token exchange, failed/)).toBeVisible();
    await auth.pane.getByRole('button', { name: 'Run to end' }).click();
    await auth.openInBrowser();
    await expect(auth.step(/^\d+ Token exchange, done/)).toBeVisible();
    await window.expectPhase('ready');
    expect(await findings(window.page, PANE)).toEqual([]);

    const addedHeaders = server.log.flatMap(({ request }) => request.header('X-By-Hand') ?? []);
    expect(addedHeaders).toEqual(['resource', 'resource', 'server']);
    expect(String(authorization.requestsTo('register')[0]?.body)).toContain('By hand');
    const hints = authorization
      .requestsTo('authorize')
      .map(({ url }) => new URL(url, authorization.origin).searchParams.get('login_hint'));
    expect(hints).toEqual(['a b&c', 'a b&c', 'a b&c']);
    expect(String(authorization.requestsTo('token')[0]?.body)).toContain('code_verifier=of-another-request');

    await auth.pane.getByRole('button', { name: 'Compare attempts…' }).press('Enter');
    const compared = window.page.getByRole('dialog', { name: 'Compare attempts' });
    await expect(compared.getByRole('row', { name: /^code_verifier body/ })).toBeVisible();
    await expect(compared.getByRole('row', { name: 'status 400 200' })).toBeVisible();
    await expect(compared).not.toContainText('of-another-request');
    expect(await findings(window.page, '[role=dialog]')).toEqual([]);
    await window.page.keyboard.press('Escape');

    const shown = await auth.steps.getByRole('option').count();
    const files: string[] = [];
    for (const [label, name] of [
      ['Report (.md)', 'flow.md'],
      ['HTTP archive (.har)', 'flow.har'],
    ] as const) {
      await auth.pane.getByRole('button', { name: 'Export the flow…' }).click();
      const form = window.page.getByRole('dialog', { name: 'Export the flow' });
      await form.getByRole('radio', { name: label }).click();
      await form.getByRole('textbox', { name: 'File' }).fill(join(app.home, name));
      await form.getByRole('button', { name: 'Export', exact: true }).click();
      await expect(form.getByRole('status', { name: 'Exported' })).toContainText(name);
      await window.page.keyboard.press('Escape');
      files.push(await readFile(join(app.home, name), 'utf8'));
    }
    const [report = '', har = ''] = files;
    expect(report.match(/^### \d+\. /gm)).toHaveLength(shown);
    for (const part of ['X-By-Hand', 'By hand', 'login_hint', 'taken-back', 'invalid_grant', 'branch 1'])
      expect(report).toContain(part);
    const { entries } = JSON.parse(har).log;
    const steps = entries.map(({ _step: { name } }: { _step: { name: string } }) => name);
    for (const name of ['resource-metadata', 'server-metadata', 'registration', 'callback', 'token'])
      expect(steps).toContain(name);
    for (const secret of secretsOf(server)) for (const text of files) expect(text).not.toContain(secret);
  });

  test('a wrong value of the menu is sent, and the pane says that the server rejected it', async ({
    app,
    protect,
  }) => {
    const server = await protect();
    const { window, auth } = await AuthorizationPane.open(app);
    await addProtected(window, server.url, { name: 'protected', mode: 'stepped' });
    await auth.sendUpTo(/Authorization, stopped/);
    await auth.send.click();
    await auth.openInBrowser();
    await auth.expectSelected(/Token exchange, stopped/);
    for (const [parameter, label] of [
      ['code_verifier', 'Wrong verifier'],
      ['code', 'Code sent twice'],
    ] as const) {
      await auth.request.getByRole('button', { name: `Wrong values of ${parameter}`, exact: true }).click();
      await window.page.getByRole('menuitemcheckbox', { name: new RegExp(`^${label}`) }).click();
      const note = auth.request.getByRole('note', { name: 'Wrong value' });
      await expect(note).toContainText('Must be rejected by the authorization server');
      expect(await findings(window.page, PANE)).toEqual([]);
      await auth.send.click();
      await auth.expectSelected(/Token exchange, .*failed, status 400, wrong value rejected/);
      await expect(note).toContainText('Rejected, as it must be');
      await auth.step(/^\d+ Authorization, done/).click();
      await auth.pane.getByRole('button', { name: 'Fork here' }).click();
      await auth.expectSelected(/Authorization, stopped/);
      await auth.send.click();
      await auth.openInBrowser();
      await auth.expectSelected(/Token exchange, stopped/);
    }
    expect(
      server.authorization
        .requestsTo('token')
        .map(({ body }) => /code_verifier=[^&]*/.exec(String(body))?.[0]),
    ).toEqual([
      'code_verifier=sightglass-sends-a-verifier-that-is-not-the-one',
      expect.stringMatching(/^code_verifier=.{43}/),
      expect.stringMatching(/^code_verifier=.{43}/),
    ]);
  });

  test('a test user signs in at the test identity provider, which the pane names; all of it by keyboard', async ({
    app,
    protect,
  }) => {
    const server = await protect({
      authorization: {
        clients: [{ clientId: 'me', redirectUris: [], authMethod: 'none' }],
        trusted: 'this-machine',
        assertionType: 'oauth-id-jag+jwt',
      },
    });
    const { window, auth } = await AuthorizationPane.open(app);
    await window.servers.getByRole('button', { name: 'Add server' }).click();
    const form = window.page.getByRole('form', { name: 'Add a server' });
    await form.getByRole('radio', { name: 'URL (HTTP)' }).click();
    await form.getByRole('textbox', { name: 'URL', exact: true }).fill(server.url);
    await form.getByRole('button', { name: 'Authorization', exact: true }).click();
    await form.getByRole('radio', { name: 'stepped' }).click();
    await chooseByKeyboard(window, form.getByRole('combobox', { name: 'Grant' }), 'Enterprise-managed');
    const kind = form.getByRole('combobox', { name: 'Kind of identity provider' });
    await chooseByKeyboard(window, kind, 'Test identity provider');
    await form.getByRole('textbox', { name: 'Client ID', exact: true }).fill('me');
    await form.getByRole('textbox', { name: 'Name of the test user' }).fill('ada');
    expect(await findings(window.page, '[role=dialog], form')).toEqual([]);
    await form.getByLabel('Name', { exact: true }).fill('protected');
    await form.getByRole('button', { name: 'Save and connect' }).click();

    await auth.sendUpTo(/Sign-in, stopped/);
    const note = auth.pane.getByRole('note', { name: 'Test identity provider' });
    await expect(note).toContainText('a test identity provider of Sightglass, not a real one.');
    await expect(note).toContainText('It runs until the flow ends.');
    expect(await findings(window.page, PANE)).toEqual([]);
    await window.page.keyboard.press('F10');
    await auth.openInBrowser(async (tab) => {
      await expect(tab.getByRole('heading', { name: 'Test identity provider of Sightglass' })).toBeVisible();
      expect(await findings(tab, 'main')).toEqual([]);
      await expect(tab.getByRole('textbox', { name: 'Test user' })).toBeFocused();
      await tab.keyboard.press('End');
      await tab.keyboard.type('-lovelace');
      await tab.keyboard.press('Enter');
    });
    await auth.sendUpTo(/Assertion, stopped/);
    await auth.request.getByRole('button', { name: 'Wrong values of test_fault' }).click();
    await window.page.getByRole('menuitemcheckbox', { name: /^Issued expired/ }).click();
    await auth.send.click();
    await auth.send.click();
    await auth.expectSelected(/Token exchange, failed, status 400/);
    await expect(auth.step(/Assertion, done.*wrong value rejected/)).toBeVisible();
    await expect(note).toContainText('It was closed with the flow.');

    await auth.step(/Assertion, done/).click();
    await auth.pane.getByRole('button', { name: 'Fork here' }).click();
    // The wrong value is there again, like every change.
    await auth.request.getByRole('button', { name: 'Wrong values of test_fault' }).click();
    await window.page.getByRole('menuitemcheckbox', { name: /^Issued expired/ }).click();
    await auth.pane.getByRole('button', { name: 'Run to end' }).click();
    await expect(auth.step(/^\d+ Token exchange, done/)).toBeVisible();
    await auth.step(/ID token, done/).click();
    await auth.pane.getByRole('tab', { name: 'Answer' }).click();
    expect(await findings(window.page, PANE)).toEqual([]);
  });

  test('a call that lacks a scope leads to the pane, and is sent again', async ({ app, protect }) => {
    const server = await protect({ challengeScope: 'files:read', toolScopes: { write: 'files:write' } });
    const { window, auth } = await AuthorizationPane.open(app);
    await addUrl(window, 'protected', server.url);
    await auth.openInBrowser();
    await window.expectPhase('ready');
    const tools = new ToolsPane(window);
    await tools.call('write');
    await expect(window.page.getByText('The authorization waits for you in the Auth pane.')).toBeVisible();
    await window.page.keyboard.press('Alt+A');
    await auth.openInBrowser();
    await expect(auth.step(/Use token, done/)).toBeVisible();
    const [, stepUp] = server.authorization.requestsTo('authorize');
    const asked = new URL(stepUp?.url ?? '', server.authorization.origin).searchParams.get('scope');
    expect(asked?.split(' ').sort()).toEqual(['files:read', 'files:write', 'offline_access']);

    await window.trace.filter('status:403');
    await window.trace.table.locator('[role=row][data-place]').first().click();
    await window.show('Overview');
    await window.trace.detail.getByRole('button', { name: 'Authorize…' }).click();
    await expect(auth.steps).toBeVisible();
  });

  test('a recorded session shows its flow, and offers to send nothing', async ({ app, protect }) => {
    const server = await protect();
    const { window, auth } = await AuthorizationPane.open(app);
    await addUrl(window, 'protected', server.url);
    await auth.openInBrowser();
    await window.expectPhase('ready');
    await auth.show();
    await expect(auth.step(/Use token, done/)).toBeVisible();
    const live = await auth.steps.getByRole('option').allInnerTexts();
    await window.page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
    const recording = new RecordedList(window.page).rows('protected').first();
    await expect(recording).toHaveCount(1);
    await recording.click();
    // A recorded session has no Composer.
    await expect(window.page.getByRole('tab', { name: 'Composer' })).toHaveCount(0);
    await auth.show();
    await expect(auth.step(/Use token, done/)).toBeVisible();
    expect(await auth.steps.getByRole('option').allInnerTexts()).toEqual(live);
    await expect(auth.pane).toContainText('This session was recorded, so nothing can be sent.');
    await expect(auth.send).toHaveCount(0);

    const sent = server.log.length;
    await chooseByKeyboard(window, auth.pane.getByRole('combobox', { name: 'Check against' }), '2025-03-26');
    const note = auth.pane.getByRole('note', { name: 'Difference' });
    await expect(note).toContainText('Nothing was sent.');
    await expect(note).toContainText('2025-03-26 does not have resource metadata.');
    expect(await findings(window.page, PANE)).toEqual([]);
    expect(server.log.length).toBe(sent);
  });
});

test(
  'authorization in the system’s browser: the tools of a protected server are listed after it',
  only.electron,
  async ({ app, protect }) => {
    const server = await protect({ authorization: { consent: 'page' } });
    const { window, auth } = await AuthorizationPane.open(app);
    await addUrl(window, 'protected', server.url);
    await auth.openInBrowser(async (tab) => {
      await tab.getByRole('button', { name: 'Allow' }).click();
    });
    await window.expectPhase('ready');
    await expect(window.pane('Tools')).toContainText('echo');
    await window.page.keyboard.press('Alt+A');
    await expect(auth.step(/Token exchange, done/)).toBeVisible();
    expect(server.leaks).toEqual([]);
  },
);
