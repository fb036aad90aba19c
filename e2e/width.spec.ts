import { expect, type Page } from 'playwright/test';
import { rowKinds } from '#shared/trace/row.ts';
import { test } from './app.ts';
import { RecordedList } from './recorded-list.ts';
import { Window } from './window.ts';

/** A word that nothing breaks by itself. */
const long = 'long-'.repeat(40_000);

const header = {
  format: 'mcptrace',
  version: 1,
  app: { name: 'sightglass', version: '0.0.0' },
  createdAt: '2026-01-02T03:04:05.678Z',
  clock: { at: 0, wall: Date.parse('2026-01-02T03:04:05.678Z') },
  server: { name: 'wide', transport: 'http', url: 'http://127.0.0.1:1/mcp' },
};

const bytes = (text: string) => ({ text, size: text.length });
const unit = (direction: 'in' | 'out', text: string) => ({
  kind: 'unit',
  direction,
  channel: 'http',
  exchange: 1,
  ...bytes(text),
});
const message = (direction: 'in' | 'out', of: object) =>
  unit(direction, JSON.stringify({ jsonrpc: '2.0', ...of }));

/** Each kind of row, with texts as long as a server likes. */
const records: readonly object[] = [
  { kind: 'phase', phase: 'connecting', reason: long.slice(0, 5000) },
  {
    kind: 'process',
    change: {
      what: 'spawn',
      command: long.slice(0, 5000),
      args: [long.slice(0, 5000)],
      cwd: '/',
      env: [],
      pid: 1,
    },
  },
  {
    kind: 'http-request',
    exchange: 1,
    method: 'POST',
    url: `http://127.0.0.1:1/mcp?${long.slice(0, 5000)}`,
    headers: [['X-Long', long.slice(0, 5000)]],
    bodySize: 10,
    origin: 'user',
  },
  message('out', { id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: long } } }),
  {
    kind: 'http-response',
    exchange: 1,
    status: 200,
    reason: 'OK',
    httpVersion: '1.1',
    headers: [['Set-Long', long.slice(0, 5000)]],
  },
  { kind: 'sse', exchange: 1, ...bytes(`: ${long}\n\n`) },
  message('in', { method: 'notifications/message', params: { level: 'info', data: long } }),
  message('in', { id: 1, result: { content: [{ type: 'text', text: long }] } }),
  message('in', { id: 2, error: { code: -32000, message: long } }),
  message('in', { id: 3, result: long, error: long }),
  unit('in', long),
  { kind: 'http-body', exchange: 1, direction: 'in', ...bytes(`<html>${long}`) },
  { kind: 'http-end', exchange: 1, how: 'complete', size: 10 },
  { kind: 'stderr', ...bytes(long) },
  { kind: 'switches', on: ['No `Accept` header', long.slice(0, 5000)] },
  { kind: 'authorization', what: long.slice(0, 5000), flow: {}, steps: [] },
  { kind: 'phase', phase: 'closed' },
];

const trace = [header, ...records.map((record, seq) => ({ seq, at: 1000 + seq * 1000, ...record }))]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

/** By how many pixels the document, the shell, or a scrolled shell exceeds the window. */
const excess = (page: Page) =>
  page.evaluate(() => {
    const shell = document.querySelector('main')?.parentElement;
    const root = document.documentElement;
    return {
      document: root.scrollWidth - innerWidth,
      body: document.body.scrollWidth - innerWidth,
      shell: (shell?.scrollWidth ?? Number.NaN) - innerWidth,
      parts: Math.max(
        ...[...(shell?.children ?? [])].map(
          (part) => Math.ceil(part.getBoundingClientRect().right) - innerWidth,
        ),
      ),
    };
  });

test.describe('the window is never wider than the screen', () => {
  for (const width of [1024, 1280, 1920]) {
    test(`whatever row and tab is shown, at ${width} pixels`, async ({ app }) => {
      const window = new Window(await app.open());
      const { page, trace: table } = window;
      await page.setViewportSize({ width, height: 800 });
      await new RecordedList(page).drop({ name: 'wide.mcptrace', text: trace });
      await expect(window.status).toContainText('recorded');
      await expect.poll(() => table.count()).toBeGreaterThanOrEqual(rowKinds.length);
      await expect(window.status).not.toContainText(/reading|checking/);
      const count = await table.count();
      await table.table.focus();
      await page.keyboard.press('Home');
      const seen = new Set<string>();
      for (let place = 0; place < count; place++) {
        // The tabs are those of this row as soon as its facts are.
        const facts = table.detail.locator('p', { hasText: new RegExp(`^#${place + 1}\\s`) });
        await expect(facts.first()).toBeVisible();
        const tabs = table.detail.getByRole('tab');
        for (const tab of await tabs.all()) {
          await tab.click();
          await expect(tab).toHaveAttribute('aria-selected', 'true');
          const where = `row ${place + 1}, ${(await tab.textContent()) ?? ''}`;
          seen.add(where);
          expect(await excess(page), where).toEqual({ document: 0, body: 0, shell: 0, parts: 0 });
        }
        await table.table.focus();
        await page.keyboard.press('ArrowDown');
      }
      expect(seen.size).toBeGreaterThan(2 * rowKinds.length);
    });
  }
});
