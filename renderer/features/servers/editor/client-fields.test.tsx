import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { useRoots } from '#model/roots.ts';
import { aServer } from '#fixtures/page/samples.ts';
import type { RootState } from '#shared/contract/roots.ts';
import { type ClientProfile, defaultClientProfile } from '#shared/contract/servers.ts';
import { newestLegacyRevision, newestModernRevision } from '#shared/protocol/revisions.ts';
import { beginEmpty, commandLine, descriptionOf, save, showForm } from '#fixtures/page/server-form.tsx';

beginEmpty();

const section = () => screen.getByRole('region', { name: 'Client profile' });
const unfold = () => userEvent.click(within(section()).getByRole('button', { name: 'Client profile' }));
const press = (name: string) => userEvent.click(within(section()).getByRole('button', { name }));
const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });
const choose = (name: string, label: string) =>
  userEvent.selectOptions(screen.getByRole('combobox', { name }), label);

async function write(name: string, text: string) {
  await userEvent.clear(field(name));
  await userEvent.click(field(name));
  await userEvent.paste(text);
}

test('a new server gets all capabilities of Sightglass, no roots, and the one rule that sends them', async () => {
  const { saved, user } = showForm();
  await user.type(commandLine(), 'node x');
  expect(section().textContent).toContain('all capabilities · no roots · 1 rule');
  await save();
  expect(saved()?.client).toEqual(defaultClientProfile);
});

const profile: ClientProfile = {
  info: { name: 'my-client', version: '2', title: null },
  capabilities: { roots: {}, experimental: { a: [1] } },
  roots: [
    { uri: 'file:///work', name: 'work' },
    { uri: 'file:///tmp', name: null },
  ],
  rules: [
    {
      method: 'sampling/createMessage',
      answer: { kind: 'error', code: -32000, message: 'no model' },
      delay: 250,
    },
    { method: 'elicitation/create', answer: { kind: 'result', json: '{ "action":"decline" }' }, delay: 0 },
    { method: 'roots/list', answer: { kind: 'cancel' }, delay: 1 },
  ],
};

test('what was saved is shown, and saved again as it was', async () => {
  const { saved, user } = showForm(aServer({ client: profile }));
  await unfold();
  expect(field('Message of the error of rule 1').value).toBe('no model');
  await user.type(screen.getByRole('textbox', { name: 'Name' }), ' 2');
  await save();
  expect(saved()?.client).toEqual(profile);
});

test('a preset sends what a known client sends; its name can be changed, and Sightglass be itself again', async () => {
  const { saved } = showForm(aServer());
  await unfold();
  await choose('Identify as', 'as Cursor');
  expect(section().textContent).toContain('as cursor-vscode · custom capabilities');
  await write('Client version', '');
  await save();
  expect(descriptionOf(field('Client version'))).toContain('A client has a version.');
  await write('Client version', '2.1');
  await save();
  expect(saved()).toMatchObject({
    era: 'legacy',
    revision: '2025-06-18',
    client: {
      info: { name: 'cursor-vscode', version: '2.1', title: null },
      capabilities: { roots: {}, elicitation: {} },
    },
  });
  await choose('Identify as', 'Sightglass');
  await save();
  expect(saved()?.client).toMatchObject({ info: null, capabilities: null });
});

test('what is announced by default is shown for each revision that may come to be spoken', async () => {
  showForm();
  await unfold();
  expect(section().textContent).toContain('extensions');
  await userEvent.click(screen.getByRole('radio', { name: newestLegacyRevision }));
  expect(section().textContent).not.toContain('extensions');
  await userEvent.click(screen.getByRole('radio', { name: 'modern' }));
  expect(section().textContent).toContain(`in${newestModernRevision}`);
});

test('capabilities of one’s own begin with all, and must be an object', async () => {
  const { engine, saved, user } = showForm();
  await user.type(commandLine(), 'node x');
  await unfold();
  await user.click(screen.getByRole('radio', { name: 'Custom' }));
  expect(JSON.parse(field('As JSON').value)).toHaveProperty('sampling');
  await write('As JSON', '[]');
  await save();
  expect(descriptionOf(field('As JSON'))).toContain('This must be a JSON object.');
  expect(engine.asked('servers/save')).toEqual([]);
  await write('As JSON', '{"sampling":{}}');
  await save();
  expect(saved()?.client.capabilities).toEqual({ sampling: {} });
});

test('roots are added and removed; what is no file:// URI is pointed out and kept', async () => {
  const { saved, user } = showForm();
  await user.type(commandLine(), 'node x');
  await unfold();
  await press('Add a root');
  await press('Add a root');
  await press('Add a root');
  await write('URI of root 1', '/home/me');
  await write('Name of root 2', 'nameless');
  expect(descriptionOf(field('URI of root 1'))).toContain('use file:///home/me');
  await save();
  expect(document.activeElement).toBe(field('URI of root 2'));
  expect(descriptionOf(field('URI of root 2'))).toContain('needs a URI');
  await press('Remove root 2');
  await save();
  expect(saved()?.client.roots).toEqual([{ uri: '/home/me', name: null }]);
});

test('a root says what is there: a saved one as the engine watches it, an edited one as it is checked', async () => {
  const state = (uri: string, condition: RootState['condition']): RootState => ({
    uri,
    condition,
    path: uri.slice(7),
    realPath: condition === 'missing' ? null : uri.slice(7),
  });
  const roots = [{ uri: 'file:///work', name: null }];
  const { engine } = showForm(aServer({ client: { ...defaultClientProfile, roots } }), {
    'roots/check': ({ uri }) => state(uri, uri === 'file:///gone' ? 'missing' : 'folder'),
  });
  act(() => useRoots.setState({ states: [state('file:///work', 'not-a-folder')] }));
  await unfold();
  expect(descriptionOf(field('URI of root 1'))).toContain('This is a file, not a folder.');
  act(() => useRoots.setState({ states: [state('file:///work', 'folder')] }));
  expect(descriptionOf(field('URI of root 1'))).toContain('exists');
  expect(engine.asked('roots/check')).toEqual([]);
  await write('URI of root 1', 'file:///gone');
  await waitFor(() => expect(descriptionOf(field('URI of root 1'))).toContain('no such folder'));
  // Its note says more than its state.
  await write('URI of root 1', '/a b/c');
  expect(descriptionOf(field('URI of root 1'))).toContain('use file:///a%20b/c');
  expect(engine.asked('roots/check')).not.toContainEqual({ uri: '/a b/c' });
});

test('in a desktop window folders are chosen, and get their names', async () => {
  const { saved, user } = showForm(
    null,
    {},
    {
      pathOf: () => '',
      chooseTraces: () => Promise.resolve([]),
      chooseFolders: () => Promise.resolve(['file:///home/my%20work', 'file:///']),
      showInFolder: () => Promise.resolve(),
    },
  );
  await user.type(commandLine(), 'node x');
  await unfold();
  await press('Choose folders…');
  await save();
  expect(saved()?.client.roots).toEqual([
    { uri: 'file:///home/my%20work', name: 'my work' },
    { uri: 'file:///', name: null },
  ]);
});

test('a browser has no folders to choose from', async () => {
  showForm();
  await unfold();
  expect(screen.queryByRole('button', { name: 'Choose folders…' })).toBeNull();
});

test('rules are added, ordered and removed; one that is never reached says so', async () => {
  const { saved, user } = showForm();
  await user.type(commandLine(), 'node x');
  await unfold();
  await press('Add a rule');
  await choose('Question of rule 2', 'roots/list');
  await choose('Answer of rule 2', 'this error');
  await write('Delay of rule 2 in milliseconds', '20');
  expect(screen.getByRole('group', { name: 'Rule 2' }).textContent).toContain('Never reached');
  await press('Move rule 2 up');
  expect(screen.getByRole('group', { name: 'Rule 2' }).textContent).toContain('Never reached');
  await press('Remove rule 2');
  await save();
  expect(saved()?.client.rules).toEqual([
    {
      method: 'roots/list',
      answer: { kind: 'error', code: -1, message: 'User rejected the request' },
      delay: 20,
    },
  ]);
});

test('a rule with a wrong result, code or delay says so at its part', async () => {
  const { engine, user } = showForm();
  await user.type(commandLine(), 'node x');
  await unfold();
  await choose('Answer of rule 1', 'this result');
  await write('Delay of rule 1 in milliseconds', '600001');
  await save();
  expect(descriptionOf(field('Result of rule 1 as JSON'))).toContain('This must be a JSON object.');
  expect(descriptionOf(field('Delay of rule 1 in milliseconds'))).toContain('at most 600000');
  await choose('Answer of rule 1', 'this error');
  await write('Code of the error of rule 1', '1.5');
  await save();
  expect(descriptionOf(field('Code of the error of rule 1'))).toContain('whole number');
  expect(engine.asked('servers/save')).toEqual([]);
});

test('a limit of requests and the hold of unknown ones are saved', async () => {
  const { saved, user } = showForm();
  await user.type(commandLine(), 'node x');
  await unfold();
  await write('Requests a minute', 'many');
  await user.tab();
  expect(section().textContent).toContain('A whole number from 1 to 99999');
  await write('Requests a minute', '30');
  await user.click(screen.getByRole('checkbox', { name: /^Hold unknown requests/ }));
  await save();
  expect(saved()?.client).toMatchObject({ requestsPerMinute: 30, holdsUnknown: true });
});
