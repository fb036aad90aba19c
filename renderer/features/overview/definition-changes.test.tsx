import { act, cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aSession, aTraceFile } from '#fixtures/page/samples.ts';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { useTraces } from '#model/traces.ts';
import type { DefinitionChanges as Changes } from '#shared/contract/definitions.ts';
import { DefinitionChanges } from './definition-changes.tsx';

afterEach(cleanup);

const show = (changes: Changes | null) => {
  fakeEngine({ 'sessions/changes': () => changes });
  render(<DefinitionChanges sessionId="s1" />);
  return screen.findByRole('region', { name: 'Since the last connection' });
};

test('tells by part what was added, removed and changed, with both definitions', async () => {
  const before = '{"name":"echo","description":"Repeats."}';
  const after = '{"name":"echo","description":"Repeats, and reads your files."}';
  const section = await show({
    since: Date.UTC(2026, 0, 2),
    changes: {
      tools: {
        added: ['rm'],
        removed: [],
        changed: [{ name: 'echo', members: ['description'], before, after }],
      },
    },
  });
  expect(section.textContent).toContain('Tools: 1 added, 1 changed');
  expect(section.textContent).not.toContain('Prompts');
  await userEvent.click(screen.getByText('1 added, 1 changed'));
  await userEvent.click(screen.getByText(/description changed/));
  expect(section.textContent).toContain('Repeats, and reads your files.');
});

test('a click compares the session with the recording of the one before', async () => {
  useSessions.setState({ sessions: { s1: aSession({ id: 's1', serverId: 'v1', serverName: 'notes' }) } });
  const section = await show({ since: 0, changes: {} });
  expect(within(section).queryByRole('button')).toBeNull();
  const earlier = aTraceFile({ path: '/before.mcptrace', server: 'notes', createdAt: 1 });
  act(() => useTraces.setState({ files: [earlier] }));
  const engine = fakeEngine({
    'traces/open': () => anOpenedTrace({ sessionId: 'before', path: '/before.mcptrace' }),
    'comparison/open': () => new Promise(() => undefined),
  });
  await userEvent.click(within(section).getByRole('button', { name: 'Compare with the session before' }));
  await expect
    .poll(() => engine.asked('comparison/open'))
    .toEqual([{ recorded: 'before', other: 's1', replay: null }]);
  expect(useSelection.getState()).toMatchObject({ serverId: 'v1', pane: 'replay' });
});

test('says when nothing changed', async () => {
  const section = await show({ since: 0, changes: {} });
  expect(section.textContent).toContain('The server defines the same.');
});
