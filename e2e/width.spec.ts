import { expect, type Locator, type Page } from 'playwright/test';
import { rowKinds } from '#shared/trace/row.ts';
import { test } from './app.ts';
import { only } from './hosts/only.ts';
import { RecordedList } from './recorded-list.ts';
import { demo, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { NO_EXCESS, Window } from './window.ts';

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
  { kind: 'definitions', since: 0, changes: { [long.slice(0, 5000)]: {} } },
  { kind: 'authorization', what: long.slice(0, 5000), flow: {}, steps: [] },
  { kind: 'phase', phase: 'closed' },
];

const linesOf = (first: object, all: readonly object[]) =>
  [first, ...all.map((record, seq) => ({ seq, at: 1000 + seq * 1000, ...record }))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

const trace = linesOf(header, records);

/** The session of a server whose names are long and whose lists have more than fits. */
const LONG_NAMES = 'long-names.mcptrace';
const LONG_KEY = 'structuredContentSchemaVersion';

function longNames(): string {
  const title = 'Recalculate the invoices of all warehouses and of their shipments of the last year';
  const name = (of: number) => `recalculate_invoices_of_all_warehouses_and_shipments_${of}`;
  const keys = [
    LONG_KEY,
    'warehouseIdentifierOfTheOrigin',
    'shipmentsPerInvoiceAndYear',
    'reader',
    'quarter',
  ];
  const many = Array.from({ length: 12 }, (_, of) => of);
  const description = 'Recalculates what has changed since then. '.repeat(6);
  const properties = Object.fromEntries(keys.map((key) => [key, { type: 'string' }]));
  const annotations = { destructiveHint: true, idempotentHint: false, openWorldHint: true };
  const inputSchema = { type: 'object', properties, required: keys.slice(0, 2) };
  const args = keys.map((key) => ({ name: key, required: true }));
  const uriOf = (of: number) =>
    `warehouse://inventories/${LONG_KEY}/europe-west-1/shelves-and-rows-${of}.json`;
  const answers: readonly (readonly [method: string, params: object, result: object])[] = [
    [
      'initialize',
      { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'sightglass', version: '0' } },
      {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: 'a-server-with-the-name-of-the-team-for-warehouses-and-billing', version: '1' },
      },
    ],
    [
      'tools/list',
      {},
      { tools: many.map((of) => ({ name: name(of), title, description, annotations, inputSchema })) },
    ],
    ['resources/list', {}, { resources: many.map((of) => ({ name: name(of), title, uri: uriOf(of) })) }],
    ['resources/templates/list', {}, { resourceTemplates: [] }],
    [
      'prompts/list',
      {},
      { prompts: many.map((of) => ({ name: name(of), title, description, arguments: args })) },
    ],
    [
      'tools/call',
      { name: name(0), arguments: { [LONG_KEY]: '1' } },
      {
        content: [],
        structuredContent: { [LONG_KEY]: { authorization_response_iss_parameter_supported: true } },
      },
    ],
  ];
  const stdio = (direction: 'in' | 'out', of: object) => ({
    kind: 'unit',
    direction,
    channel: direction === 'out' ? 'stdin' : 'stdout',
    ...bytes(JSON.stringify({ jsonrpc: '2.0', ...of })),
  });
  return linesOf(
    { ...header, server: { name: 'long names', transport: 'stdio', command: 'server', args: [] } },
    [
      { kind: 'phase', phase: 'initializing' },
      ...answers.flatMap(([method, params, result], id) => [
        stdio('out', { id, method, params }),
        stdio('in', { id, result }),
        ...(id === 0 ? [{ kind: 'phase', phase: 'ready' }] : []),
      ]),
      { kind: 'phase', phase: 'closed' },
    ],
  );
}

/**
 * Texts that are cut off although no tooltip tells the rest. The pointer is moved over each first, as a user does to read it.
 */
const cutTexts = (page: Page) =>
  page.evaluate(() => {
    const cut = [...document.querySelectorAll<HTMLElement>('body *')].filter((element) => {
      if (element.scrollWidth <= element.clientWidth || element.clientWidth === 0) return false;
      if (!element.checkVisibility({ visibilityProperty: true })) return false;
      const { overflowX, textOverflow } = getComputedStyle(element);
      const hasText = [...element.childNodes].some(
        ({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && textContent?.trim() !== '',
      );
      return (
        textOverflow === 'ellipsis' || (hasText && overflowX === 'hidden' && !element.matches('.sr-only'))
      );
    });
    const hasTooltip = (element: HTMLElement): boolean => {
      element.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      const explained = element.closest(
        '[title]:not([title=""]), [data-state][aria-describedby], input, textarea',
      );
      return explained !== null;
    };
    return cut
      .filter((element) => !hasTooltip(element))
      .map((element) => `${element.tagName} ${element.className}: ${element.innerText.slice(0, 60)}`);
  });

/** How many of the elements are whole inside what is shown of their pane, above what sticks to its bottom. */
const shownWhole = (places: Locator) =>
  places.evaluateAll(
    (elements) =>
      elements.filter((element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        const corners = [
          [left + 2, top + 2],
          [right - 2, bottom - 2],
        ] as const;
        return corners.every(([x, y]) => {
          const found = document.elementFromPoint(x, y);
          return found !== null && (element.contains(found) || found.contains(element));
        });
      }).length,
  );

/** A heading has one line, and what it does not show is in its tooltip. */
const isOneLine = async (heading: Locator): Promise<void> => {
  await expect(heading).toBeVisible();
  expect((await heading.boundingBox())?.height).toBeLessThan(30);
  await heading.hover();
  const { isCut, hasTooltip } = await heading.evaluate((element) => ({
    isCut: element.scrollWidth > element.clientWidth,
    hasTooltip: element.getAttribute('title') === element.textContent.trim(),
  }));
  expect(hasTooltip).toBe(isCut);
};

/** Nothing covers it, and it has its size. */
const isWhole = async (button: Locator): Promise<void> => {
  await expect.poll(() => shownWhole(button)).toBe(1);
  expect((await button.boundingBox())?.width).toBeGreaterThanOrEqual(20);
};

const sizes = [
  { width: 1024, height: 700, fields: 2 },
  { width: 1280, height: 800, fields: 4 },
  { width: 1440, height: 900, fields: 4 },
  { width: 1920, height: 1080, fields: 4 },
] as const;

test.describe('everything has room', only.page, () => {
  for (const { width, height, fields } of sizes) {
    test(`whatever pane, row and tab is shown, at ${width}x${height}`, async ({ app }) => {
      test.slow();
      const window = new Window(await app.open());
      const { page, trace: table } = window;
      await page.setViewportSize({ width, height });
      const fine = async (where: string) => {
        expect.soft(await window.excess(), where).toEqual(NO_EXCESS);
        expect.soft(await cutTexts(page), where).toEqual([]);
      };

      await test.step('two servers of nearly the same long name are told apart', async () => {
        await window.connectTo('everything, the build of this morning', typed(demo));
        await window.addServer('everything, the build of yesterday', typed(demo));
        await expect(window.server('everything, the build of yesterday')).toContainText('ready');
        for (const name of await window.servers.locator('[data-server]').all()) {
          expect(await name.evaluate((row) => row.scrollWidth <= row.clientWidth)).toBe(true);
        }
        await fine('servers');
      });

      await test.step('a form or a list has enough in view while the trace is open', async () => {
        const tools = new ToolsPane(window);
        await tools.show();
        await expect(tools.pane.getByRole('option').first()).toBeVisible();
        const options = tools.pane.getByRole('listbox', { name: 'Tools' }).getByRole('option');
        await expect.poll(() => shownWhole(options)).toBeGreaterThanOrEqual(8);
        await tools.choose('plan_trip');
        await expect(tools.pane.getByRole('textbox', { name: 'traveller', exact: true })).toBeVisible();
        const controls = tools.pane.locator('[data-tool]').getByRole('textbox');
        await expect.poll(() => shownWhole(controls)).toBeGreaterThanOrEqual(fields);
        await fine('a large form');
      });

      await test.step('the filter of the trace has room to type, and its menu what the bar leaves out', async () => {
        const filter = table.region.getByRole('combobox', { name: 'Filter the trace' });
        await filter.fill('is:error dur:>200ms');
        await expect.poll(async () => (await filter.boundingBox())?.width).toBeGreaterThanOrEqual(240);
        const after = table.region.getByRole('button', { name: /^Maximize the trace/ });
        await isWhole(after);
        await filter.fill('');
        await table.region.getByRole('button', { name: 'Usual and saved filters' }).press('Enter');
        const asks = page
          .getByRole('dialog', { name: 'Filters' })
          .getByRole('button', { name: /^Server asks/ });
        await window.tabTo(asks);
        await page.keyboard.press('Escape');
      });

      await test.step('no pane is too wide or cuts a text without a tooltip', async () => {
        const tabs = page.getByRole('tablist', { name: 'Panes' }).getByRole('tab');
        for (const tab of await tabs.all()) {
          await tab.click();
          await expect(tab).toHaveAttribute('aria-selected', 'true');
          await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
          await fine((await tab.textContent()) ?? '');
        }
        await page.keyboard.press('Alt+E');
        await expect(page.getByRole('form')).toBeVisible();
        await fine('settings of a server');
        await page.keyboard.press('ControlOrMeta+,');
        await expect(page.getByRole('region', { name: 'Settings' })).toBeVisible();
        await fine('settings');
      });

      await test.step('long names leave the forms, the lists and the buttons their room', async () => {
        await new RecordedList(page).drop({ name: LONG_NAMES, text: longNames() });
        await expect(page.getByRole('banner')).toContainText('long-names');
        await expect(window.status).not.toContainText(/reading|checking/);
        const titled = /^Recalculate the invoices/;

        await window.show('Tools');
        const tools = new ToolsPane(window).pane;
        await tools.getByRole('option').first().click();
        await expect(tools.getByRole('textbox', { name: LONG_KEY })).toBeVisible();
        await expect.poll(() => shownWhole(tools.getByRole('option'))).toBeGreaterThanOrEqual(8);
        await expect
          .poll(() => shownWhole(tools.locator('[data-tool]').getByRole('textbox')))
          .toBeGreaterThanOrEqual(fields);
        await isOneLine(tools.getByRole('heading', { name: titled }));
        await isWhole(tools.getByRole('button', { name: 'Copy the name' }));
        await fine('a tool of a long name');

        await window.show('Prompts');
        const prompts = window.pane('Prompts');
        await prompts.getByRole('option').first().click();
        const args = prompts.getByRole('combobox');
        await expect(args.first()).toBeVisible();
        await expect.poll(() => shownWhole(prompts.getByRole('option'))).toBeGreaterThanOrEqual(8);
        await expect.poll(() => shownWhole(args)).toBeGreaterThanOrEqual(fields);
        await isOneLine(prompts.getByRole('heading', { name: titled }));
        await isWhole(prompts.getByRole('button', { name: 'Copy the name' }));
        await fine('a prompt of a long name');

        await window.show('Resources');
        const resources = window.pane('Resources');
        const listed = resources.getByRole('treeitem').filter({ hasText: 'shelves-and-rows' });
        await listed.first().click();
        await expect.poll(() => shownWhole(resources.getByRole('treeitem'))).toBeGreaterThanOrEqual(8);
        await isOneLine(resources.getByRole('heading', { name: titled }));
        await isWhole(resources.getByRole('button', { name: 'Copy the URI' }));
        await fine('a resource of a long name');

        await table.rows('tools/call').last().click();
        await expect(table.detail.getByRole('radio', { name: 'Response' })).toBeVisible();
        await table.detail.getByRole('radio', { name: 'Response' }).click();
        await expect.poll(() => shownWhole(table.detail.getByText('"result"'))).toBe(1);
        await fine('the detail of a call');
      });

      await test.step('no row of a trace with endless words makes the window wider', async () => {
        await new RecordedList(page).drop({ name: 'wide.mcptrace', text: trace });
        await expect(page.getByRole('banner')).toContainText('wide');
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
            expect(await window.excess(), where).toEqual(NO_EXCESS);
          }
          await table.table.focus();
          await page.keyboard.press('ArrowDown');
        }
        expect(seen.size).toBeGreaterThan(2 * rowKinds.length);
      });
    });
  }
});

test('a form takes the whole height, also after a reload, and leaves it to the trace when it is closed', async ({
  app,
}) => {
  const window = new Window(await app.open());
  const { page, trace: table } = window;
  await window.connectTo('demo', typed(demo));
  await window.show('Prompts');
  await expect(table.table).toBeVisible();
  const form = page.getByRole('form', { name: 'Settings of demo' });
  const maximize = page.getByRole('button', { name: 'Maximize the form' });
  const restore = page.getByRole('button', { name: 'Restore the form' });

  await test.step('the settings of the server hide the trace by their button, and show it again by the keys', async () => {
    await page.keyboard.press('Alt+E');
    await expect(form).toBeVisible();
    await expect(table.table).toBeVisible();
    await maximize.click();
    await expect(table.table).toBeHidden();
    await page.keyboard.press('Alt+Shift+P');
    await expect(table.table).toBeVisible();
    await maximize.press('Enter');
    await expect(table.table).toBeHidden();
  });

  await test.step('the pane behind it has the trace below it as before', async () => {
    await page.keyboard.press('Escape');
    await expect(window.pane('Prompts')).toBeVisible();
    await expect(table.table).toBeVisible();
    await expect(page.getByRole('button', { name: 'Maximize the pane' })).toBeVisible();
  });

  await test.step('after a reload, the settings of Sightglass and an export have the whole height too', async () => {
    await page.reload();
    await expect(table.table).toBeVisible();
    await page.keyboard.press('ControlOrMeta+,');
    await expect(page.getByRole('region', { name: 'Settings', exact: true })).toBeVisible();
    await expect(restore).toBeVisible();
    await expect(table.table).toBeHidden();
    await new RecordedList(page).command('Export trace…');
    await expect(page.getByRole('form', { name: 'Export' })).toBeVisible();
    await expect(restore).toBeVisible();
    await restore.click();
    await expect(table.table).toBeVisible();
    await page.keyboard.press('Escape');
  });

  await test.step('a form that is opened while the trace has the whole height takes its part', async () => {
    await expect(window.pane('Prompts')).toBeVisible();
    await page.keyboard.press('Alt+Shift+T');
    await expect(window.pane('Prompts')).toBeHidden();
    await page.keyboard.press('Alt+E');
    await expect(form.getByLabel('Command line')).toBeVisible();
    await expect(table.table).toBeVisible();
  });
});
