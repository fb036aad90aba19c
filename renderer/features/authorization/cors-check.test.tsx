import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { aFlow, aParameter, aRequest, aStep } from '#fixtures/page/authorization-samples.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { CorsCheck } from './cors-check.tsx';

afterEach(cleanup);

const ORIGIN = 'http://localhost:6274';

const preflight = (id: number, endpoint: string, allowed: string) =>
  aStep(id, 'check-cors', {
    label: `${endpoint}: preflight`,
    request: aRequest({
      method: 'OPTIONS',
      url: 'https://login.example.com/token',
      headers: [
        aParameter('Origin', ORIGIN),
        aParameter('Access-Control-Request-Method', 'POST'),
        aParameter('Access-Control-Request-Headers', 'authorization'),
      ],
    }),
    response: {
      status: 204,
      headers: [
        ['Access-Control-Allow-Origin', '*'],
        ['Access-Control-Allow-Headers', allowed],
      ],
      body: '',
    },
  });

test('nothing is sent before the click; the origin can be changed by keyboard', async () => {
  const engine = fakeEngine({ 'authorization/check-cors': () => null });
  const user = userEvent.setup();
  render(<CorsCheck flow={aFlow([aStep(1, 'challenge')])} isRecorded={false} />);
  await user.click(screen.getByText('Pages of browsers (CORS)'));
  expect(engine.asked('authorization/check-cors')).toEqual([]);
  const origin = screen.getByRole('textbox', { name: 'Origin of the page' });
  expect((origin as HTMLInputElement).value).toBe(ORIGIN);
  await user.clear(origin);
  await user.type(origin, 'https://app.test{Enter}');
  expect(engine.asked('authorization/check-cors')).toEqual([
    { flowId: 'flow-1', origin: 'https://app.test' },
  ]);
});

test('the table says what can be used, what is missing and by which rule', () => {
  const steps = [preflight(1, 'Registration endpoint', 'authorization'), preflight(2, 'Token endpoint', '*')];
  render(<CorsCheck flow={aFlow(steps)} isRecorded />);
  const table = screen.getByRole('table', { name: 'Which page can use what', hidden: true });
  const rows = within(table).getAllByRole('row', { hidden: true }).slice(1);
  expect(rows.map((row) => within(row).getByRole('cell', { hidden: true }).textContent)).toEqual([
    ' usable',
    ' blockedAccess-Control-Allow-Headers lacks authorization. Fetch, CORS-preflight fetch',
  ]);
  expect(rows[1]?.textContent).toContain(`Token endpointhttps://login.example.com/token${ORIGIN}`);
  expect(screen.queryByRole('button', { name: 'Check CORS', hidden: true })).toBeNull();
});

test('a text that is no origin is refused, and a recording without a check has no section', async () => {
  fakeEngine({
    'authorization/check-cors': () => {
      throw new FaultError({ code: 'not-an-origin', what: 'This is not the origin of a page.' });
    },
  });
  const { rerender } = render(<CorsCheck flow={aFlow([])} isRecorded={false} />);
  await userEvent.click(screen.getByText('Pages of browsers (CORS)'));
  await userEvent.click(screen.getByRole('button', { name: 'Check CORS' }));
  expect(await screen.findByText('This is not the origin of a page.')).toBeDefined();
  rerender(<CorsCheck flow={aFlow([])} isRecorded />);
  expect(screen.queryByText('Pages of browsers (CORS)')).toBeNull();
});
