import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';

/** What is shown of the selected pane. */
export const PANE = '[role="tabpanel"]';

/**
 * What axe finds on the screen, one line each with the places: everything in the dark, and the contrasts in the light,
 * which differs in its colours only. For tests of the web host only: Electron draws the same page, and looking once
 * more takes minutes.
 *
 * @param part selector of what changed since the last look
 */
export async function findings(page: Page, part = 'html'): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Legacy mode: without it axe opens a page of its own for every look.
    const axe = new AxeBuilder({ page })
      .include(part)
      .setLegacyMode(true)
      .options({ resultTypes: ['violations'] });
    const { violations } = await (colorScheme === 'dark' ? axe : axe.withRules('color-contrast')).analyze();
    for (const { id, help, nodes } of violations) {
      for (const { target, failureSummary } of nodes) {
        found.push(`${id} (${colorScheme}): ${help}\n  ${target.join(' ')}\n  ${failureSummary}`);
      }
    }
  }
  return found;
}
