import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';

/** What is shown of the selected pane. */
export const PANE = '[role="tabpanel"]';

/**
 * What axe finds on the screen, one line each with the places: everything in the dark, and the contrasts in the other themes,
 * which differ in their colours only; in high contrast of whole windows. For tests of the web host only: Electron draws the same page, and looking once
 * more takes minutes.
 *
 * @param part selector of what changed since the last look
 */
export async function findings(page: Page, part = 'html'): Promise<string[]> {
  const found: string[] = [];
  const isWhole = part === 'html';
  for (const { colorScheme, contrast } of isWhole ? themes : themes.slice(0, 2)) {
    await page.emulateMedia({ colorScheme, contrast, reducedMotion: 'reduce' });
    // Legacy mode: without it axe opens a page of its own for every look.
    const axe = new AxeBuilder({ page })
      .include(part)
      .setLegacyMode(true)
      .options({ resultTypes: ['violations'] });
    const isFirst = colorScheme === 'dark' && contrast === null;
    const { violations } = await (isFirst ? axe : axe.withRules('color-contrast')).analyze();
    for (const { id, help, nodes } of violations) {
      for (const { target, failureSummary } of nodes) {
        found.push(
          `${id} (${colorScheme}${contrast === null ? '' : ', high contrast'}): ${help}\n  ${target.join(' ')}\n  ${failureSummary}`,
        );
      }
    }
  }
  await page.emulateMedia({ colorScheme: 'light', contrast: null });
  return found;
}

const themes = [
  { colorScheme: 'dark', contrast: null },
  { colorScheme: 'light', contrast: null },
  { colorScheme: 'dark', contrast: 'more' },
  { colorScheme: 'light', contrast: 'more' },
] as const;
