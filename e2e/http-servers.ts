import type { Script } from '#fixtures/http/scripted-app.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { ScriptedSseServer } from '#fixtures/http/scripted-sse-server.ts';
import type { ServerIdentity } from '#fixtures/http/listen.ts';
import { test as base } from './app.ts';
import type { Window } from './window.ts';

/** Starts servers over HTTP that a test scripts; they end with the test. */
export interface HttpServers {
  streamable(script?: Script, identity?: ServerIdentity): Promise<ScriptedHttpServer>;
  sse(): Promise<ScriptedSseServer>;
}

export const test = base.extend<{ servers: HttpServers }>({
  servers: async ({ app: _app }, use) => {
    const open: { close(): Promise<void> }[] = [];
    const keep = <S extends { close(): Promise<void> }>(server: S): S => {
      open.push(server);
      return server;
    };
    await use({
      streamable: async (script, identity) => keep(await ScriptedHttpServer.open(script, identity)),
      sse: async () => keep(await ScriptedSseServer.open()),
    });
    await Promise.all(open.map((server) => server.close()));
  },
});

/** Adds a server by its URL, and connects it. */
export async function addUrl(window: Window, name: string, url: string): Promise<void> {
  await window.servers.getByRole('button', { name: 'Add server' }).click();
  const form = window.page.getByRole('form', { name: 'Add a server' });
  await form.getByRole('radio', { name: 'URL (HTTP)' }).click();
  await form.getByRole('textbox', { name: 'URL', exact: true }).fill(url);
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByRole('button', { name: 'Save and connect' }).click();
}

/** Adds a server by its URL and waits until it is ready. */
export async function connectToUrl(window: Window, name: string, url: string): Promise<void> {
  await addUrl(window, name, url);
  await window.expectPhase('ready');
}
