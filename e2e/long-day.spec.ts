import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { longDay } from '#fixtures/trace/long-day.ts';
import { type App, expect, test } from './app.ts';
import { findings } from './axe.ts';
import { RecordedList } from './recorded-list.ts';
import { Window } from './window.ts';

/** Opens the trace of a long day: calls, a pause, and an hour in which a stream carried nothing but keepalives. */
async function openLongDay(app: App): Promise<Window> {
  const folder = join(app.home, 'traces');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'warehouse.mcptrace'), longDay(Date.parse('2026-11-22T14:02:11')));
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
      const short = await filter.inputValue();
      await page.keyboard.press('Shift+Home');
      await expect(filter).toHaveValue(/ since:14:02:11 until:15:0/);
      await trace.expectCount(1);
      await page.keyboard.press('Shift+ArrowLeft');
      await expect(filter).not.toHaveValue(short);
      await page.keyboard.press('Escape');
      await expect(filter).toHaveValue('method:initialize dir:out');
      await expect(strip).toHaveAttribute('aria-valuetext', 'the whole session');
    });

    await test.step('typed times move the stretch', async () => {
      await trace.filter('since:15:00 until:15:01');
      await expect(strip).toHaveAttribute('aria-valuetext', '15:00:00.000 to 15:01:00.000');
      await trace.expectCount(4);
    });
    if (app.host !== 'web') return;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findings(page)).toEqual([]);
    }
  });
});
