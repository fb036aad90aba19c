import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { currentCommands } from '#model/commands.ts';
import { useApprovals } from '#model/servers.ts';
import { openEditor, useSelection } from '#model/selection.ts';
import { aServer, stdioSettings } from '#fixtures/page/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { useDrafts } from '../unsaved-drafts.ts';
import {
  beginEmpty,
  chooseKind,
  commandLine,
  descriptionOf,
  save,
  showForm,
  url,
  writeUrl,
} from '#fixtures/page/server-form.tsx';

beginEmpty();

const words = () => within(screen.getByLabelText('Parsed command')).getAllByRole('listitem');

test('a pasted command line is split, shown word by word, and saved as these words', async () => {
  const { engine, user } = showForm();
  await user.click(commandLine());
  await user.paste(`npx -y 'my server' "two words" ''`);
  expect(words().map(({ textContent }) => textContent)).toEqual([
    'npx',
    '-y',
    'my server',
    'two words',
    'empty',
  ]);

  await save();
  const [saved] = engine.asked('servers/save');
  expect(saved).toMatchObject({
    id: null,
    settings: {
      name: 'my server',
      transport: { command: 'npx', args: ['-y', 'my server', 'two words', ''] },
    },
  });
  expect(engine.asked('sessions/open')).toEqual([]);
  expect(useSelection.getState()).toMatchObject({ serverId: 'new-id', editor: null });
});

test('the path of a server’s file becomes the command that runs it, in its folder', async () => {
  const { saved, user } = showForm();
  await user.click(commandLine());
  await user.paste('/srv/notes/server.py');
  await user.click(screen.getByRole('button', { name: 'Run it with python3' }));
  expect(commandLine().value).toBe('python3 /srv/notes/server.py');
  expect(screen.queryByRole('button', { name: /^Run it with/ })).toBeNull();
  await save();
  expect(saved()?.transport).toMatchObject({
    command: 'python3',
    args: ['/srv/notes/server.py'],
    cwd: '/srv/notes',
  });
});

test('is marked as edited, which keeps a pasted configuration out, once more than the kind has changed', async () => {
  const { user } = showForm();
  const isEdited = () => screen.getByRole('form').hasAttribute('data-is-edited');
  await chooseKind('URL (HTTP)');
  expect(isEdited()).toBe(false);
  await user.type(screen.getByLabelText('Notes'), 'm');
  expect(isEdited()).toBe(true);
  await user.clear(screen.getByLabelText('Notes'));
  expect(isEdited()).toBe(false);
});

test('says where a relative path is looked for', async () => {
  const { user } = showForm();
  await user.click(commandLine());
  await user.paste('npx -y @scope/server');
  const folder = screen.getByLabelText('Working folder');
  expect(descriptionOf(folder)).not.toContain('is looked for');
  await user.clear(commandLine());
  await user.click(commandLine());
  await user.paste('node dist/index.js');
  expect(descriptionOf(folder)).toContain('dist/index.js is looked for in your home folder');
  await user.type(folder, '/srv');
  expect(descriptionOf(folder)).toContain('is looked for in this folder');
});

test('in a desktop window a server’s file is chosen or dropped', async () => {
  const { user } = showForm(
    null,
    {},
    {
      pathOf: ({ name }) => `/srv/${name}`,
      chooseTraces: () => Promise.resolve([]),
      chooseFolders: () => Promise.resolve([]),
      showInFolder: () => Promise.resolve(),
    },
  );
  await user.upload(screen.getByLabelText('Server file'), new File([], 'index.js'));
  expect(commandLine().value).toBe('node /srv/index.js');
  fireEvent.drop(commandLine(), { dataTransfer: { files: [new File([], 'a server')] } });
  expect(commandLine().value).toBe("'/srv/a server'");
});

test('a placeholder gets a field for its value, which stays with the engine once it is stored', async () => {
  const { saved, user } = showForm();
  await user.click(commandLine());
  await user.paste('node server.js --token ${input:token}');
  const value = screen.getByLabelText('${input:token}');
  expect(value.getAttribute('type')).toBe('password');
  await user.type(value, 's3cret');
  await save();
  expect(saved()?.variables).toEqual([
    { name: 'input:token', value: 's3cret', secret: true, description: null },
  ]);
});

test('a stored variable is kept unless a value is written', async () => {
  const variable = { name: 'input:token', value: null, secret: true, description: 'From your profile' };
  const transport = stdioSettings({ args: ['${input:token}'] });
  const { saved, user } = showForm(aServer({ transport, variables: [variable] }));
  const value = screen.getByLabelText('${input:token}');
  expect(value.getAttribute('placeholder')).toBe('as stored');
  expect(screen.getByText('From your profile')).toBeTruthy();
  await save();
  expect(saved()?.variables).toEqual([variable]);
  await user.type(value, 'another');
  await save();
  expect(saved()?.variables).toEqual([{ ...variable, value: 'another' }]);
});

test('what is wrong is said at the field, and nothing is saved until it is right', async () => {
  const { engine, user } = showForm();
  await user.click(screen.getByRole('button', { name: /Save and connect/ }));
  const line = commandLine();
  expect(line.getAttribute('aria-invalid')).toBe('true');
  expect(
    document.getElementById(line.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '')?.textContent,
  ).toContain('Enter the command');
  expect(engine.asked('servers/save')).toEqual([]);

  await user.type(line, 'node server.js');
  expect(line.getAttribute('aria-invalid')).toBeNull();
  await user.click(screen.getByRole('button', { name: /Save and connect/ }));
  expect(engine.asked('servers/save')).toHaveLength(1);
  expect(engine.asked('sessions/open')).toEqual([{ serverId: 'new-id' }]);
});

test('its keys are those of commands, which work wherever the focus is while it is open', async () => {
  const { engine, unmount, user } = showForm();
  const press = (shortcut: string) =>
    act(() =>
      currentCommands()
        .find((command) => command.shortcut === shortcut)
        ?.run(),
    );
  await user.click(commandLine());
  await user.paste('node server.js');
  act(() => commandLine().blur());
  press('Mod+S');
  await waitFor(() => expect(engine.asked('servers/save')).toHaveLength(1));
  expect(engine.asked('sessions/open')).toEqual([]);
  await user.type(commandLine(), 'node other.js');
  press('Mod+Enter');
  await waitFor(() => expect(engine.asked('sessions/open')).toEqual([{ serverId: 'new-id' }]));
  unmount();
  expect(currentCommands()).toEqual([]);
});

test('a variable whose name tells of a secret is taken for one, typed or pasted', async () => {
  const { user } = showForm();
  await user.click(screen.getByRole('button', { name: 'Add a variable' }));
  await user.click(screen.getByRole('textbox', { name: 'Name of new variable' }));
  await user.paste('API_TOKEN');
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'secret' }).checked).toBe(true);
  expect(screen.getByLabelText('Value of API_TOKEN').getAttribute('type')).toBe('password');
});

test('a secret stays with the engine until it is asked for', async () => {
  const server = aServer({
    transport: stdioSettings({ env: [{ name: 'TOKEN', value: null, secret: true }] }),
  });
  const { engine, user } = showForm(server);
  const value = screen.getByLabelText<HTMLInputElement>('Value of TOKEN');
  expect(value.value).toBe('');
  await user.type(screen.getByRole('textbox', { name: 'Name' }), ' 2');
  await save();
  expect(engine.asked('servers/save')).toMatchObject([
    { settings: { transport: { env: [{ name: 'TOKEN', value: null, secret: true }] } } },
  ]);
  expect(engine.asked('servers/reveal')).toEqual([]);

  await user.click(screen.getByRole('button', { name: 'Show the value of TOKEN' }));
  expect(value.type).toBe('text');
  expect(value.value).toBe('the value of TOKEN');
});

test('variables written before the command move to the environment', async () => {
  const { user } = showForm();
  await user.click(commandLine());
  await user.paste('API_KEY=abc MODE="a b" node server.js');
  await user.click(screen.getByRole('button', { name: 'Move to the environment' }));
  expect(words().map(({ textContent }) => textContent)).toEqual(['node', 'server.js']);
  expect(screen.getByLabelText<HTMLInputElement>('Value of API_KEY').type).toBe('password');
  expect(screen.getByLabelText<HTMLInputElement>('Value of MODE').value).toBe('a b');
});

test('what only a shell would expand is pointed out', async () => {
  const { user } = showForm();
  await user.click(commandLine());
  await user.paste('node ${HOME}/server.js > log');
  expect(screen.getByText(/No shell runs this/).textContent).toContain('${HOME} >');
});

test('looking at another server and back loses nothing', async () => {
  const { unmount, user } = showForm();
  await user.type(commandLine(), 'deno run server.ts');
  unmount();
  showForm();
  expect(commandLine().value).toBe('deno run server.ts');
  openEditor(null);
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  expect(useDrafts.getState().drafts).toEqual({});
  expect(useSelection.getState().editor).toBeNull();
});

test('says why it could not be saved, and keeps what was written', async () => {
  const { user } = showForm(null, {
    'servers/save': () => {
      throw new FaultError({ code: 'disk-full', what: 'The settings could not be written.' });
    },
  });
  await user.type(commandLine(), 'node x');
  await save();
  expect((await screen.findByRole('alert')).textContent).toContain('The settings could not be written.');
  expect(commandLine().value).toBe('node x');
});

test('a revision is chosen from those of the era, or any text, which is said to be sent as written', async () => {
  const { saved, user } = showForm();
  await user.type(commandLine(), 'node x');
  const revision = screen.getByRole<HTMLInputElement>('combobox', { name: 'Revision' });
  await user.click(screen.getByRole('radio', { name: 'legacy' }));
  await user.click(revision);
  const offered = (await screen.findAllByRole('option')).map(({ textContent }) => textContent);
  expect(offered.map((text) => text?.slice(0, 10))).toEqual([
    'newest2025',
    '2025-11-25',
    '2025-06-18',
    '2025-03-26',
    '2024-11-05',
  ]);
  await user.click(screen.getByRole('option', { name: /^2025-06-18/ }));
  expect(revision.value).toBe('2025-06-18');
  expect(screen.queryByRole('option')).toBeNull();

  await user.clear(revision);
  await user.type(revision, '2031-01-01');
  expect(descriptionOf(revision)).toContain('Not a revision this app knows; it is sent as you wrote it');
  await save();
  expect(saved()).toMatchObject({ era: 'legacy', revision: '2031-01-01' });
});

const pingEvery = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Ping every' });
const reaction = (name: 'warn' | 'reconnect') => screen.getByRole<HTMLInputElement>('radio', { name });

test('a server is pinged every so often, and reconnected to when it is silent, if configured', async () => {
  const { saved, user } = showForm();
  await user.type(commandLine(), 'node x');
  expect(reaction('warn').disabled).toBe(true);
  await user.click(reaction('reconnect'));
  await user.type(pingEvery(), '2.5');
  expect(reaction('warn').getAttribute('aria-checked')).toBe('true');
  await user.click(reaction('reconnect'));
  await save();
  expect(saved()?.keepAlive).toEqual({ every: 2500, onSilence: 'reconnect' });
});

const pinged = aServer({ keepAlive: { every: 30_000, onSilence: 'reconnect' } });

test('how a server is pinged survives a look elsewhere and a change of something else', async () => {
  const { unmount, user } = showForm(pinged);
  await user.type(screen.getByRole('textbox', { name: 'Name' }), ' 2');
  unmount();
  const { saved } = showForm(pinged);
  expect(pingEvery().value).toBe('30');
  await save();
  expect(saved()).toMatchObject({ name: 'notes 2', keepAlive: pinged.keepAlive });
});

test('left empty, no ping goes out any more', async () => {
  const { saved, user } = showForm(pinged);
  await user.clear(pingEvery());
  expect(reaction('reconnect').disabled).toBe(true);
  await save();
  expect(saved()?.keepAlive.every).toBeNull();
});

test('a wrong time between pings is said at its field', async () => {
  const { engine, user } = showForm();
  await user.type(commandLine(), 'node x');
  await user.type(pingEvery(), 'often');
  await save();
  expect(document.activeElement).toBe(pingEvery());
  expect(descriptionOf(pingEvery())).toContain('A number of seconds');
  expect(engine.asked('servers/save')).toEqual([]);
});

test('a complaint waits until the pointer is let go, so that nothing moves from under it', async () => {
  const { user } = showForm();
  await chooseKind('URL (HTTP)');
  await writeUrl('nonsense');
  const fold = screen.getByRole('button', { name: 'TLS' });
  await user.pointer({ keys: '[MouseLeft>]', target: fold });
  expect(document.activeElement).not.toBe(url());
  expect(url().getAttribute('aria-invalid')).toBeNull();
  await user.pointer({ keys: '[/MouseLeft]', target: fold });
  expect(fold.getAttribute('aria-expanded')).toBe('true');
  await waitFor(() => expect(url().getAttribute('aria-invalid')).toBe('true'));
});

test('Escape closes the suggestions first, and only then the form', async () => {
  openEditor(null);
  const { user } = showForm();
  await user.click(screen.getByRole('combobox', { name: 'Revision' }));
  await screen.findAllByRole('option');
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('option')).toBeNull();
  expect(useSelection.getState().editor).not.toBeNull();
  await user.keyboard('{Escape}');
  expect(useSelection.getState().editor).toBeNull();
});

test('lists what was approved to run for this server, each to be revoked', async () => {
  const server = aServer();
  const launch = {
    command: 'node',
    args: ['approved.js'],
    cwd: '/work',
    env: [{ name: 'LD_PRELOAD', value: '/tmp/x.so' }],
    inherit: 'safe' as const,
    resolved: '/usr/bin/node',
  };
  const approvals = [
    { id: 'first', launch, serverIds: [server.id, 'another'], at: 0 },
    { id: 'other', launch: { ...launch, args: ['not-mine.js'] }, serverIds: ['another'], at: 0 },
  ];
  useApprovals.setState({ approvals });
  const { engine, user } = showForm(server, { 'approvals/revoke': () => null });
  await user.click(screen.getByRole('button', { name: 'Approved to run' }));
  const list = screen.getByRole('region', { name: 'Approved to run' });
  expect(list.textContent).toContain('approved.js');
  expect(list.textContent).toContain('LD_PRELOAD=/tmp/x.so');
  expect(list.textContent).toContain('can load other code');
  expect(list.textContent).toContain('also for 1 other server');
  expect(list.textContent).not.toContain('not-mine.js');
  await user.click(within(list).getByRole('button', { name: 'Revoke' }));
  expect(engine.asked('approvals/revoke')).toEqual([{ id: 'first' }]);
});

test('lists the variables that were approved to be sent by this server, to be revoked', async () => {
  const server = aServer();
  const sent = {
    origin: 'https://api.example.com',
    variables: [{ variable: '${env:TOKEN}', places: ['Authorization'] }],
  };
  useApprovals.setState({ approvals: [{ id: 'sent', sent, serverIds: [server.id], at: 0 }] });
  const { engine, user } = showForm(server, { 'approvals/revoke': () => null });
  await user.click(screen.getByRole('button', { name: 'Approved to be sent' }));
  const list = screen.getByRole('region', { name: 'Approved to be sent' });
  expect(list.textContent).toContain('https://api.example.com');
  expect(list.textContent).toContain('${env:TOKEN} in the header Authorization');
  await user.click(within(list).getByRole('button', { name: 'Revoke' }));
  expect(engine.asked('approvals/revoke')).toEqual([{ id: 'sent' }]);
});

test('a template fills in the usual command line, with what to replace selected', async () => {
  const { user } = showForm();
  await user.click(screen.getByRole('button', { name: 'uvx' }));
  const line = commandLine();
  await waitFor(() =>
    expect(line.value.slice(line.selectionStart ?? 0, line.selectionEnd ?? 0)).toBe('PACKAGE'),
  );
  expect(line.value).toBe('uvx PACKAGE');
  expect(screen.queryByRole('group', { name: 'Templates' })).toBeNull();
});

test('a variable with choices is chosen, and one that has another value keeps it until then', async () => {
  const choice = { secret: false, description: 'Where it runs', choices: ['eu', 'us'] };
  const region = { ...choice, name: 'input:region', value: 'eu' };
  const zone = { ...choice, name: 'input:zone', value: 'old' };
  const transport = stdioSettings({ args: ['${input:region}', '${input:zone}'] });
  const { saved, user } = showForm(aServer({ transport, variables: [region, zone] }));
  const field = (name: string) => screen.getByRole<HTMLSelectElement>('combobox', { name });
  expect(field('${input:region}').value).toBe('eu');
  expect(field('${input:zone}').value).toBe('old');
  await user.selectOptions(field('${input:region}'), 'us');
  await save();
  expect(saved()?.variables).toEqual([{ ...region, value: 'us' }, zone]);
});
