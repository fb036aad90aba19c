import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { aSession } from '#model/testing/samples.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { forgetViews } from '../trace-view.ts';
import { reset, SESSION } from './fake-bridge.ts';

/** The trace dock as its user sees it. */

/** Ten rows and the header. */
const VIEWPORT = 11 * 24;

/** Has every test of the file begin with an empty session on screen. */
export function beginOnSession(): void {
  beforeAll(layOut);
  // Loading it takes longer than a test should wait.
  beforeAll(async () => {
    await (await import('../trace-dock.tsx')).loadTrace();
  }, 60_000);
  beforeEach(() => {
    reset();
    forgetViews();
    showSession();
  });
  afterEach(cleanup);
}

/** There is no layout in tests, so the table would have no height. */
function layOut(): void {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => VIEWPORT });
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', { get: () => 1200 });
}

/** Puts the session of the fake engine on screen, with nothing selected. */
export function showSession(facts: Partial<SessionView> = {}): void {
  useSelection.setState({ serverId: 'server-1', traceRow: {} });
  const session = aSession({ id: SESSION, serverId: 'server-1', ...facts });
  useSessions.setState({ sessions: { [SESSION]: session } });
}

export const table = (): HTMLElement => screen.getByRole('grid', { name: 'Messages' });
export const drawn = (): HTMLElement[] => within(table()).getAllByRole('row').slice(1);

/** The row that has a cell with this text. */
export async function rowWith(text: string): Promise<HTMLElement> {
  const cell = await within(table()).findByText(text);
  const row = cell.closest('[role=row]');
  if (!(row instanceof HTMLElement)) throw new Error(`${text} is in no row`);
  return row;
}

export const choose = async (text: string): Promise<void> => userEvent.click(await rowWith(text));

export const selectedText = (): string | undefined =>
  drawn().find((row) => row.getAttribute('aria-selected') === 'true')?.textContent;

export const detail = (): HTMLElement => screen.getByRole('region', { name: /^Row #/ });

/** Looks at the selected row in another way, such as `HTTP`. */
export const showTab = async (name: string): Promise<void> =>
  userEvent.click(await screen.findByRole('tab', { name }));
