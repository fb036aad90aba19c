import { findings, PANE } from './axe.ts';
import { expect } from './app.ts';
import { only } from './hosts/only.ts';
import { connectToUrl, test } from './http-servers.ts';
import { Window } from './window.ts';

test(
  'the Overview shows round trips and traffic of a connection, by keyboard',
  only.page,
  async ({ app, servers }) => {
    const { url } = await servers.streamable({ era: 'legacy' });
    const window = new Window(await app.open());
    await connectToUrl(window, 'legacy', url);
    await window.show('Overview');
    const overview = window.pane('Overview');

    const trips = overview.getByRole('region', { name: 'Round trips' });
    const ping = trips.getByRole('button', { name: 'Ping', exact: true });
    await ping.press('Enter');
    await expect(trips.getByRole('status')).toContainText('answered in');
    await ping.press('Enter');
    await expect(trips.getByRole('img', { name: /^2 round trips: min .* median .* max/ })).toBeVisible();
    const repeat = trips.getByRole('button', { name: 'Repeat' });
    await repeat.press('Space');
    await expect(trips.getByRole('img', { name: /^4 round trips/ })).toBeVisible();
    await repeat.press('Space');
    await expect(repeat).toHaveAttribute('aria-pressed', 'false');

    const traffic = overview.getByRole('region', { name: 'Traffic' });
    await expect(traffic).toContainText(/Sent[\d.,]+ k?B of messages/);
    const posts = traffic.getByRole('row', { name: /^POST 200/ });
    await expect(posts).toBeVisible();
    if (app.host === 'web') expect(await findings(window.page, PANE)).toEqual([]);

    await posts.getByRole('button', { name: /^Row #/ }).press('Enter');
    await expect(window.trace.detail).toContainText('POST');

    await window.page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
    await expect(traffic.getByRole('row', { name: /^DELETE/ })).toBeVisible();
    await expect(trips).toBeHidden();
  },
);
