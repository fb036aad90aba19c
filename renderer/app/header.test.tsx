import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aServer, aSession } from '#fixtures/page/samples.ts';
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
