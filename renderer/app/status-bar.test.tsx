import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { aSession } from '#model/testing/samples.ts';
import { StatusBar } from './status-bar.tsx';

afterEach(cleanup);

const text = () => screen.getByRole('contentinfo').textContent;

test('says in one line how the session is doing', () => {
  const openedAt = Date.now() - 192_500;
  const counts = { rows: 12_408, messages: 12_000, errors: 1, invalid: 3, traceBytes: 4_100_000 };
  render(<StatusBar hasServer session={aSession({ openedAt, counts })} />);
  expect(text()).toBe(
    'readylegacy 2025-11-25stdio · pid 4121 · up 3:1212,408 records · 4.1 MB1 error3 invalidmedian 1.1 mssaved to notes-1402.mcptrace',
  );
});

test('an ended session says how it ended and for how long it ran', () => {
  const session = aSession({
    phase: 'failed',
    process: { pid: 4121, exitCode: null, signal: 'SIGKILL' },
    closedAt: aSession().openedAt + 7_000,
  });
  render(<StatusBar hasServer session={session} />);
  expect(text()).toContain('SIGKILL');
  expect(text()).toContain('ran 0:07');
});

test('shows where the trace is', async () => {
  render(<StatusBar hasServer session={aSession()} />);
  await userEvent.click(screen.getByRole('button', { name: /saved to/ }));
  expect((await screen.findByRole('dialog', { name: 'Trace file' })).textContent).toBe(
    '/traces/notes-1402.mcptrace',
  );
});

test('says when the trace cannot be written, and why', async () => {
  const fault = { code: 'disk-full', what: 'The trace file cannot be written.', why: 'The disk is full.' };
  render(<StatusBar hasServer session={aSession({ traceFile: { path: '/traces/x.mcptrace', fault } })} />);
  await userEvent.click(screen.getByRole('button', { name: 'trace not saved' }));
  expect((await screen.findByRole('alert')).textContent).toContain('The disk is full.');
});
