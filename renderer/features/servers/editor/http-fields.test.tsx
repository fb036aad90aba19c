import { render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, onTestFinished, test } from 'vitest';
import { useAppInfo } from '#model/app-info.ts';
import { anHttpServer } from '#fixtures/page/samples.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';
import { Toaster } from '#ui/toaster.tsx';
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

test('an HTTP server is added with its URL, transport, headers, TLS files and proxy', async () => {
  const { saved, user } = showForm();
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
  expect(saved()).toMatchObject({
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

test('what a provider needs is part of the settings: what is never sent, token parameters, whom an assertion is for', async () => {
  const { saved, user } = showForm();
  await chooseKind('URL (HTTP)');
  await user.paste('https://example.com/mcp');
  await user.click(screen.getByRole('button', { name: 'Authorization' }));
  const never = within(screen.getByRole('group', { name: 'Never send' }));
  for (const name of ['redirect_uri', 'resource', 'scope']) await user.click(never.getByLabelText(name));
  await user.click(never.getByLabelText('scope'));
  await user.click(screen.getByRole('button', { name: 'Add a token parameter' }));
  await user.type(screen.getByRole('textbox', { name: 'Name of the extra token parameter' }), 'audience');
  await user.type(screen.getByRole('textbox', { name: 'Value of audience' }), 'https://api.example');
  await user.selectOptions(screen.getByLabelText('Client authentication'), 'private_key_jwt');
  const audience = screen.getByLabelText('Assertion audience');
  expect(audience.getAttribute('aria-describedby')).not.toBeNull();
  await user.selectOptions(audience, 'Token endpoint');
  await user.type(screen.getByRole('textbox', { name: 'Key ID' }), 'key-1');
  await save();
  expect(saved()).toMatchObject({
    transport: {
      authorization: {
        dropped: ['resource', 'redirect_uri'],
        tokenExtra: [{ name: 'audience', value: 'https://api.example' }],
        assertionAudience: 'token-endpoint',
        keyId: 'key-1',
      },
    },
  });
});

test('the form says what is wrong with a token parameter and a key ID', async () => {
  const { user } = showForm();
  await chooseKind('URL (HTTP)');
  await user.paste('https://example.com/mcp');
  await user.click(screen.getByRole('button', { name: 'Authorization' }));
  const add = () => user.click(screen.getByRole('button', { name: 'Add a token parameter' }));
  const names = () => screen.getAllByRole('textbox', { name: 'Name of the extra token parameter' });
  await add();
  await user.type(screen.getByRole('textbox', { name: 'Value of the extra token parameter' }), 'x');
  expect(screen.getByText('Without a name it is not sent.')).toBeDefined();
  await user.type(names()[0] as HTMLElement, 'audience');
  await add();
  await user.type(names()[1] as HTMLElement, 'audience');
  expect(screen.getByText('A parameter must not be repeated (RFC 6749 3.2).')).toBeDefined();
  expect(names()[1]?.getAttribute('aria-invalid')).toBe('true');
  await user.clear(names()[1] as HTMLElement);
  await user.type(names()[1] as HTMLElement, ' x');
  expect(screen.getByText('Its name begins or ends with a space.')).toBeDefined();
  await user.selectOptions(screen.getByLabelText('Client authentication'), 'private_key_jwt');
  await user.type(screen.getByRole('textbox', { name: 'Key ID' }), 'key ');
  expect(screen.getByText(/^It begins or ends with a space/)).toBeDefined();
});

test('how to authorize is part of the settings; a secret is typed hidden', async () => {
  const { saved, user } = showForm();
  await chooseKind('URL (HTTP)');
  await user.paste('https://example.com/mcp');
  await user.click(screen.getByRole('button', { name: 'Authorization' }));
  await user.click(screen.getByRole('radio', { name: 'stepped' }));
  await user.type(screen.getByRole('textbox', { name: 'Client ID' }), 'mine');
  const secret = screen.getByLabelText<HTMLInputElement>('Client secret');
  expect(secret.type).toBe('password');
  await user.type(secret, 'client-secret-1');
  // The URI to register is beside the client ID, before a port is chosen as well.
  expect(screen.getByText('http://127.0.0.1:PORT/callback')).toBeDefined();
  await user.type(screen.getByRole('textbox', { name: 'Port of the redirect' }), '8123');
  expect(screen.getByText('http://127.0.0.1:8123/callback')).toBeDefined();
  expect(screen.getByText('Register exactly this one.')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Add a parameter' }));
  await user.type(screen.getByRole('textbox', { name: 'Name of the extra parameter' }), 'prompt');
  await user.type(screen.getByRole('textbox', { name: 'Value of prompt' }), 'login');
  await save();
  expect(saved()).toMatchObject({
    transport: {
      authorization: {
        mode: 'stepped',
        clientId: 'mine',
        clientSecret: { isSet: true, value: 'client-secret-1' },
        redirect: { host: '127.0.0.1', port: 8123, path: '/callback' },
        extra: [{ name: 'prompt', value: 'login' }],
      },
    },
  });
});

test('a known client fills in redirect, registration and client, which stay editable', async () => {
  const { saved, user } = showForm();
  await chooseKind('URL (HTTP)');
  await user.paste('https://example.com/mcp');
  await user.click(screen.getByRole('button', { name: 'Authorization' }));
  const known = screen.getByRole('combobox', { name: 'Fill in as' });
  await user.selectOptions(known, 'Cursor');
  const note = screen.getByRole('note', { name: 'Known client' });
  expect(note.textContent).toContain('Sightglass cannot act as Cursor');
  await user.selectOptions(known, 'MCP Inspector 0.x');
  expect(note.textContent).toContain('Source: github.com/modelcontextprotocol/inspector');
  const port = screen.getByRole<HTMLInputElement>('textbox', { name: 'Port of the redirect' });
  expect(port.value).toBe('6274');
  await user.clear(port);
  await user.type(port, '6275');
  await save();
  expect(saved()).toMatchObject({
    transport: {
      authorization: {
        registration: 'dynamic',
        authMethod: 'none',
        clientName: 'MCP Inspector',
        redirect: { host: 'localhost', port: 6275, path: '/oauth/callback' },
      },
    },
  });
});

test('a URL is validated as it is typed', async () => {
  const { user } = showForm();
  await chooseKind('URL (HTTP)');
  await writeUrl('htt');
  expect(url().getAttribute('aria-invalid')).toBeNull();
  await writeUrl('ws://example.com');
  expect(url().getAttribute('aria-invalid')).toBe('true');
  expect(descriptionOf(url())).toContain('ws://');

  await writeUrl('http://localhost:3000/mcp');
  expect(screen.queryByText(/Not encrypted/)).toBeNull();
  await writeUrl('http://example.com/mcp');
  expect(screen.getByText(/Not encrypted/)).toBeTruthy();
  expect(url().getAttribute('aria-invalid')).toBeNull();

  await writeUrl('localhost:3000/mcp');
  await user.click(screen.getByRole('button', { name: 'Use this' }));
  expect(url().value).toBe('http://localhost:3000/mcp');
});

test('the client ID metadata document is copied, to be hosted at its URL', async () => {
  const written: unknown[] = [];
  const { user } = showForm(null, {
    'authorization/write-document': (params) => {
      written.push(params);
      return { text: '{"client_id":"https://me.example/client.json"}' };
    },
  });
  await chooseKind('URL (HTTP)');
  await user.paste('https://example.com/mcp');
  await user.click(screen.getByRole('button', { name: 'Authorization' }));
  expect(screen.queryByRole('button', { name: 'Copy the document' })).toBeNull();
  const field = screen.getByRole('textbox', { name: /^Client ID metadata document/ });
  await user.type(field, 'https://me.example/client.json');
  await user.click(screen.getByRole('button', { name: 'Copy the document' }));
  await screen.findByRole('button', { name: 'Copied' });
  expect(await navigator.clipboard.readText()).toBe('{"client_id":"https://me.example/client.json"}');
  expect(written).toMatchObject([
    { serverId: null, settings: { metadataDocument: 'https://me.example/client.json' } },
  ]);
});

test('a user name in the URL moves to a secret header', async () => {
  const { saved } = showForm();
  await chooseKind('URL (HTTP)');
  await writeUrl('https://me:sesame@example.com/mcp');
  await userEvent.click(screen.getByRole('button', { name: 'Move to a header' }));
  await save();
  expect(saved()?.transport).toMatchObject({
    url: 'https://example.com/mcp',
    headers: [{ name: 'Authorization', value: `Basic ${btoa('me:sesame')}`, secret: true }],
  });
});

test('switching the kind keeps what was typed for the other', async () => {
  const { saved, user } = showForm();
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
  expect(saved()?.transport.kind).toBe('http');
});

test('a URL pasted where a command line belongs makes the server one behind a URL', async () => {
  const { user } = showForm();
  await user.click(commandLine());
  await user.paste(' https://example.com/mcp\n');
  expect(url().value).toBe('https://example.com/mcp');
  expect(document.activeElement).toBe(url());
});

test('a URL is never saved as a command', async () => {
  const { user, saved } = showForm();
  await user.type(commandLine(), 'https://example.com/mcp');
  await save();
  expect(saved()).toBeUndefined();
  expect(document.activeElement).toBe(commandLine());
  expect(descriptionOf(commandLine())).toContain('A URL cannot be run.');
});

test('what was put into the field of the other kind moves there with one click', async () => {
  const { user } = showForm();
  await user.type(commandLine(), 'https://example.com/mcp');
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
  const { saved, user } = showForm();
  await chooseKind('URL (HTTP)');
  await writeUrl('https://example.com/mcp');
  await user.click(screen.getByRole('button', { name: 'Add a header' }));
  expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Name of new header' }));
  await user.paste('X-API-Key: k1\nCookie: a=1');
  expect(screen.getByLabelText<HTMLInputElement>('Value of Cookie').type).toBe('password');
  await user.click(screen.getByRole('button', { name: 'Show the value of Cookie' }));
  expect(screen.getByLabelText<HTMLInputElement>('Value of Cookie').type).toBe('text');
  await save();
  expect(saved()?.transport).toMatchObject({
    headers: [
      { name: 'X-API-Key', value: 'k1', secret: true },
      { name: 'Cookie', value: 'a=1', secret: true },
    ],
  });
});

test('header names are suggested, and a name no header can have is refused at its row', async () => {
  const { engine, user } = showForm();
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
  expect(descriptionOf(name)).toContain('letters, digits and dashes');
  await save();
  expect(engine.asked('servers/save')).toEqual([]);
  expect(document.activeElement).toBe(name);
});

test('the fingerprint of a certificate is entered where the link leads, and must be one', async () => {
  const server = anHttpServer({ transport: plainHttpSettings('https://example.com/mcp') });
  const { engine, saved, user } = showForm(server, {}, undefined, 'certificate');
  const accepted = screen.getByRole<HTMLInputElement>('textbox', { name: /^Accepted certificate/ });
  expect([document.activeElement, accepted.value]).toEqual([accepted, '']);
  await user.type(accepted, 'AB:CD');
  await save();
  expect(engine.asked('servers/save')).toEqual([]);
  expect(descriptionOf(accepted)).toContain('64 hexadecimal digits');
  const fingerprint = Array(32).fill('AB').join(':');
  await user.clear(accepted);
  await user.type(accepted, fingerprint);
  await save();
  expect(saved()?.transport).toMatchObject({ tls: { accepted: fingerprint } });
});

test('a secret header stays with the engine until it is asked for, and an accepted certificate can be forgotten', async () => {
  const server = anHttpServer({
    transport: {
      ...plainHttpSettings('https://example.com/mcp'),
      headers: [{ name: 'Authorization', value: null, secret: true }],
      tls: { caFile: null, certFile: null, keyFile: null, accepted: 'AB:CD' },
    },
  });
  const { engine, saved, user } = showForm(server);
  await user.click(screen.getByRole('button', { name: 'TLS' }));
  const accepted = screen.getByRole<HTMLInputElement>('textbox', { name: /^Accepted certificate/ });
  expect(accepted.value).toBe('AB:CD');
  await user.clear(accepted);
  await save();
  expect(saved()?.transport).toEqual({
    ...server.transport,
    tls: { caFile: null, certFile: null, keyFile: null, accepted: null },
  });
  expect(engine.asked('servers/reveal')).toEqual([]);
});

const kept = 'https://••••@example.com/mcp?x=1&token=••••';
const withKeptUrl = anHttpServer({ transport: plainHttpSettings(kept) });

test('the secrets of a URL stay with the engine when the rest of it is changed', async () => {
  const { engine, saved } = showForm(withKeptUrl);
  expect(url().value).toBe(kept);
  expect(screen.queryByRole('button', { name: 'Move to a header' })).toBeNull();
  await writeUrl(kept.replace('x=1', 'x=2'));
  await save();
  expect(saved()?.transport).toMatchObject({ url: kept.replace('x=1', 'x=2') });
  expect(engine.asked('servers/reveal-url')).toEqual([]);
});

test('the secrets of a URL are shown when they are asked for', async () => {
  const { user } = showForm(withKeptUrl, {
    'servers/reveal-url': () => ({ url: 'https://me:sesame@example.com/mcp?x=1&token=abc' }),
  });
  await writeUrl(kept.replace('x=1', 'x=2'));
  await user.click(screen.getByRole('button', { name: 'Show them' }));
  expect(url().value).toBe('https://me:sesame@example.com/mcp?x=2&token=abc');
  expect(screen.queryByRole('button', { name: 'Show them' })).toBeNull();
});

test('secrets of a URL that are no longer held are said to be gone', async () => {
  const { user } = showForm(withKeptUrl, { 'servers/reveal-url': () => ({ url: kept }) });
  render(<Toaster />);
  await user.click(screen.getByRole('button', { name: 'Show them' }));
  expect(await screen.findByText(/Some of these values are no longer stored/)).toBeTruthy();
  expect(url().value).toBe(kept);
});

test('without a key store, a URL with secrets says how long they are kept', async () => {
  useAppInfo.setState({
    info: {
      version: '0.1.0',
      host: 'web',
      platform: 'linux',
      dataFolder: '/data',
      initialServerId: null,
      initialTraceId: null,
      keepsSecrets: false,
    },
  });
  onTestFinished(() => useAppInfo.setState({ info: null }));
  showForm(withKeptUrl);
  expect(screen.getByText(/secrets are forgotten when Sightglass quits/)).toBeTruthy();
  await writeUrl('https://example.com/mcp');
  expect(screen.queryByText(/secrets are forgotten when Sightglass quits/)).toBeNull();
});

test('a mistake in what is folded away is brought into view', async () => {
  const { engine, user } = showForm();
  await chooseKind('URL (HTTP)');
  await writeUrl('https://example.com/mcp');
  const fold = screen.getByRole('button', { name: 'TLS' });
  await user.click(fold);
  await user.type(screen.getByRole('textbox', { name: 'Key of the client certificate' }), '/me.key');
  await user.click(fold);
  expect(fold.getAttribute('aria-expanded')).toBe('false');
  await save();
  expect(engine.asked('servers/save')).toEqual([]);
  const certificate = screen.getByRole('textbox', { name: 'Client certificate' });
  expect(document.activeElement).toBe(certificate);
  expect(descriptionOf(certificate)).toContain('needs its certificate');
});
