import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
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

test('says when nothing changed', async () => {
  const section = await show({ since: 0, changes: {} });
  expect(section.textContent).toContain('The server defines the same.');
});
