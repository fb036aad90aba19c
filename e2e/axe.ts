import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';

/** What axe finds on the screen, one line each with the places. */
export async function findings(page: Page): Promise<string[]> {
  // Legacy mode: without it axe opens a page of its own, which Electron has none of.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  );
}

/** Why axe looks at the page in one host only: it takes minutes. */
export const sameInBothHosts = 'the page is the same in both hosts, and axe has seen it in a browser';
