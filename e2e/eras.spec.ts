import { X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';
import { expect } from './app.ts';
import { findings } from './axe.ts';
import { only } from './hosts/only.ts';
import { addUrl, connectToUrl, test } from './http-servers.ts';
import { Window } from './window.ts';

const revisionFromTheFuture = '2099-01-01';

test.describe('eras and transports', () => {
  test(
    'a modern server over Streamable HTTP: found out, with the evidence and its rows',
    only.page,
    async ({ app, servers }) => {
      const { url } = await servers.streamable({ era: 'modern', answers: 'sse' });
      const window = new Window(await app.open());
      await connectToUrl(window, 'modern', url);
      await expect(window.status).toContainText('modern 2026-07-28');
      await expect(window.status).toContainText(`Streamable HTTP · ${new URL(url).host}`);

      await window.show('Overview');
      const overview = window.pane('Overview');
      await expect(overview.getByRole('region', { name: 'Server', exact: true })).toContainText('Supports');
      const connection = overview.getByRole('region', { name: 'Connection' });
      await expect(connection).toContainText('Streamable HTTP · modern 2026-07-28');
      await expect(connection).toContainText(url);
      await expect(
        overview.getByRole('region', { name: 'Streams' }).getByRole('row', { name: 'answer' }),
      ).not.toHaveCount(0);

      const step = connection.getByRole('listitem').filter({ hasText: 'server/discover' }).first();
      const link = step.getByRole('button', { name: /^Row #/ });
      const row = (await link.textContent()) ?? '';
      await link.click();
      await expect(window.trace.detail).toContainText(row);
      await expect(window.trace.detail).toContainText('server/discover');
    },
  );

  test(
    'a legacy server: its session id on a click, its stream dropped without a word',
    only.page,
    async ({ app, servers }) => {
      const server = await servers.streamable();
      const window = new Window(await app.open());
      await connectToUrl(window, 'legacy', server.url);
      await expect(window.status).toContainText('legacy 2025-11-25');

      await window.show('Overview');
      const overview = window.pane('Overview');
      const connection = overview.getByRole('region', { name: 'Connection' });
      const asked = await server.received(({ method }) => method === 'GET');
      const id = asked.header('Mcp-Session-Id') ?? '';
      expect(id).not.toBe('');
      await expect(connection).not.toContainText(id);
      await connection.getByRole('button', { name: 'Show the session id' }).click();
      await expect(connection).toContainText(id);

      await server.until(() => server.standing[0] ?? null);
      const gets = () => server.requests.filter(({ method }) => method === 'GET').length;
      const before = gets();
      const standing = overview
        .getByRole('region', { name: 'Streams' })
        .getByRole('row', { name: /standing/ });
      await expect(standing).toContainText('open');
      await standing.getByRole('button', { name: /^Drop/ }).click();
      await expect.poll(() => server.standing.length === 0 || gets() > before).toBe(true);

      // What goes out after the drop comes after whatever the drop itself sends.
      await overview.getByRole('button', { name: 'Ping', exact: true }).click();
      await server.receivedMethod('ping');
      const methods = server.requests.flatMap(({ messages }) => messages.map(({ method }) => method));
      expect(methods).not.toContain('notifications/cancelled');
      await window.trace.filter('notifications/cancelled');
      await window.trace.expectCount(0);
      await window.expectPhase('ready');
    },
  );

  test(
    'a server of HTTP+SSE is found by falling back, and said to be deprecated',
    only.page,
    async ({ app, servers }) => {
      const server = await servers.sse();
      const window = new Window(await app.open());
      await connectToUrl(window, 'old', server.url);
      await expect(window.status).toContainText(`HTTP+SSE · ${new URL(server.url).host}`);
      await window.show('Overview');
      const connection = window.pane('Overview').getByRole('region', { name: 'Connection' });
      await expect(connection).toContainText('405');
      await expect(connection).toContainText('/messages?session=');
      await expect(connection).toContainText('deprecated since 2025-03-26');
    },
  );

  test(
    'a revision nobody knows ends the session, and another click goes on with it',
    only.page,
    async ({ app, servers }) => {
      const server = await servers.streamable({
        handlers: {
          initialize: () => ({
            protocolVersion: revisionFromTheFuture,
            capabilities: { tools: {} },
            serverInfo: { name: 'future', version: '1' },
          }),
        },
      });
      const window = new Window(await app.open());
      await addUrl(window, 'future', server.url);
      await window.expectPhase('failed');
      const alert = window.pane('Overview').getByRole('alert');
      await expect(alert).toContainText(revisionFromTheFuture);
      await expect(alert.getByRole('button', { name: 'Connect with 2025-06-18' })).toBeVisible();
      await alert.getByRole('button', { name: `Continue with ${revisionFromTheFuture} anyway` }).click();
      await window.expectPhase('ready');
      await expect(window.status).toContainText(revisionFromTheFuture);
    },
  );

  test('a certificate nobody vouches for is accepted after its fingerprint was shown', async ({
    app,
    servers,
  }) => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'sightglass.test' }], {
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const server = await servers.streamable({}, { key, cert });
    const window = new Window(await app.open());
    await addUrl(window, 'self-signed', server.url);
    await window.expectPhase('failed');
    const { keyboard } = window.page;
    const accept = window.page.getByRole('button', { name: 'Accept this certificate…' });
    await window.tabTo(accept);
    await keyboard.press('Enter');
    const question = window.page.getByRole('dialog', { name: 'Accept this certificate?' });
    await expect(question).toContainText('sightglass.test');
    await expect(question).toContainText(new X509Certificate(cert).fingerprint256);
    if (app.host === 'web') expect(await findings(window.page, '[role=dialog]')).toEqual([]);
    await keyboard.press('Escape');
    await expect(question).toBeHidden();
    await expect(accept).toBeFocused();
    await keyboard.press('Enter');
    await window.tabTo(question.getByRole('button', { name: 'Accept and connect' }));
    expect(server.requests).toEqual([]);
    await keyboard.press('Enter');
    await window.expectPhase('ready');
  });
});
