import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { expect, test } from './app.ts';
import { AuthorizationPane } from './authorization-pane.ts';
import { only } from './hosts/only.ts';
import { addUrl } from './http-servers.ts';
import { KeyRing, whyNoKeyRing } from './key-ring.ts';

test(
  'credentials in the key ring of the system survive a restart, and are worthless without it',
  only.electron,
  async ({ app }) => {
    const why = whyNoKeyRing();
    test.skip(why !== null, why ?? '');
    const server = await ProtectedServer.open();
    const folder = await mkdtemp(join(tmpdir(), 'sightglass-ring-'));
    const ring = await KeyRing.start(folder);
    // Playwright has Electron use no key ring; what is loaded after its own script has the last word.
    const script = join(folder, 'use-key-ring.cjs');
    await writeFile(
      script,
      "require('electron').app.commandLine.appendSwitch('password-store', 'gnome-libsecret');\n",
    );
    app.launch = { env: ring.environment, switches: ['-r', script] };
    try {
      const first = await AuthorizationPane.open(app);
      await addUrl(first.window, 'protected', server.url);
      await first.auth.openInBrowser();
      await first.window.expectPhase('ready');
      await first.auth.show();
      await first.auth.pane.getByRole('tab', { name: /^Credentials/ }).click();
      await expect(first.auth.pane.getByRole('list', { name: 'Stored credentials' })).toContainText(
        'kept after a restart',
      );
      const issued = server.authorization.tokens.all.map(({ value }) => value);
      expect(issued.length).toBeGreaterThan(0);
      const secrets = await readFile(join(app.home, 'secrets.json'), 'utf8');
      // Chromium marks what is encrypted with a key of the key ring with `v11`.
      expect(secrets).toContain(Buffer.from('v11').toString('base64'));
      for (const token of issued) expect(secrets).not.toContain(token);

      await app.close();
      const again = await AuthorizationPane.open(app);
      await again.window.server('protected').click();
      await again.window.page.getByRole('button', { name: 'Connect', exact: true }).first().click();
      await again.window.expectPhase('ready');
      expect(await app.keptUrls()).toEqual([]);
      expect(server.authorization.requestsTo('authorize')).toHaveLength(1);
      expect(server.app.requests.at(-1)?.header('Authorization')).toBe(`Bearer ${issued[0]}`);

      await app.close();
      app.launch = { env: {}, switches: [] };
      const without = await AuthorizationPane.open(app);
      await without.window.server('protected').click();
      await without.window.page.getByRole('button', { name: 'Connect', exact: true }).first().click();
      await without.auth.openInBrowser();
      await without.window.expectPhase('ready');
      await without.auth.show();
      await without.auth.pane.getByRole('tab', { name: /^Credentials/ }).click();
      await expect(without.auth.pane.getByRole('list', { name: 'Stored credentials' })).toContainText(
        'in memory',
      );
      expect(server.authorization.requestsTo('authorize')).toHaveLength(2);
    } finally {
      await app.close();
      await ring.close();
      await rm(folder, { recursive: true });
      await server.close();
    }
  },
);
