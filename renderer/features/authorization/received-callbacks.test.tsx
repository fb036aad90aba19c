import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { aCallback, aFlow, aStep } from '#fixtures/page/authorization-samples.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import type { ReceivedCallback } from '#shared/contract/authorization-callback.ts';
import { ReceivedCallbacks } from './received-callbacks.tsx';

afterEach(cleanup);

function show(callbacks: readonly ReceivedCallback[], moreCallbacks = 0) {
  fakeEngine({});
  const step = aStep(1, 'callback', { callbacks: [...callbacks], moreCallbacks });
  const flow = aFlow([step], { sessionId: 's-callbacks' });
  render(<ReceivedCallbacks flow={flow} step={step} />);
}

const comparison = (name: string) =>
  screen.getByRole('region', { name: `Comparison of ${name}` }).textContent;

test('a callback shows its URL, each parameter, what was compared by which rule, and its row', async () => {
  show([aCallback()]);
  const callback = screen.getByRole('region', { name: 'Callback of the browser 1' });
  expect(within(callback).getByText(/http:\/\/127.0.0.1:43117\/callback\?code=‹code›&state=/)).toBeDefined();
  const table = within(callback).getByRole('table', { name: 'Parameters of the callback' });
  expect(
    within(table)
      .getAllByRole('rowheader')
      .map(({ textContent }) => textContent),
  ).toEqual(['code', 'state', 'iss']);
  expect(within(table).getByRole('row', { name: /code hidden 7719aa/ })).toBeDefined();
  expect(comparison('state')).toBe(
    'stateequalSenta1b2c3Receiveda1b2c3It must be the one that was sent. RFC 6749 10.12',
  );
  expect(comparison('iss')).toContain('Expectedhttps://login.example.com');
  expect(screen.queryByText(/not trusted/i)).toBeNull();
  await userEvent.click(within(callback).getByRole('button', { name: 'Row #413 of the trace' }));
  expect(useSelection.getState().traceRow['s-callbacks']).toBe(412);
});

test('a rejected one is marked as not trusted, as text, with what is missing', () => {
  show([
    aCallback({
      untrusted: 'It has no state, so anybody may have sent it.',
      parameters: [
        { name: 'error', value: 'invalid_target', fingerprint: null, isInFragment: false },
        { name: '<b>x</b>', value: '<img src=x onerror=alert(1)>', fingerprint: null, isInFragment: true },
      ],
      moreParameters: 2,
      state: { ...aCallback().state, result: 'missing', received: null },
      iss: { ...aCallback().iss, result: 'none', received: null },
      row: null,
    }),
  ]);
  expect(screen.getByText(/Not trusted:/).textContent).toBe(
    'Not trusted: It has no state, so anybody may have sent it. Nothing of it was used. What it says may be of anybody.',
  );
  expect(screen.getByText('invalid_target')).toBeDefined();
  expect(screen.getByText('<img src=x onerror=alert(1)>')).toBeDefined();
  expect(document.querySelector('img')).toBeNull();
  expect(screen.getByRole('rowheader', { name: '<b>x</b> behind the #' })).toBeDefined();
  expect(screen.getByText('And 2 more parameters.')).toBeDefined();
  expect(comparison('state')).toContain('missing');
  expect(comparison('iss')).toContain('not sent');
  expect(screen.queryByRole('button')).toBeNull();
});

test('the newest is first, and those beyond the limit are counted', () => {
  show([aCallback({ by: 'listener' }), aCallback({ by: 'pasted' })], 31);
  expect(
    screen.getAllByRole('region', { name: /callback.* \d$/i }).map((one) => one.getAttribute('aria-label')),
  ).toEqual(['Pasted callback 2', 'Callback of the browser 1']);
  expect(screen.getByText('31 more requests came to the redirect URI and are not shown.')).toBeDefined();
});

test('a value that was cut inside a character is shown', () => {
  show([
    aCallback({ parameters: [{ name: 'x', value: 'a\uD83D…', fingerprint: null, isInFragment: false }] }),
  ]);
  expect(screen.getByRole('region', { name: 'Callback of the browser 1' }).textContent).toContain(
    'x=a%EF%BF%BD',
  );
});
