import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aServer, stdioSettings } from '#fixtures/page/samples.ts';
import { ProcessCommand } from './process-command.tsx';

afterEach(cleanup);

const server = aServer({ transport: stdioSettings({ command: 'node' }) });

const command = {
  command: 'node',
  args: [],
  cwd: '/work/notes',
  env: [],
  inherit: 'safe' as const,
  resolved: '/usr/bin/node',
  inherited: [],
};

test('pins the command to the file that was found, once', async () => {
  const { asked } = fakeEngine({
    'sessions/command': () => command,
    'servers/save': ({ settings }) => ({ ...server, ...settings }),
  });
  const { rerender } = render(<ProcessCommand sessionId="s1" server={server} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Pin the command to this file' }));
  expect(asked('servers/save')).toMatchObject([
    { id: server.id, settings: { name: server.name, transport: { command: '/usr/bin/node' } } },
  ]);
  const pinned = aServer({ transport: stdioSettings({ command: '/usr/bin/node' }) });
  rerender(<ProcessCommand sessionId="s1" server={pinned} />);
  expect(screen.queryByRole('button')).toBeNull();
  expect(screen.getByText('The command is pinned to this file.')).toBeTruthy();
});

test('shows the file, the folder and the effective environment, with values of secrets hidden', async () => {
  fakeEngine({
    'sessions/command': () => ({
      command: 'node',
      args: ['server.js', ''],
      cwd: '/work/notes',
      env: [
        { name: 'API_KEY', value: null },
        { name: 'LEVEL', value: 'debug' },
      ],
      inherit: 'all',
      resolved: '/usr/bin/node',
      inherited: [
        { name: 'AWS_SECRET', value: null },
        { name: 'PATH', value: '/usr/bin\u001b' },
      ],
    }),
  });
  render(<ProcessCommand sessionId="s1" server={server} />);
  const shown = await screen.findByRole('region', { name: 'Command' });
  expect(shown.textContent).toContain('/usr/bin/node');
  expect(shown.textContent).toContain('/work/notes');
  const listed = (name: string) =>
    within(within(shown).getByRole('list', { name }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
  expect(listed('Variables')).toEqual(['API_KEY=secret, not shown', 'LEVEL=debug']);
  await userEvent.click(screen.getByText('2 inherited variables'));
  expect(listed('Inherited variables')).toEqual([
    'AWS_SECRET=not shown, may be a secret',
    'PATH=/usr/bin[ESC]',
  ]);
});

test('a session over HTTP has no command', async () => {
  const { asked } = fakeEngine({ 'sessions/command': () => null });
  render(<ProcessCommand sessionId="s1" server={server} />);
  await expect.poll(() => asked('sessions/command')).toHaveLength(1);
  expect(screen.queryByRole('region')).toBeNull();
});
