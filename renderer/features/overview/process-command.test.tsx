import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { ProcessCommand } from './process-command.tsx';

afterEach(cleanup);

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
  render(<ProcessCommand sessionId="s1" />);
  const command = await screen.findByRole('region', { name: 'Command' });
  expect(command.textContent).toContain('/usr/bin/node');
  expect(command.textContent).toContain('/work/notes');
  const listed = (name: string) =>
    within(within(command).getByRole('list', { name }))
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
  render(<ProcessCommand sessionId="s1" />);
  await expect.poll(() => asked('sessions/command')).toHaveLength(1);
  expect(screen.queryByRole('region')).toBeNull();
});
