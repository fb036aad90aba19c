import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useAttempts } from '#model/connection.ts';
import { openEditor, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { useSessions } from '#model/sessions.ts';
import { fakeEngine } from '#model/testing/fake-engine.ts';
import { anHttpServer, aServer, aSession, stdioSettings } from '#model/testing/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { plainHttpSettings, type ServerSettings } from '#shared/contract/servers.ts';
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
const url = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'URL' });
const chooseKind = (name: 'Command (stdio)' | 'URL (HTTP)') =>
  userEvent.click(screen.getByRole('radio', { name }));
/** Puts a text in place of the URL, as one pasted over it. */
const writeUrl = async (text: string) => {
  await userEvent.clear(url());
  await userEvent.click(url());
  await userEvent.paste(text);
};
const save = () => userEvent.click(screen.getByRole('button', { name: /^Save(?! and)/ }));
/** What is said of a field: its hint, its note, its error. */
const saidOf = (field: HTMLElement) =>
  (field.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent)
    .join(' ');
/** The settings that were saved last. */
const lastSaved = (engine: ReturnType<typeof fakeEngine>) =>
  (engine.asked('servers/save').at(-1) as { settings: ServerSettings } | undefined)?.settings;
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
    transport: stdioSettings({ env: [{ name: 'TOKEN', value: null, secret: true }] }),
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

test('an HTTP server is added with its URL, transport, headers, TLS files and proxy', async () => {
  const engine = savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await chooseKind('URL (HTTP)');
  expect(document.activeElement).toBe(url());
  await user.paste('https://example.com/mcp');
  await user.click(screen.getByRole('radio', { name: 'Streamable HTTP' }));
  await user.click(screen.getByRole('button', { name: 'Authorization: Bearer …' }));
  const value = screen.getByLabelText<HTMLInputElement>('Value of Authorization');
  expect(document.activeElement).toBe(value);
  expect(value.type).toBe('password');
  await user.keyboard('abc');
  await user.click(screen.getByRole('button', { name: 'TLS' }));
  await user.type(screen.getByRole('textbox', { name: 'CA file' }), '/pki/ca.pem');
  await user.click(screen.getByRole('radio', { name: 'none' }));
  await user.click(screen.getByRole('radio', { name: 'modern' }));
  await save();
  expect(lastSaved(engine)).toMatchObject({
    name: 'example.com',
    era: 'modern',
    transport: {
      ...plainHttpSettings('https://example.com/mcp'),
      transport: 'streamable-http',
      headers: [{ name: 'Authorization', value: 'Bearer abc', secret: true }],
      tls: { caFile: '/pki/ca.pem', certFile: null, keyFile: null, accepted: null },
      proxy: 'none',
    },
  });
});

test('a URL is judged as it is typed', async () => {
  savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await chooseKind('URL (HTTP)');
  await writeUrl('htt');
  expect(url().getAttribute('aria-invalid')).toBeNull();
  await writeUrl('ws://example.com');
  expect(url().getAttribute('aria-invalid')).toBe('true');
  expect(saidOf(url())).toContain('ws://');

  await writeUrl('http://localhost:3000/mcp');
  expect(screen.queryByText(/Not encrypted/)).toBeNull();
  await writeUrl('http://example.com/mcp');
  expect(screen.getByText(/Not encrypted/)).toBeTruthy();
  expect(url().getAttribute('aria-invalid')).toBeNull();

  await writeUrl('localhost:3000/mcp');
  await user.click(screen.getByRole('button', { name: 'Use this' }));
  expect(url().value).toBe('http://localhost:3000/mcp');
});

test('a user name in the URL moves to a secret header', async () => {
  const engine = savedOnes();
  render(<ServerEditor editor={{ serverId: null }} />);
  await chooseKind('URL (HTTP)');
  await writeUrl('https://me:sesame@example.com/mcp');
  await userEvent.click(screen.getByRole('button', { name: 'Move to a header' }));
  await save();
  expect(lastSaved(engine)?.transport).toMatchObject({
    url: 'https://example.com/mcp',
    headers: [{ name: 'Authorization', value: `Basic ${btoa('me:sesame')}`, secret: true }],
  });
});

test('switching the kind keeps what was typed for the other', async () => {
  const engine = savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await user.type(commandLine(), 'node server.js');
  await user.click(screen.getByRole('button', { name: 'Add a variable' }));
  await user.keyboard('MODE');
  await chooseKind('URL (HTTP)');
  await writeUrl('https://example.com/mcp');
  await chooseKind('Command (stdio)');
  expect(commandLine().value).toBe('node server.js');
  expect(screen.getByLabelText('Value of MODE')).toBeTruthy();
  await chooseKind('URL (HTTP)');
  expect(url().value).toBe('https://example.com/mcp');
  await save();
  expect(lastSaved(engine)?.transport.kind).toBe('http');
});

test('what was put into the field of the other kind moves there with one click', async () => {
  savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await user.click(commandLine());
  await user.paste('https://example.com/mcp');
  await user.click(screen.getByRole('button', { name: 'Use it as the URL' }));
  expect(url().value).toBe('https://example.com/mcp');

  await user.clear(url());
  await user.paste('npx -y @scope/server');
  expect(url().getAttribute('aria-invalid')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Use it as the command' }));
  expect(commandLine().value).toBe('npx -y @scope/server');
  await chooseKind('URL (HTTP)');
  expect(url().value).toBe('');
});

test('header lines are split when they are pasted, and kept secret', async () => {
  const engine = savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await chooseKind('URL (HTTP)');
  await writeUrl('https://example.com/mcp');
  await user.click(screen.getByRole('button', { name: 'Add a header' }));
  expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Name of new header' }));
  await user.paste('X-API-Key: k1\nCookie: a=1');
  expect(screen.getByLabelText<HTMLInputElement>('Value of Cookie').type).toBe('password');
  await user.click(screen.getByRole('button', { name: 'Show the value of Cookie' }));
  expect(screen.getByLabelText<HTMLInputElement>('Value of Cookie').type).toBe('text');
  await save();
  expect(lastSaved(engine)?.transport).toMatchObject({
    headers: [
      { name: 'X-API-Key', value: 'k1', secret: true },
      { name: 'Cookie', value: 'a=1', secret: true },
    ],
  });
});

test('header names are suggested, and a name no header can have is refused at its row', async () => {
  const engine = savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await chooseKind('URL (HTTP)');
  await writeUrl('https://example.com/mcp');
  await user.click(screen.getByRole('button', { name: 'Add a header' }));
  await user.keyboard('api');
  expect((await screen.findAllByRole('option')).map(({ textContent }) => textContent)).toEqual(['X-API-Key']);
  await user.keyboard('{ArrowDown}{Enter}');
  const name = screen.getByRole<HTMLInputElement>('combobox', { name: 'Name of X-API-Key' });
  expect(name.value).toBe('X-API-Key');
  expect(engine.asked('servers/save')).toEqual([]);

  await user.type(name, ' 2');
  await user.tab();
  expect(name.getAttribute('aria-invalid')).toBe('true');
  expect(saidOf(name)).toContain('letters, digits and dashes');
  await save();
  expect(engine.asked('servers/save')).toEqual([]);
  expect(document.activeElement).toBe(name);
});

test('a secret header stays with the engine until it is asked for, and an accepted certificate can be forgotten', async () => {
  const engine = savedOnes();
  const user = userEvent.setup();
  const server = anHttpServer({
    transport: {
      ...plainHttpSettings('https://example.com/mcp'),
      headers: [{ name: 'Authorization', value: null, secret: true }],
      tls: { caFile: null, certFile: null, keyFile: null, accepted: 'AB:CD' },
    },
  });
  useServers.setState({ servers: [server] });
  render(<ServerEditor editor={{ serverId: server.id }} />);
  await user.click(screen.getByRole('button', { name: 'TLS' }));
  expect(screen.getByText('AB:CD')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Forget it' }));
  expect(screen.queryByText('AB:CD')).toBeNull();
  await save();
  expect(lastSaved(engine)?.transport).toEqual({
    ...server.transport,
    tls: { caFile: null, certFile: null, keyFile: null, accepted: null },
  });
  expect(engine.asked('servers/reveal')).toEqual([]);
});

test('a mistake in what is folded away is brought into view', async () => {
  const engine = savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
  await chooseKind('URL (HTTP)');
  await writeUrl('https://example.com/mcp');
  const fold = screen.getByRole('button', { name: 'TLS' });
  await user.click(fold);
  await user.type(screen.getByRole('textbox', { name: 'Client certificate' }), '/me.pem');
  await user.click(fold);
  expect(fold.getAttribute('aria-expanded')).toBe('false');
  await save();
  expect(engine.asked('servers/save')).toEqual([]);
  const key = screen.getByRole('textbox', { name: 'Key of the client certificate' });
  expect(document.activeElement).toBe(key);
  expect(saidOf(key)).toContain('needs its key');
});

test('a revision is chosen from those of the era, or any text, which is said to be sent as written', async () => {
  const engine = savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
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
  expect(saidOf(revision)).toContain('Not a revision this app knows; it is sent as you wrote it');
  await save();
  expect(lastSaved(engine)).toMatchObject({ era: 'legacy', revision: '2031-01-01' });
});

test('a complaint waits until the pointer is let go, so that nothing moves from under it', async () => {
  savedOnes();
  const user = userEvent.setup();
  render(<ServerEditor editor={{ serverId: null }} />);
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
  savedOnes();
  const user = userEvent.setup();
  openEditor(null);
  render(<ServerEditor editor={{ serverId: null }} />);
  await user.click(screen.getByRole('combobox', { name: 'Revision' }));
  await screen.findAllByRole('option');
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('option')).toBeNull();
  expect(useSelection.getState().editor).not.toBeNull();
  await user.keyboard('{Escape}');
  expect(useSelection.getState().editor).toBeNull();
});
