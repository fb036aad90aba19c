import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { anOpenedTrace, aSession } from '#fixtures/page/samples.ts';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { useTraces } from '#model/traces.ts';
import { ReplayPane } from './replay-pane.tsx';

test('to compare a recording with a session so far says that no call is sent', async () => {
  useSessions.setState({ sessions: { s1: aSession({ id: 's1', serverName: 'notes' }) } });
  useTraces.setState({ opened: { 'file-1': anOpenedTrace() } });
  useSelection.setState({ openedId: 'file-1', openedPane: 'replay' });
  render(<ReplayPane />);
  const about = screen.getByText(/^Calls are matched/);
  expect(about.textContent).toContain('With a connected server, the calls are sent to it first.');
  await userEvent.selectOptions(
    screen.getByLabelText('Compare with'),
    screen.getByRole('option', { name: 'notes, its session so far' }),
  );
  expect(about.textContent).toMatch(/No call is sent: the session is compared as far as it has come\.$/);
});
