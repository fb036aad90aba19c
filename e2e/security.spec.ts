// What docs/security.md promises of the page, in a real browser: against pages of other origins, and against what a
// server sends.
import type { Page } from 'playwright/test';
import { listen } from '#fixtures/http/listen.ts';
import { type App, expect } from './app.ts';
import { connectToUrl, test } from './http-servers.ts';
import { only } from './hosts/only.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** What a page can do to another one, as a script that tells what came of it. */
async function attack(page: Page, target: string): Promise<Record<string, string>> {
  return page.evaluate(async (address) => {
    const read = async (settings: RequestInit) => {
      const response = await fetch(address, settings);
      return `${response.type} ${(await response.text()).length}`;
    };
    const socket = () =>
      new Promise<string>((resolve) => {
        const one = new WebSocket(`${address.replace('http', 'ws')}engine`);
        one.addEventListener('open', () => resolve('open'));
        one.addEventListener('error', () => resolve('refused'));
      });
    const frame = () =>
      new Promise<string>((resolve) => {
        const one = document.createElement('iframe');
        one.src = address;
        // A browser lets nobody look into a frame of another origin, and shows a refused one as such.
        one.addEventListener('load', () => resolve(one.contentDocument === null ? 'unreadable' : 'readable'));
        document.body.append(one);
      });
    const popup = async () => {
      const one = window.open(address);
      // A page that isolates itself leaves its opener with a window that is closed.
      for (let turn = 0; turn < 200; turn++) {
        if (one === null || one.closed) return 'severed';
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return 'held';
    };
    const outcome = async (what: Promise<string>) => what.catch((error: unknown) => String(error));
    return {
      fetch: await outcome(read({})),
      'fetch without CORS': await outcome(read({ mode: 'no-cors' })),
      WebSocket: await outcome(socket()),
      frame: await outcome(frame()),
      popup: await outcome(popup()),
    };
  }, target);
}

test.describe('a page of another origin', only.web, () => {
  test('neither reads, frames, holds nor speaks to the app', async ({ app }) => {
    const window = new Window(await app.open());
    await expect(window.servers).toBeVisible();
    const hostile = await listen((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>hostile</title><body>hostile</body>');
    });
    try {
      const page = await app.page.context().newPage();
      await page.goto(hostile.origin);
      const target = new URL('/', app.address).href;
      expect(await attack(page, target)).toEqual({
        fetch: 'TypeError: Failed to fetch',
        'fetch without CORS': 'TypeError: Failed to fetch',
        WebSocket: 'refused',
        frame: 'unreadable',
        popup: 'severed',
      });
      // The same attack does reach a page that does not defend itself.
      const open = await listen((_, response) => {
        response.setHeader('access-control-allow-origin', '*');
        response.end('<title>open</title>');
      });
      try {
        expect(await attack(page, `${open.origin}/`)).toMatchObject({ fetch: 'cors 19', popup: 'held' });
      } finally {
        await open.close();
      }
      await expect(window.servers).toBeVisible();
    } finally {
      await hostile.close();
    }
  });
});

test('nothing that a server sends is run, fetched or followed without a click', async ({ app, servers }) => {
  const fetched: string[] = [];
  const elsewhere = await listen((request, response) => {
    fetched.push(request.url ?? '');
    response.end();
  });
  try {
    await expectHarmless(app, await hostileServer(servers, elsewhere.origin));
    expect(fetched).toEqual([]);
  } finally {
    await elsewhere.close();
  }
});

/** A server whose every text is markup that would run a script or fetch something, were it taken for markup. */
async function hostileServer(servers: Parameters<Parameters<typeof test>[2]>[0]['servers'], origin: string) {
  const run = "document.title='owned';window.owned=true";
  const html = `<img src="${origin}/img" onerror="${run}"><script src="${origin}/js"></script><script>${run}</script>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"><image href="${origin}/svg"/></svg>`;
  const markdown = `![x](${origin}/markdown) [click](javascript:${run})`;
  const text = `${html}${svg}${markdown}`;
  const icons = [
    { src: `${origin}/icon.png` },
    { src: `data:image/svg+xml;base64,${btoa(svg)}`, mimeType: 'image/svg+xml' },
  ];
  return servers.streamable({
    era: 'legacy',
    handlers: {
      initialize: () => ({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: text, title: text, version: text, icons, websiteUrl: `javascript:${run}` },
        instructions: text,
      }),
      'tools/list': () => ({
        tools: [
          {
            name: 'hostile',
            title: text,
            description: text,
            icons,
            inputSchema: { type: 'object', title: text, description: text },
          },
        ],
      }),
      'tools/call': () => ({
        content: [
          { type: 'text', text },
          { type: 'image', data: btoa(svg), mimeType: 'image/svg+xml' },
          { type: 'resource_link', uri: `javascript:${run}`, name: text, description: text, icons },
          { type: 'resource', resource: { uri: `${origin}/embedded`, mimeType: 'text/html', text: html } },
        ],
        structuredContent: { html: text },
      }),
    },
  });
}

async function expectHarmless(app: App, { url }: { readonly url: string }): Promise<void> {
  const window = new Window(await app.open());
  await connectToUrl(window, 'hostile', url);
  const tools = new ToolsPane(window);
  await tools.call('hostile');
  await tools.expectOutcome('ok');
  await window.trace.filter('method:tools/call');
  await window.trace.rows('tools/call').last().click();
  await expect(window.trace.detail).toBeVisible();
  await window.show('Overview');
  const page = await window.page.evaluate(() => ({
    title: document.title,
    owned: 'owned' in globalThis,
    foreign: [...document.querySelectorAll('img, script, iframe, object, embed, image')]
      .map((element) => element.getAttribute('src') ?? element.getAttribute('href') ?? '')
      .filter((address) => /^https?:/.test(address) && !address.startsWith(location.origin)),
    links: [...document.querySelectorAll('a')].filter(({ href }) => href.startsWith('javascript:')).length,
  }));
  expect(page).toEqual({ title: 'Sightglass', owned: false, foreign: [], links: 0 });
}
