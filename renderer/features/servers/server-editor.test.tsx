import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useAttempts } from '#model/connection.ts';
import { openEditor, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { useSessions } from '#model/sessions.ts';
import { fakeEngine } from '#model/testing/fake-engine.ts';
import { aServer, aSession } from '#model/testing/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { useDrafts } from './editor-state.ts';
import { ServerEditor } from './server-editor.tsx';

beforeEach(() => {
  useDrafts.setState({ drafts: {} });
  useServers.setState({ servers: [] });
  useSessions.setState({ sessions: {} });
  useAttempts.setState({}, true);
  useSelection.setState({ serverId: null, editor: null });
});
afterEach(cleanup);

const commandLine = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Command line' });
const words = () => within(screen.getByLabelText('The words that are run')).getAllByRole('listitem');
const savedOnes = () =>
  fakeEngine({
    'servers/save': ({ id, settings }) => ({ ...settings, id: id ?? 'new-id', source: 'user' }),
    'sessions/open': ({ serverId }) => ({ outcome: 'opened', session: aSession({ serverId }) }),
    'servers/reveal': ({ name }) => ({ value: `the value of ${name}` }),
  });

test('a pasted command line is split, shown word by word, and saved as these words', async () => {
  const engine = savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await user.click(commandLine());
  await user.paste(`npx -y 'my server' "two words" ''`);
  expect(words().map(({ textContent }) => textContent)).toEqual([
    'npx',
    '-y',
    'my server',
    'two words',
    'empty',
  ]);

  await user.click(screen.getByRole('button', { name: /^Save(?! and)/ }));
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

test('what is wrong is said at the field, and nothing is saved until it is right', async () => {
  const engine = savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await user.click(screen.getByRole('button', { name: /Save and connect/ }));
  const line = commandLine();
  expect(line.getAttribute('aria-invalid')).toBe('true');
  expect(
    document.getElementById(line.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '')?.textContent,
  ).toContain('Write the command');
  expect(engine.asked('servers/save')).toEqual([]);

  await user.type(line, 'node server.js');
  expect(line.getAttribute('aria-invalid')).toBeNull();
  await user.click(screen.getByRole('button', { name: /Save and connect/ }));
  expect(engine.asked('servers/save')).toHaveLength(1);
  expect(engine.asked('sessions/open')).toEqual([{ serverId: 'new-id' }]);
});

test('a variable whose name tells of a secret is taken for one, typed or pasted', async () => {
  savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await user.click(screen.getByRole('button', { name: 'Add a variable' }));
  await user.click(screen.getByRole('textbox', { name: 'Name of new variable' }));
  await user.paste('API_TOKEN');
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'secret' }).checked).toBe(true);
  expect(screen.getByLabelText('Value of API_TOKEN').getAttribute('type')).toBe('password');
});

test('a secret stays with the engine until it is asked for', async () => {
  const engine = savedOnes();
  const user = userEvent.setup();
  const server = aServer({
    transport: {
      ...aServer().transport,
      env: [{ name: 'TOKEN', value: null, secret: true }],
    },
  });
  useServers.setState({ servers: [server] });
  render(<ServerEditor editor={{ serverId: server.id }} />);
  const value = screen.getByLabelText<HTMLInputElement>('Value of TOKEN');
  expect(value.value).toBe('');
  await user.type(screen.getByRole('textbox', { name: 'Name' }), ' 2');
  await user.click(screen.getByRole('button', { name: /^Save(?! and)/ }));
  expect(engine.asked('servers/save')).toMatchObject([
    { settings: { transport: { env: [{ name: 'TOKEN', value: null, secret: true }] } } },
  ]);
  expect(engine.asked('servers/reveal')).toEqual([]);

  await user.click(screen.getByRole('button', { name: 'Show the value of TOKEN' }));
  expect(value.type).toBe('text');
  expect(value.value).toBe('the value of TOKEN');
});

test('variables written before the command move to the environment', async () => {
  savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await user.click(commandLine());
  await user.paste('API_KEY=abc MODE="a b" node server.js');
  await user.click(screen.getByRole('button', { name: 'Move to the environment' }));
  expect(words().map(({ textContent }) => textContent)).toEqual(['node', 'server.js']);
  expect(screen.getByLabelText<HTMLInputElement>('Value of API_KEY').type).toBe('password');
  expect(screen.getByLabelText<HTMLInputElement>('Value of MODE').value).toBe('a b');
});

test('what only a shell would expand is pointed out', async () => {
  savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await user.click(commandLine());
  await user.paste('node ${HOME}/server.js > log');
  expect(screen.getByText(/No shell runs this/).textContent).toContain('${HOME} >');
});

test('looking at another server and back loses nothing', async () => {
  savedOnes();
  const user = userEvent.setup();
  const { unmount } = render(<ServerEditor editor={{ serverId: null }} />);
  await user.type(commandLine(), 'deno run server.ts');
  unmount();
  render(<ServerEditor editor={{ serverId: null }} />);
  expect(commandLine().value).toBe('deno run server.ts');
  openEditor(null);
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  expect(useDrafts.getState().drafts).toEqual({});
  expect(useSelection.getState().editor).toBeNull();
});

test('says why it could not be saved, and keeps what was written', async () => {
  fakeEngine({
    'servers/save': () => {
      throw new FaultError({ code: 'disk-full', what: 'The settings could not be written.' });
    },
  });
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await user.type(commandLine(), 'node x');
  await user.click(screen.getByRole('button', { name: /^Save(?! and)/ }));
  expect((await screen.findByRole('alert')).textContent).toContain('The settings could not be written.');
  expect(commandLine().value).toBe('node x');
});
