import { expect } from 'playwright/test';
import type { Window } from './window.ts';

/** A command as it is shown to the user, wherever that is. */
export interface Shown {
  readonly title: string;
  /** As on keys, such as `Ctrl K`. */
  readonly keys: string | null;
}

/** The commands of the palette, which lists the command table whole while nothing is typed. */
export async function paletteCommands(window: Window): Promise<Shown[]> {
  const { page } = window;
  const focused = await page.evaluateHandle(() => document.activeElement);
  await page.keyboard.press('ControlOrMeta+K');
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused();
  const list = page.getByRole('dialog', { name: 'Commands' });
  const options = await list.getByRole('option').evaluateAll((found) =>
    found.map((option) => {
      const keys = option.querySelector('kbd')?.textContent ?? null;
      const whole = option.textContent;
      return { title: keys === null ? whole : whole.slice(0, whole.length - keys.length), keys };
    }),
  );
  await page.keyboard.press('Escape');
  await expect(page.getByRole('combobox', { name: 'Commands' })).toHaveCount(0);
  // The focus goes back a moment later; on a tab it shows the tab's pane.
  await page.waitForFunction((element) => document.activeElement === element, focused);
  return options;
}
