import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { filesIn, secretsOf, writtenForms } from '#fixtures/authorization/secrets-of.ts';
import type { Page } from 'playwright/test';
import { expect, test } from './app.ts';
import { addProtected, AuthorizationPane } from './authorization-pane.ts';
import { descendantsOf } from './processes.ts';

const client = { id: 'me', secret: 'planted secret: ä+&%' };

test('secrets of flows are in no storage of the page and no process list, and in no file or output when the engine dies in the middle', async ({
  app,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-crash-'));
  const server = await ProtectedServer.open({
    authorization: {
      clients: [
        {
          clientId: client.id,
          secret: client.secret,
          redirectUris: [],
          authMethod: 'client_secret_post',
        },
      ],
      metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
    },
  });
  try {
    const crash = join(folder, 'crash.mjs');
    await writeFile(crash, "process.on('SIGUSR2', () => { throw new Error('crash of a test'); });\n");
    // Electron takes no scripts from its environment; there the signal of an abort ends it.
    const isWeb = app.host === 'web';
    if (isWeb) app.launch = { env: { NODE_OPTIONS: `--import=${pathToFileURL(crash).href}` }, switches: [] };
    const { window, auth } = await AuthorizationPane.open(app);
    await addProtected(window, server.url, { name: 'protected', client });
    await auth.openInBrowser();
    await window.expectPhase('ready');

    await auth.show();
    await auth.pane.getByRole('radio', { name: 'Stepped' }).click();
    await auth.pane.getByRole('button', { name: 'Begin' }).click();
    await auth.sendUpTo(/Authorization, stopped/);
    await auth.send.click();
    await auth.openInBrowser(undefined, 'stepped');
    await auth.expectSelected(/Token exchange, stopped/);
    // Each is shown once, as the user may.
    const verifier = auth.request.getByRole('textbox', { name: 'Value of code_verifier' });
    await auth.request.getByRole('button', { name: 'Show code_verifier' }).click();
    await expect(verifier).toHaveValue(/^[\w~.-]{43,}$/);

    const secrets = secretsOf(server);
    for (const form of writtenForms(await verifier.inputValue())) secrets.add(form);
    expect(secrets.size).toBeGreaterThan(10);
    expectNone(secrets, 'storage of the page', await storageOf(app.page));
    const pids = [app.enginePid, ...descendantsOf(app.enginePid).map(({ pid }) => pid)];
    if (process.platform === 'linux') expect(await processText(app.enginePid)).toContain(app.home);
    for (const pid of pids) expectNone(secrets, `process ${pid}`, await processText(pid));

    app.expectComplaint(/WebSocket|ERR_CONNECTION/);
    process.kill(app.enginePid, isWeb ? 'SIGUSR2' : 'SIGABRT');
    await app.ended;
    await app.close();
    if (isWeb) expect(app.printed).toContain('crash of a test');
    expectNone(secrets, 'output', app.printed);
    const files = await filesIn(app.home);
    expect(files.some((text) => text.includes('authorization-request'))).toBe(true);
    for (const text of files) expectNone(secrets, 'file', text);
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
});

function expectNone(secrets: ReadonlySet<string>, where: string, text: string): void {
  const found = [...secrets].filter((secret) => text.includes(secret));
  expect(found, `${where}: ${text.slice(0, 200)}`).toEqual([]);
}

/** All that the page keeps: both storages, cookies, databases and caches. */
async function storageOf(page: Page): Promise<string> {
  const stored = await page.evaluate(async () => {
    const databases = await Promise.all(
      (await indexedDB.databases()).map(
        ({ name = '' }) =>
          new Promise((resolve, reject) => {
            const opening = indexedDB.open(name);
            opening.onerror = () => reject(new Error(`${name} cannot be opened`));
            opening.onsuccess = async () => {
              const database = opening.result;
              const stores = [...database.objectStoreNames].map(
                (store) =>
                  new Promise((found) => {
                    const all = database.transaction(store).objectStore(store).getAll();
                    all.onsuccess = () => found(all.result);
                  }),
              );
              resolve(await Promise.all(stores));
            };
          }),
      ),
    );
    const cached: string[] = [];
    // A page of a scheme of its own has no caches.
    for (const name of await caches.keys().catch(() => [])) {
      for (const request of await (await caches.open(name)).keys()) cached.push(request.url);
    }
    return {
      local: { ...localStorage },
      session: { ...sessionStorage },
      cookies: document.cookie,
      databases,
      cached,
      address: location.href,
      history: JSON.stringify(history.state),
    };
  });
  const cookies = await page.context().cookies(page.url().startsWith('http') ? page.url() : undefined);
  return JSON.stringify({ stored, cookies });
}

/** The command line of a process and, on Linux, its environment. */
async function processText(pid: number): Promise<string> {
  if (process.platform !== 'linux')
    return descendantsOf(process.pid).find((one) => one.pid === pid)?.command ?? '';
  const texts = await Promise.all(
    ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
  );
  return texts.join('\n');
}
