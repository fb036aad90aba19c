import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aServer, aSession } from '#fixtures/page/samples.ts';
import { defaultSettings } from '#shared/contract/settings.ts';
import { App } from './app.tsx';

// The panels measure themselves, which needs a layout; the browser tests have one.
vi.mock('#features/trace/trace-dock.tsx', () => ({
  TraceDock: () => 'the trace',
  loadTrace: async () => undefined,
}));

afterEach(cleanup);

test('starts with the server the app was opened on, and follows what the engine tells', async () => {
  const engine = fakeEngine({
    'app/info': () => ({
      version: '0.1.0',
      host: 'web',
      platform: 'linux',
      dataFolder: '/data',
      initialServerId: 'v2',
      initialTraceId: null,
      keepsSecrets: true,
    }),
    'place/read': () => ({ entries: {}, isOfThisRun: false }),
    'servers/list': () => [aServer(), aServer({ id: 'v2', name: 'billing' })],
    'sessions/list': () => [aSession({ serverId: 'v2', phase: 'connecting', agreement: null })],
    'traces/list': () => ({ folder: '/data/traces', files: [] }),
    'traces/opened': () => [],
    'settings/read': () => defaultSettings,
  });
  render(<App />);
  const row = await screen.findByRole('button', { name: /^billing/ });
  // The palette takes keys from the first picture on.
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Commands' }));
  fireEvent.keyDown(screen.getByRole('combobox', { name: 'Commands' }), { key: 'Escape' });
  expect(row.getAttribute('aria-current')).toBe('true');
  expect(row.textContent).toContain('starting');

  engine.emit('sessions/changed', aSession({ serverId: 'v2' }));
  expect(await screen.findByRole('heading', { name: 'notes-server' })).toBeTruthy();
  expect(row.textContent).toContain('ready');

  engine.emit('servers/changed', [aServer({ id: 'v2', name: 'renamed' })]);
  expect(await screen.findByRole('button', { name: /^renamed/ })).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^notes/ })).toBeNull();
  expect(useSelection.getState().serverId).toBe('v2');
});
