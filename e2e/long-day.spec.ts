import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEEPALIVES, longDay } from '#fixtures/trace/long-day.ts';
import { TRACE_FORMAT, TRACE_VERSION, type TraceHeader } from '#shared/trace/record.ts';
import { type App, expect, test } from './app.ts';
import { findings } from './axe.ts';
import { RecordedList } from './recorded-list.ts';
import { Window } from './window.ts';

/** What a server printed before it died: a stack trace, and lines before it that fill the table. */
function crash(wall: number): string {
  const header: TraceHeader = {
    format: TRACE_FORMAT,
    version: TRACE_VERSION,
    app: { name: 'sightglass', version: '0' },
    createdAt: new Date(wall).toISOString(),
    clock: { at: 0, wall },
    server: { name: 'notes', transport: 'stdio', command: 'node', args: ['notes.js'] },
  };
  const lines = Array.from({ length: 60 }, (_, line) => `note ${line}`);
  lines.push(STACK, `Error: the options were ${'{ "folder": "/srv/notes" }, '.repeat(70)}and no more`);
  const records = lines.map((text, seq) => ({ seq, at: seq, kind: 'stderr', text, size: text.length }));
  return [header, ...records].map((line) => `${JSON.stringify(line)}\n`).join('');
}
const STACK = '    at reserve (src/reserve.ts:48:31)';

/** Opens the trace of a long day: calls, a pause, and an hour in which a stream carried nothing but keepalives. */
async function openLongDay(app: App): Promise<Window> {
  const folder = join(app.home, 'traces');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'warehouse.mcptrace'), longDay(Date.parse('2026-11-22T14:02:11')));
  await writeFile(join(folder, 'notes.mcptrace'), crash(Date.parse('2026-11-21T09:00:00')));
  app.traceView = 'calls';
  const window = new Window(await app.open());
  await new RecordedList(window.page).rows('warehouse').click();
  await expect(window.status).toContainText('recorded');
  return window;
}

test.describe('the trace of a long day', () => {
  test('a brushed stretch of the session is all that is listed, by mouse and by keyboard', async ({
    app,
  }) => {
    const window = await openLongDay(app);
    const { trace, page } = window;
    await page.keyboard.press('Alt+Shift+T');
    const strip = trace.region.getByRole('slider', { name: 'Stretch of the session to list' });
    const filter = trace.region.getByRole('combobox', { name: 'Filter the trace' });
    await expect(strip).toHaveAttribute('aria-valuetext', 'the whole session');

    await test.step('dragged over the end, only the end is listed, beside what else was filtered', async () => {
      await trace.filter('method:tools/call dir:out');
      await trace.expectCount(9);
      const box = await strip.boundingBox();
      if (box === null) throw new Error('The strip is not on screen');
      await page.mouse.move(box.x + box.width * 0.9, box.y + 10);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width - 1, box.y + 12, { steps: 4 });
      await page.mouse.up();
      await expect(filter).toHaveValue(/^method:tools\/call dir:out since:14:57:\S+ until:15:0\S+$/);
      await trace.expectCount(7);
      await expect(strip).toHaveAttribute('aria-valuetext', /^14:57:\S+ to 15:0/);
    });

    await test.step('a click beside it lists the whole session again', async () => {
      await strip.click({ position: { x: 100, y: 10 } });
      await expect(filter).toHaveValue('method:tools/call dir:out');
      await trace.expectCount(9);
    });

    await test.step('keys do the same: begin, move, extend, clear', async () => {
      await trace.filter('method:initialize dir:out');
      await trace.expectCount(1);
      await strip.focus();
      await page.keyboard.press('ArrowRight');
      await expect(filter).toHaveValue(/dir:out since:14:02:11 until:14:08:/);
      await trace.expectCount(1);
      await page.keyboard.press('End');
      await expect(filter).toHaveValue(/ since:14:5\S+ until:15:0/);
      await trace.expectCount(0);
      await page.keyboard.press('Shift+Home');
      await expect(filter).toHaveValue(/ since:14:02:11 until:15:0/);
      await trace.expectCount(1);
      const long = await filter.inputValue();
      await page.keyboard.press('Shift+ArrowLeft');
      await expect(filter).not.toHaveValue(long);
      await page.keyboard.press('Escape');
      await expect(filter).toHaveValue('method:initialize dir:out');
      await expect(strip).toHaveAttribute('aria-valuetext', 'the whole session');
    });

    await test.step('typed times move the stretch', async () => {
      await trace.filter('since:15:00 until:15:01');
      await expect(strip).toHaveAttribute('aria-valuetext', '15:00:00.000 to 15:01:00.000');
      // The stream that they would fold into began before.
      await expect(trace.rows('comment', ': keepalive')).toHaveCount(4);
    });
    await expectAccessible(app);
  });

  test('the slowest call comes first, the errors are counted, and a call is copied and exported', async ({
    app,
  }) => {
    const window = await openLongDay(app);
    const { trace, page } = window;
    await page.keyboard.press('Alt+Shift+T');
    const head = (name: string) => trace.table.getByRole('columnheader', { name, exact: true });
    const first = trace.table.locator('[data-place="0"]');
    const second = trace.table.locator('[data-place="1"]');

    await test.step('the chips say how many errors and requests of the server the day had', async () => {
      const errors = trace.region.getByRole('button', { name: 'Errors 4' });
      await errors.press('Enter');
      await trace.expectFilter('is:error');
      await errors.press('Enter');
      await expect(trace.region.locator('[data-filter]')).toHaveAttribute('data-filter', '');
      await expect(trace.region.getByRole('button', { name: 'Server asks 1' })).toBeVisible();
    });

    await test.step('a click on duration lists the slowest first, a second one the fastest, a third the day as it was', async () => {
      await expect(head('#')).toHaveAttribute('aria-sort', 'ascending');
      await head('duration').click();
      await expect(head('duration')).toHaveAttribute('aria-sort', 'descending');
      await trace.filter('method:tools/call dir:out');
      await expect(first).toContainText('summarize_shipments');
      await expect(second).toContainText('reserve_stock');
      await expect(trace.rows('tools/call')).toHaveCount(9);
      await expect(first.getByRole('gridcell', { name: '#265', exact: true })).toBeVisible();
      await expect(first.getByRole('gridcell', { name: 'id 5', exact: true })).toBeVisible();
      await head('duration').click();
      await expect(first).toContainText('get_shipment');
      await head('duration').click();
      await expect(first).toContainText('search_inventory');
      await expect(head('#')).toHaveAttribute('aria-sort', 'ascending');
    });

    await test.step('by keyboard: a column is chosen in the head, and sorts; so it does in Messages', async () => {
      await trace.region.getByRole('radio', { name: 'Messages' }).click();
      await trace.filter('method:tools/call');
      await page.keyboard.press('ControlOrMeta+K');
      await page.getByRole('combobox', { name: 'Commands' }).fill('sort the trace');
      await page.getByRole('option', { name: /^Sort the trace by a column/ }).click();
      await expect(head('#')).toBeFocused();
      for (let column = 0; column < 10; column++) {
        if (await head('size').evaluate((cell) => cell === document.activeElement)) break;
        await page.keyboard.press('ArrowRight');
      }
      await page.keyboard.press('Enter');
      await expect(head('size')).toHaveAttribute('aria-sort', 'descending');
      await expect(first).toContainText('129 B');
      await page.keyboard.press('Enter');
      await expect(head('size')).toHaveAttribute('aria-sort', 'ascending');
      await page.keyboard.press('Enter');
      await expect(head('#')).toHaveAttribute('aria-sort', 'ascending');
      await page.keyboard.press('ArrowDown');
      await expect(trace.table).toBeFocused();
      await trace.region.getByRole('radio', { name: 'Calls' }).click();
    });

    await test.step('a call is copied as a command from its menu, by keyboard, and its id is not a number of a row', async () => {
      await trace.filter('tool:get_shipment dir:out');
      await trace.table.press('Home');
      await expect(first).toHaveAttribute('aria-selected', 'true');
      await expect(trace.detail).toContainText('#22');
      await expect(trace.detail).toContainText('id 4');
      await trace.table.press('Shift+F10');
      await page.getByRole('menuitem', { name: 'Copy as', exact: true }).press('ArrowRight');
      await page.getByRole('menuitem', { name: 'Copy as curl command' }).press('Enter');
      await expect(page.getByText(/^Copied/)).toBeVisible();
      await trace.table.press('Shift+F10');
      await page.getByRole('menuitem', { name: 'Filter by this session' }).press('Enter');
      const filter = trace.region.getByRole('combobox', { name: 'Filter the trace' });
      await expect(filter).toHaveValue('tool:get_shipment dir:out session:warehouse');
      await trace.expectCount(1);
    });

    await test.step('what the filter shows is exported from the bar', async () => {
      await trace.region.getByRole('button', { name: 'Export the rows of the list…' }).press('Enter');
      await expect(page.getByRole('radio', { name: 'The filtered rows, 1' })).toBeChecked();
    });
    await expectAccessible(app);

    await test.step('a stack trace keeps its indentation, and a long line is read in full with W', async () => {
      await new RecordedList(page).rows('notes').click();
      await trace.expectCount(62);
      await trace.table.press('End');
      const stack = trace
        .rows('stderr', 'at reserve')
        .getByRole('gridcell')
        .filter({ hasText: 'at reserve' });
      await expect(stack).toHaveAttribute('aria-colspan', /[2-9]/);
      expect(await stack.textContent()).toBe(STACK);
      const last = trace.rows('stderr', 'the options were');
      await expect(last).toHaveAttribute('aria-selected', 'true');
      const heightOf = async () => (await last.boundingBox())?.height ?? 0;
      expect(await heightOf()).toBe(24);
      await trace.table.press('w');
      await expect(last).toContainText('and no more');
      await expect.poll(heightOf).toBeGreaterThan(48);
      /** How far the row reaches beyond the head and the lower edge of the table; pixels. */
      const beyond = async () => {
        const boxes = [last, head('#'), trace.table].map((part) => part.boundingBox());
        const [row, top, table] = await Promise.all(boxes);
        if (!row || !top || !table) throw new Error('The row is not on screen');
        return Math.max(top.y + top.height - row.y, row.y + row.height - table.y - table.height);
      };
      // It is the last row, and all of it is on screen.
      await expect.poll(beyond).toBeLessThanOrEqual(1);
      // So it is where the table is lower than the text, which then scrolls by mouse and by key.
      await page.keyboard.press('Alt+Shift+T');
      await expect.poll(beyond).toBeLessThanOrEqual(1);
      const text = last.getByRole('gridcell').filter({ hasText: 'and no more' });
      await expect(text).toHaveAttribute('tabindex', '0');
      const scrolled = () => text.evaluate((cell) => cell.scrollTop);
      await text.click();
      await expect(trace.table).toBeFocused();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await expect(text).toBeFocused();
      await page.keyboard.press('End');
      await expect.poll(scrolled).toBeGreaterThan(0);
      await page.keyboard.press('Escape');
      await expect(trace.table).toBeFocused();
      await page.keyboard.press('Alt+Shift+T');
      await trace.table.press('Shift+F10');
      await page.getByRole('menuitem', { name: 'Show it on one line' }).press('Enter');
      await expect.poll(heightOf).toBe(24);
    });
  });

  test('an hour of keepalives is one row, opened by a click or a key', async ({ app }) => {
    const window = await openLongDay(app);
    const { trace, page } = window;
    await page.keyboard.press('Alt+Shift+T');
    await trace.filter('method:GET or keepalive');
    await trace.expectCount(1);
    const stream = trace.rows('GET', `${KEEPALIVES} keepalives`, '1 h');
    await expect(stream).toHaveCount(1);
    await expect(stream).toHaveAttribute('aria-expanded', 'false');

    await test.step('F opens and closes it where it is', async () => {
      // Beside what it says of its fold, which a click would open.
      await stream.click({ position: { x: 60, y: 10 } });
      await trace.table.press('f');
      await trace.expectCount(1 + KEEPALIVES);
      await trace.table.press('Home');
      await expect(stream).toHaveAttribute('aria-expanded', 'true');
      await trace.table.press('f');
      await trace.expectCount(1);
    });

    await test.step('a click on what it says does the same', async () => {
      await stream.getByText(`${KEEPALIVES} keepalives`).click();
      await trace.expectCount(1 + KEEPALIVES);
      await trace.table.press('Home');
      await stream.getByText(`${KEEPALIVES} keepalives`).click();
      await trace.expectCount(1);
    });

    await test.step('the day is calls, and a probe that the server refused is no error', async () => {
      await trace.filter('');
      await trace.table.press('Home');
      await expect(trace.rows('phase', '3 phases')).toHaveCount(1);
      expect(await findings(page, '[role=treegrid]')).toEqual([]);
      await expect(trace.rows('server/discover', 'refused')).toHaveCount(1);
      await expect(trace.rows('sampling/createMessage', 'asks for a completion')).toHaveCount(1);
      await expect(trace.rows('response')).toHaveCount(0);
    });

    await test.step('a text that only a response has is found', async () => {
      await trace.filter('"There is no shipment"');
      await expect(trace.rows('response', 'There is no shipment 0')).toHaveCount(1);
    });

    await test.step('the menu of a row opens by key: it filters, compares with the call before, and hides', async () => {
      const filter = trace.region.getByRole('combobox', { name: 'Filter the trace' });
      const choose = async (entry: string) => {
        await trace.table.press('Shift+F10');
        await page.getByRole('menuitem', { name: entry }).press('Enter');
      };
      await trace.filter('quantity');
      await trace.expectCount(3);
      await trace.rows('tools/call', 'reserve_stock').last().click();
      await choose('Filter by this tool');
      await expect(filter).toHaveValue('quantity tool:reserve_stock');
      // The rows are those of this filter, and the row is selected in them.
      await expect(trace.region.locator('[data-filter="quantity tool:reserve_stock"]')).toBeVisible();
      await trace.expectCount(3);
      await expect(trace.rows('tools/call', 'reserve_stock').last()).toHaveAttribute('aria-selected', 'true');
      await choose('Compare with the previous call');
      const compared = trace.region.getByRole('region', { name: /compared$/ });
      await expect(compared).toContainText('"quantity": 2');
      await expect(compared).toContainText('"quantity": 3');
      await trace.filter('');
      await trace.table.press('End');
      await expect(trace.rows('tools/call', 'get_stock')).not.toHaveCount(0);
      await trace.rows('tools/call', 'get_stock').last().click();
      await choose('Hide rows like this');
      await expect(filter).toHaveValue('-tool:get_stock');
      await expect(trace.rows('tools/call', 'get_stock')).toHaveCount(0);
      await expect(trace.rows('tools/call', 'reserve_stock')).not.toHaveCount(0);
    });

    await test.step('every message is one click away, and stays so after a restart', async () => {
      await trace.filter('');
      const messages = trace.region.getByRole('radio', { name: 'Messages' });
      await messages.click();
      await trace.filter('kind:sse');
      await trace.expectCount(2 + KEEPALIVES);
      const again = new Window(await app.restart());
      await new RecordedList(again.page).rows('warehouse').click();
      await expect(again.trace.region.getByRole('radio', { name: 'Messages' })).toBeChecked();
    });
  });
});

/** Fails if axe finds something in any theme. */
async function expectAccessible({ host, page }: App): Promise<void> {
  if (host === 'web') expect(await findings(page)).toEqual([]);
}
