import { type HostedDocument, hostDocument } from '#fixtures/authorization/hosted-document.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { providerFixtures } from '#fixtures/authorization/providers/all.ts';
import { entraFixture } from '#fixtures/authorization/providers/entra.ts';
import { startOidcServer } from '#fixtures/authorization/oidc-server.ts';
import { startSdkOauthServer } from '#fixtures/authorization/sdk-oauth-server.ts';
import { knownProviders } from '#shared/authorization/providers/table.ts';
import type { Page } from 'playwright/test';
import { type App, test as base, expect } from './app.ts';
import { addProtected, AuthorizationPane } from './authorization-pane.ts';
import { ToolsPane } from './tools-pane.ts';

type Closed = { close(): Promise<void> };

/** Waits for a server, and closes it after the test. */
type Keep = <S extends Closed>(started: Promise<S>) => Promise<S>;

const test = base.extend<{ keep: Keep }>({
  keep: async ({ app: _app }, use) => {
    const started: Closed[] = [];
    await use(async (starting) => {
      const one = await starting;
      started.push(one);
      return one;
    });
    for (const one of started.reverse()) await one.close();
  },
});

/** The login page of oidc-provider, then its consent page. */
async function signIn(tab: Page): Promise<void> {
  await tab.getByPlaceholder('Enter any login').fill('user');
  await tab.getByPlaceholder('and password').fill('any');
  await tab.getByRole('button', { name: 'Sign-in' }).click();
  await consent(tab);
}

/** The consent page: the browser is signed in. */
async function consent(tab: Page): Promise<void> {
  await expect(tab.getByPlaceholder('Enter any login')).toHaveCount(0);
  await tab.getByRole('button', { name: 'Continue' }).click();
}

async function expectDemandsToken(url: string): Promise<void> {
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  expect(status).toBe(401);
}

/** Everything that a user does at oidc-provider, with one app. */
const atOidcProvider =
  ({ withDocument, dpop }: { readonly withDocument: boolean; readonly dpop: boolean }) =>
  async ({ app, keep }: { readonly app: App; readonly keep: Keep }): Promise<void> => {
    const document: HostedDocument | null = withDocument ? await keep(hostDocument()) : null;
    const { url } = await keep(startOidcServer({ demandsNonce: dpop }, document));
    await expectDemandsToken(url);
    const { window, auth } = await AuthorizationPane.open(app);
    const tools = new ToolsPane(window);
    const settings = { dpop, ...(document !== null && { document }) };

    await addProtected(window, url, { name: 'automatic', ...settings });
    await auth.openInBrowser(signIn);
    await window.expectPhase('ready');

    await tools.call('write');
    await auth.show();
    await auth.openInBrowser(consent);
    await tools.show();
    await tools.expectOutcome('ok');

    await auth.show();
    await auth.pane.getByRole('tab', { name: 'Token' }).click();
    if (dpop) await expect(auth.token).toContainText('DPoP');
    await expect(auth.token).toContainText('files:write');
    await expect(auth.generations).toHaveCount(2);
    await auth.pane.getByRole('button', { name: 'Refresh', exact: true }).click();
    await expect(auth.step(/Refresh, done/)).toBeVisible();
    await auth.pane.getByRole('tab', { name: 'Token' }).click();
    await expect(auth.generations).toHaveCount(3);
    await auth.pane.getByRole('button', { name: 'Expire now' }).click();
    await tools.call('write');
    await tools.expectOutcome('ok');
    await auth.show();
    await auth.pane.getByRole('tab', { name: 'Token' }).click();
    await expect(auth.generations).toHaveCount(4);
    const refreshTokens = await auth.generations.locator('td:nth-child(3)').allInnerTexts();
    expect(new Set(refreshTokens).size).toBe(4);
    expect(refreshTokens).not.toContain('–');

    await auth.pane.getByRole('button', { name: 'Revoke' }).click();
    await expect(auth.step(/Revoke, done/)).toBeVisible();
    await tools.call('echo', { message: 'hello' });
    await auth.show();
    await auth.openInBrowser(consent);
    await tools.show();
    await tools.expectOutcome('ok');

    await addProtected(window, url, { name: 'stepped', mode: 'stepped', ...settings });
    await auth.show();
    await auth.sendUpTo(/Authorization, stopped/);
    await auth.send.click();
    await auth.openInBrowser(consent, 'stepped');
    for (let sent = 0; sent <= Number(dpop); sent++) {
      await auth.expectSelected(/Token exchange, .*stopped/);
      await auth.send.click();
    }
    await window.expectPhase('ready');
    await expect(auth.step(/Use token, done/)).toBeVisible();
    await expect(auth.step(/Client metadata, done/)).toHaveCount(withDocument ? 1 : 0);
    // oidc-provider, and the app for each of its servers.
    if (document !== null) expect(document.readBy.filter((reader) => reader === '')).toHaveLength(1);
    await tools.call('echo', { message: 'hello' });
    await tools.expectOutcome('ok');
  };

test(
  'oidc-provider, a client registered dynamically, Bearer tokens: login and consent, step-up, refresh with rotation, revoke; then step by step',
  atOidcProvider({ withDocument: false, dpop: false }),
);

test(
  'oidc-provider, a client known by a metadata document over HTTPS, DPoP tokens: login and consent, step-up, refresh with rotation, revoke; then step by step',
  atOidcProvider({ withDocument: true, dpop: true }),
);

test('the example of the SDK: automatic, then step by step', async ({ app, keep }) => {
  const { url } = await keep(startSdkOauthServer());
  await expectDemandsToken(url);
  const { window, auth } = await AuthorizationPane.open(app);
  const tools = new ToolsPane(window);
  await addProtected(window, url, { name: 'automatic' });
  await auth.openInBrowser();
  await window.expectPhase('ready');
  await tools.call('greet', { name: 'you' });
  await tools.expectOutcome('ok');

  await addProtected(window, url, { name: 'stepped', mode: 'stepped' });
  await auth.show();
  await auth.sendUpTo(/Authorization, stopped/);
  await auth.send.click();
  await auth.openInBrowser(undefined, 'stepped');
  await auth.expectSelected(/Token exchange, stopped/);
  await auth.send.click();
  await window.expectPhase('ready');
  await tools.call('greet', { name: 'you' });
  await tools.expectOutcome('ok');
});

/** The page of a provider to which its login page leads. */
const allow = (tab: Page): Promise<void> => tab.getByRole('button', { name: 'Allow' }).click();

test('each known identity provider: chosen in the settings, it authorizes; Entra without that, by what the cards set', async ({
  app,
  keep,
}) => {
  // Eight servers in one app.
  test.setTimeout(300_000);
  const { window, auth } = await AuthorizationPane.open(app);
  for (const { id, options, client } of providerFixtures) {
    const { url } = await keep(ProtectedServer.open(options()));
    const { clientId, clientSecret, privateKey, keyId } = client;
    const key = privateKey?.value != null ? { id: keyId ?? '', text: privateKey.value } : null;
    await addProtected(window, url, {
      name: id,
      provider: knownProviders[id].label,
      client: {
        id: clientId ?? '',
        ...(clientSecret?.value != null && { secret: clientSecret.value }),
        ...(key !== null && { key }),
      },
    });
    await auth.openInBrowser(allow);
    await window.expectPhase('ready');
  }

  const { url } = await keep(ProtectedServer.open(entraFixture.options()));
  await addProtected(window, url, {
    name: 'Entra, nothing chosen',
    client: { id: entraFixture.client.clientId ?? '' },
  });
  await auth.show();
  const card = (title: string) =>
    auth.pane.getByRole('note', { name: `Known trap of Microsoft Entra ID: ${title}` });
  // The revision is not known yet, so this one does not stop the flow.
  await auth.step(/path appended, done/).click();
  await expect(card('Entra does not advertise PKCE')).toContainText('Looks like Microsoft Entra ID');
  await auth.step(/Callback, waiting/).click();
  await auth.seeErrorPage(/AADSTS50011/);
  await card('The redirect URI is not registered').getByRole('button').click();
  await auth.seeErrorPage(/AADSTS9010010/);
  await card('Entra rejects resource').getByRole('button').click();
  await auth.openInBrowser(allow);
  await expect(auth.step(/Use token, done/)).toBeVisible();
});
