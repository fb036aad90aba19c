import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anAgreement, aSession } from '#fixtures/page/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import { SessionLogLevel } from './identity.tsx';

afterEach(cleanup);

function show(change: Partial<Agreement>, logLevel: string | null = null) {
  const engine = fakeEngine({ 'sessions/set-log-level': () => null });
  const agreement = anAgreement(change);
  render(<SessionLogLevel session={aSession({ agreement, logLevel })} agreement={agreement} />);
  return engine;
}

const level = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Log level' });
const offered = () => [...level().options].map(({ textContent }) => textContent);

test('is set by logging/setLevel, and not unset again', async () => {
  const engine = show({ serverCapabilities: { logging: {} } });
  expect(offered()).toHaveLength(9);
  expect(level().selectedOptions[0]?.textContent).toBe('not set');
  await userEvent.selectOptions(level(), 'warning');
  expect(engine.asked('sessions/set-log-level')).toEqual([{ sessionId: 's1', level: 'warning' }]);
  cleanup();
  show({ serverCapabilities: { logging: {} } }, 'warning');
  expect(level().value).toBe('warning');
  expect(offered()).toHaveLength(8);
});

test('goes with each request in the modern era, announced or not, and is taken away again', async () => {
  const engine = show({ era: 'modern', revision: '2026-07-28', serverCapabilities: null }, 'debug');
  expect(screen.getByText(/sent with each request/)).toBeTruthy();
  await userEvent.selectOptions(level(), 'none');
  expect(engine.asked('sessions/set-log-level')).toEqual([{ sessionId: 's1', level: null }]);
});

test('is set anyway at a server that did not announce logging, and says what came of it', async () => {
  show({ serverCapabilities: {} });
  expect(screen.queryByRole('combobox')).toBeNull();
  fakeEngine({
    'sessions/set-log-level': () => {
      throw new FaultError({ code: 'protocol-error', what: 'Method not found' });
    },
  });
  await userEvent.click(screen.getByRole('button', { name: 'Set one anyway' }));
  await userEvent.selectOptions(level(), 'info');
  expect((await screen.findByRole('alert')).textContent).toBe('Method not found');
});
