import { basename, join } from 'node:path';
import type { Locator } from 'playwright/test';
import { startEverything } from '#fixtures/http/start-server.ts';
import { manyToolsServer } from '#fixtures/many-tools/command.ts';
import { startModernServer } from '#fixtures/modern/start.ts';
import { type App, expect, test } from './app.ts';
import { connectToUrl } from './http-servers.ts';
import { PromptsPane } from './prompts-pane.ts';
import { RecordedList } from './recorded-list.ts';
import { ResourcesPane } from './resources-pane.ts';
import { type Command, everything, published, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** The parts of the Overview that say what was agreed on. */
const overviewParts = ['Server', 'What it offers', 'Connection', 'Server capabilities', 'Instructions'];

/** Parts of the panes, by name, as they read on the screen. */
async function shown(window: Window): Promise<Record<string, string>> {
  const { page } = window;
  const read = async (part: Locator, content = /./): Promise<string> => {
    await expect(part).toContainText(content);
    return part.innerText();
  };
  const texts: Record<string, string> = {};
  const overview = page.getByRole('tabpanel', { name: 'Overview' });
  await page.getByRole('tab', { name: 'Overview' }).click();
  for (const part of overviewParts) {
    texts[part] = await read(overview.getByRole('region', { name: part, exact: true }));
  }
  const client = overview.getByRole('region', { name: 'Client capabilities' });
  texts.client = await read(client.getByRole('table'));
  const tools = new ToolsPane(window);
  await tools.choose('echo');
  texts.tools = await read(tools.pane.getByRole('listbox', { name: 'Tools' }));
  // Only a call of a session that may still run can be saved.
  texts.result = (await read(tools.result, /Echo/)).replace('Save call…\n', '');
  const resources = new ResourcesPane(window);
  await resources.show();
  texts.resources = await read(resources.tree);
  await resources.tree.getByRole('treeitem', { name: 'architecture.md' }).click();
  texts.contents = await read(resources.contents, /How It Works/);
  const prompts = new PromptsPane(window);
  await prompts.choose('args-prompt');
  texts.prompts = await read(prompts.list);
  texts.messages = await read(prompts.messages, /Bern/);
  return texts;
}

async function record(app: App): Promise<Record<string, string>> {
  const window = new Window(await app.open(...everything));
  await window.expectPhase('ready');
  const tools = new ToolsPane(window);
  await tools.call('echo', { message: 'kept' });
  await tools.expectOutcome('ok');
  const resources = new ResourcesPane(window);
  await resources.read('architecture.md');
  await expect(resources.contents).toBeVisible();
  const prompts = new PromptsPane(window);
  await prompts.choose('args-prompt');
  await prompts.pane.getByRole('combobox', { name: 'city' }).fill('Bern');
  await prompts.pane.getByRole('button', { name: 'Get prompt' }).click();
  await expect(prompts.messages).toContainText('Bern');
  await window.page.getByRole('button', { name: 'Disconnect' }).click();
  await window.expectPhase('closed');
  return shown(window);
}

test('a recorded trace shows the panes of its session after a restart, without the server', async ({
  app,
}) => {
  const live = await record(app);
  expect(live.result).toContain('Echo: kept');
  const window = new Window(await app.restart());
  const list = new RecordedList(window.page);
  await list.region.locator('[data-trace]').click();
  await expect(window.status).toContainText('recorded');
  expect(await shown(window)).toEqual(live);
  // Nothing can be sent to a server that is gone.
  const prompts = new PromptsPane(window);
  await expect(prompts.pane.getByRole('button', { name: /^Get/ })).toBeDisabled();
  await expect(prompts.pane).toContainText('This session was recorded');
  await window.page.keyboard.press('ControlOrMeta+1');
  await expect(window.page.getByRole('region', { name: 'Origin' })).toContainText('closed');
});

interface Listed {
  /** Connects to the server under this name; what it returns ends the server. */
  readonly connect: (window: Window, name: string, app: App) => Promise<(() => Promise<void>) | null>;
  readonly tool: string;
  /** Null where the server has none. */
  readonly resource: string | null;
  readonly prompt: string | null;
}

const start =
  (command: (app: App) => Command): Listed['connect'] =>
  async (window, name, app) => {
    await window.connectTo(name, typed(command(app)));
    return null;
  };

const request =
  (open: () => Promise<{ readonly url: string; close(): Promise<void> }>): Listed['connect'] =>
  async (window, name) => {
    const server = await open();
    await connectToUrl(window, name, server.url);
    return () => server.close();
  };

const manyTools = manyToolsServer(1000);

/** By the name that each is given in the window. */
const servers: Readonly<Record<string, Listed>> = {
  'everything over HTTP': {
    connect: request(() => startEverything('streamableHttp')),
    tool: 'get-sum',
    resource: 'architecture.md',
    prompt: 'args-prompt',
  },
  'everything over SSE': {
    connect: request(() => startEverything('sse')),
    tool: 'get-sum',
    resource: 'architecture.md',
    prompt: 'args-prompt',
  },
  filesystem: {
    connect: start((app) => published('server-filesystem', app.home)),
    tool: 'read_text_file',
    resource: null,
    prompt: null,
  },
  memory: {
    connect: start((app) => [
      'env',
      `MEMORY_FILE_PATH=${join(app.home, 'memory.jsonl')}`,
      ...published('server-memory'),
    ]),
    tool: 'read_graph',
    resource: 'knowledge-graph',
    prompt: null,
  },
  modern: {
    connect: request(() => startModernServer()),
    tool: 'ask-two',
    resource: 'bytes',
    prompt: 'greet',
  },
  'a thousand tools': {
    connect: start(() => [manyTools.command, ...manyTools.args]),
    tool: 'export_customer_0905',
    resource: null,
    prompt: null,
  },
};

/** What the four panes list, as it reads on the screen. */
async function listed(
  window: Window,
  { tool, resource, prompt }: Listed,
): Promise<Record<string, string | string[]>> {
  const texts: Record<string, string | string[]> = {};
  await window.show('Overview');
  for (const part of ['Server', 'Server capabilities']) {
    const region = window.pane('Overview').getByRole('region', { name: part, exact: true });
    await expect(region).toContainText(/./);
    // A level can be set only while the session runs.
    texts[part] = (await region.innerText()).replace(/\nLog level[^]*/, '');
  }
  const tools = new ToolsPane(window);
  await tools.choose(tool);
  texts.tool = (await tools.pane.getByRole('listbox', { name: 'Tools' }).textContent()) ?? '';
  texts.tools = await tools.pane.getByText(/^\d+ of [\d,]+$/).innerText();
  const resources = new ResourcesPane(window);
  await resources.show();
  if (resource === null) await expect(resources.pane).toContainText('offers no resources');
  else {
    await expect(resources.tree).toContainText(resource);
    // What is not painted yet has no inner text.
    texts.resources = (await resources.tree.textContent()) ?? '';
  }
  const prompts = new PromptsPane(window);
  await prompts.show();
  if (prompt === null) await expect(prompts.pane).toContainText('offers no prompts');
  else {
    await expect(prompts.list).toContainText(prompt);
    texts.prompts = await prompts.list.getByRole('option').allTextContents();
  }
  return texts;
}

test('the lists of six servers are shown, and by their traces when they are gone', async ({ app }) => {
  test.setTimeout(240_000);
  const live = new Window(await app.open());
  const before = new Map<string, Record<string, string | string[]>>();
  const traces = new Map<string, string>();
  for (const [name, server] of Object.entries(servers)) {
    await test.step(`${name}, connected`, async () => {
      const end = await server.connect(live, name, app);
      try {
        before.set(name, await listed(live, server));
        await live.page.getByRole('button', { name: 'Disconnect' }).click();
        await live.expectPhase('closed');
      } finally {
        await end?.();
      }
      // The trace is listed once the session has ended.
      const rows = new RecordedList(live.page).region.locator('[data-trace]');
      await expect(rows).toHaveCount(before.size);
      const paths = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-trace') ?? ''));
      traces.set(name, paths.find((path) => ![...traces.values()].includes(path)) ?? 'none');
    });
  }
  const window = new Window(await app.restart());
  for (const [name, server] of Object.entries(servers)) {
    await test.step(`${name}, recorded`, async () => {
      const path = traces.get(name) ?? 'none';
      await new RecordedList(window.page).region.locator(`[data-trace="${path}"]`).click();
      await expect(window.status).toContainText('recorded');
      await expect(window.status).toContainText(basename(path));
      expect(await listed(window, server)).toEqual(before.get(name));
    });
  }
});
