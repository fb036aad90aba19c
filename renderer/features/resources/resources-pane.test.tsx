import { cleanup, render, screen, within } from '@testing-library/react';
import { type UserEvent, userEvent } from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aCall, aList, aSession } from '#fixtures/page/samples.ts';
import { resourceSchema } from '#shared/contract/catalog.ts';
import { ResourcesPane } from './resources-pane.tsx';
import { useResourcesState } from './resources-state.ts';

afterEach(cleanup);

let sessions = 0;

/** Shows the pane for a new session whose server lists these resources, each with this text. */
async function showPane(resources: readonly Record<string, unknown>[], text = 'hello') {
  const n = ++sessions;
  const session = aSession({ id: `resources-${n}`, serverId: `resources-${n}` });
  const engine = fakeEngine({
    'catalog/resources': () => ({
      ...aList,
      entries: resources.map((one) => ({
        usable: true as const,
        resource: resourceSchema.parse(one),
        duplicate: false,
        raw: JSON.stringify(one),
      })),
    }),
    'catalog/templates': () => ({ ...aList, entries: [] }),
    'subscriptions/list': () => [],
    'calls/list': () => [],
    'calls/request': ({ method, params }) =>
      aCall({
        id: `read-${n}`,
        sessionId: session.id,
        method,
        tool: null,
        arguments: params ?? '{}',
        state: 'ok',
        duration: 1000,
        result: JSON.stringify({ contents: [{ uri: 'a://x', text }] }),
      }),
  });
  useResourcesState.setState({ order: 'server', audience: 'any', layout: 'list' });
  useSessions.setState({ sessions: { [session.id]: session } });
  useSelection.setState({ serverId: session.serverId, pane: 'resources' });
  render(<ResourcesPane />);
  await screen.findByRole('listbox', { name: 'Resources' });
  return { engine, user: userEvent.setup() };
}

const options = () =>
  within(screen.getByRole('listbox', { name: 'Resources' }))
    .getAllByRole('option')
    .map((option) => option.getAttribute('aria-label'));

async function choose(user: UserEvent, name: string): Promise<void> {
  await user.click(screen.getByRole('button', { name: 'Sort and filter' }));
  await user.click(screen.getByRole('menuitemcheckbox', { name }));
}

test('the list is sorted and filtered by annotations, which it shows', async () => {
  const { user } = await showPane([
    { uri: 'a://low', name: 'low', annotations: { audience: ['assistant'], priority: 0.1 } },
    { uri: 'a://none', name: 'none' },
    {
      uri: 'a://high',
      name: 'high',
      annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
    },
  ]);
  expect(options()).toEqual(['low, a://low', 'none, a://none', 'high, a://high']);
  expect(screen.getByText('for user · priority 1 · changed 2026-01-01T00:00:00Z')).toBeTruthy();
  await choose(user, 'Priority');
  expect(options()).toEqual(['high, a://high', 'low, a://low', 'none, a://none']);
  await choose(user, 'For the assistant');
  expect(options()).toEqual(['low, a://low', 'none, a://none']);
  expect(screen.getByText('2 of 3 · for the assistant · by priority')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Sort and filter' }));
  expect(screen.getByRole('menuitemcheckbox', { name: 'Priority', checked: true })).toBeTruthy();
  expect(screen.getByRole('menuitemcheckbox', { name: 'Server order', checked: false })).toBeTruthy();
});

test('a directory is recognized, and opened by nothing', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null);
  const { engine, user } = await showPane([
    { uri: 'file:///srv/notes/', name: 'notes' },
    { uri: 'git://repo/tree', name: 'tree', mimeType: 'inode/directory' },
    { uri: 'file:///srv/notes/a.md', name: 'a.md' },
  ]);
  expect(options()).toEqual([
    'notes, file:///srv/notes/, directory',
    'tree, git://repo/tree, directory',
    'a.md, file:///srv/notes/a.md',
  ]);
  await user.click(screen.getByRole('option', { name: /^notes/ }));
  expect(screen.getByText('Not read yet')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Open in browser…' })).toBeNull();
  expect(engine.asked('calls/request')).toEqual([]);
  expect(open).not.toHaveBeenCalled();
  open.mockRestore();
});

test('an https resource opens in the browser after a confirmation with its whole URL', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null);
  const { engine, user } = await showPane([{ uri: 'https://docs.example:8443/a?b=c', name: 'docs' }]);
  await user.click(screen.getByRole('option', { name: /^docs/ }));
  await user.click(screen.getByRole('button', { name: 'Open in browser…' }));
  const question = within(screen.getByRole('dialog', { name: 'Open this address?' }));
  expect(question.getByLabelText('host docs.example:8443').parentElement?.textContent).toBe(
    'https://docs.example:8443/a?b=c',
  );
  expect(open).not.toHaveBeenCalled();
  await user.click(question.getByRole('button', { name: 'Open' }));
  expect(open).toHaveBeenCalledExactlyOnceWith(
    'https://docs.example:8443/a?b=c',
    '_blank',
    'noopener,noreferrer',
  );
  expect(engine.asked('calls/request')).toEqual([]);
  open.mockRestore();
});
