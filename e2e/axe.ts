import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';

/**
 * What axe finds on the screen, one line each with the places. For tests of the web host only: Electron draws the
 * same page, and looking once more takes minutes.
 */
export async function findings(page: Page): Promise<string[]> {
  // Legacy mode: without it axe opens a page of its own for every look.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  );
}
