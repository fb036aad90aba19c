import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { forgetAttempt, useAttempts } from '#model/connection.ts';
import { selectPane, selectServer } from '#model/selection.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aServer, aSession } from '#fixtures/page/samples.ts';
import { Header } from './header.tsx';

afterEach(cleanup);

test('Connect and Disconnect keep their places: a session that opens adds no button beside them', () => {
  fakeEngine({});
  const server = aServer();
  const show = (session: ReturnType<typeof aSession> | null) => (
    <Header server={server} session={session} trace={null} />
  );
  const { rerender } = render(show(null));
  const buttons = () =>
    screen
      .getAllByRole('button', { name: /onnect$/ })
      .map((button) => `${button.textContent}${button.matches(':disabled') ? ', disabled' : ''}`);
  expect(buttons()).toEqual(['Connect', 'Disconnect, disabled']);
  rerender(show(aSession({ phase: 'failed' })));
  expect(buttons()).toEqual(['Reconnect', 'Disconnect, disabled']);
  rerender(show(aSession()));
  expect(buttons()).toEqual(['Reconnect', 'Disconnect']);
  rerender(show(aSession({ phase: 'closing' })));
  expect(buttons()).toEqual(['Reconnect', 'Disconnect, disabled']);
});

test('while a command waits for approval on screen, the card has the only button that connects', () => {
  fakeEngine({});
  const server = aServer();
  selectServer(server.id);
  selectPane('overview');
  render(<Header server={server} session={null} trace={null} />);
  const connectButton = () => screen.queryByRole('button', { name: 'Connect' });
  expect(connectButton()).not.toBeNull();
  const launch = {
    command: 'node',
    args: [],
    resolved: null,
    cwd: '/work',
    env: [],
    inherit: 'safe' as const,
  };
  act(() =>
    useAttempts.setState({
      [server.id]: { state: 'approval', approval: 'once', asked: { launch }, choices: {} },
    }),
  );
  expect(connectButton()).toBeNull();
  // From another pane it leads back to the card.
  act(() => selectPane('tools'));
  expect(connectButton()).not.toBeNull();
  act(() => selectPane('overview'));
  act(() => forgetAttempt(server.id));
  expect(connectButton()).not.toBeNull();
});

test('an opened excerpt says so', () => {
  fakeEngine({});
  const trace = anOpenedTrace();
  const { rerender } = render(<Header server={null} session={null} trace={trace} />);
  expect(screen.queryByText(/^Excerpt/)).toBeNull();
  const excerpt = { rows: 2, of: 19 };
  rerender(
    <Header server={null} session={null} trace={{ ...trace, header: { ...trace.header, excerpt } }} />,
  );
  expect(screen.getByText('Excerpt: 2 of 19 rows')).toBeTruthy();
});
