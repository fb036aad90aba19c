import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aServer } from '#fixtures/page/samples.ts';
import {
  defaultClientProfile,
  defaultTimeouts,
  noKeepAlive,
  plainHttpSettings,
} from '#shared/contract/servers.ts';
import { ImportServers } from './import-servers.tsx';

const aLog = {
  path: '/logs/mcp-server-notes.log',
  label: 'Claude Desktop',
  server: 'notes',
  size: 4_100_000,
  modifiedAt: 0,
};

let reads = 0;
let engine: ReturnType<typeof fakeEngine>;
beforeEach(() => {
  engine = fakeEngine({
    'servers/found': () => [],
    'servers/logs': () => [aLog, { ...aLog, path: '/logs/mcp.log', server: null, size: 10 }],
    'servers/log': ({ path }) => ({ ...aLog, path, text: `first\nentry ${++reads}`, isWhole: false }),
    'servers/import-preview': () => ({
      format: 'command-line',
      label: 'Command line',
      servers: [],
      problems: [],
    }),
  });
});
afterEach(cleanup);

test('the log of another client is shown, read again, and gives way to a configuration', async () => {
  render(<ImportServers file={null} />);
  await userEvent.click(await screen.findByRole('button', { name: /Claude Desktop notes/ }));
  const log = await screen.findByRole('region', { name: 'Log' });
  expect(await within(log).findByText(/entry 1/)).toBeTruthy();
  expect(log.textContent).toContain('The last 200 kB of 4.1 MB, with secrets replaced.');
  expect(within(log).getByRole('button', { name: 'Copy path' })).toBeTruthy();
  await userEvent.click(within(log).getByRole('button', { name: 'Refresh' }));
  expect(await within(log).findByText(/entry 2/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: /Claude Desktop connections/ }));
  expect(await screen.findByText(/entry 3/)).toBeTruthy();
  expect(engine.asked('servers/log').at(-1)).toEqual({ path: '/logs/mcp.log' });
  await userEvent.type(field(), 'npx x');
  await screen.findByRole('region', { name: 'Servers to import' });
  expect(screen.queryByRole('region', { name: 'Log' })).toBeNull();
});

const field = () =>
  screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Configuration or command line' });

test('a dropped text is previewed as a pasted one', async () => {
  render(<ImportServers file={null} />);
  const dataTransfer = { files: [], getData: () => 'npx -y some-server' };
  fireEvent.drop(field(), { dataTransfer });
  expect(field().value).toBe('npx -y some-server');
  await screen.findByRole('region', { name: 'Servers to import' });
  expect(engine.asked('servers/import-preview').at(-1)).toMatchObject({
    source: { kind: 'text', text: 'npx -y some-server', path: null },
  });
});

test('a dropped file is previewed by its name, which tells the format', async () => {
  render(<ImportServers file={null} />);
  const file = new File(['{"mcpServers": {}}'], '.mcp.json');
  fireEvent.drop(field(), { dataTransfer: { files: [file], getData: () => '' } });
  await screen.findByRole('region', { name: 'Servers to import' });
  expect(field().value).toBe('{"mcpServers": {}}');
  expect(engine.asked('servers/import-preview').at(-1)).toMatchObject({ source: { path: '.mcp.json' } });
});

test('a dropped file is decoded by its bytes, and one that is no text is refused by name', async () => {
  render(<ImportServers file={null} />);
  const drop = (file: File) =>
    fireEvent.drop(field(), { dataTransfer: { files: [file], getData: () => '' } });
  drop(new File([Buffer.from('\ufeff{"mcpServers": {}}', 'utf16le')], 'mcp.json'));
  await screen.findByRole('region', { name: 'Servers to import' });
  expect(field().value.replace('\ufeff', '')).toBe('{"mcpServers": {}}');
  drop(new File([Buffer.from('PK\u0003\u0004\0')], 'server.mcpb'));
  expect(await screen.findByText(/server\.mcpb: This is a ZIP archive/)).toBeTruthy();
  await userEvent.type(field(), ' ');
  expect(screen.queryByText(/ZIP archive/)).toBeNull();
});

test('a text of another kind is named, and nothing of it can be imported', async () => {
  const problem = {
    line: 1,
    column: 1,
    server: null,
    what: 'This is a package.json.',
    next: 'Import a command line.',
  };
  fakeEngine({
    'servers/found': () => [],
    'servers/logs': () => [],
    'servers/import-preview': () => ({
      format: null,
      label: 'no configuration',
      servers: [],
      problems: [problem],
    }),
  });
  render(<ImportServers file={{ text: '{"name": "x", "scripts": {}}', path: null }} />);
  const region = await screen.findByRole('region', { name: 'Servers to import' });
  expect(await within(region).findByText('This is a package.json.')).toBeTruthy();
  expect(within(region).getByRole('heading').textContent).toBe('0 servers');
  expect(within(region).getByRole<HTMLButtonElement>('button', { name: 'Import' }).disabled).toBe(true);
});

test('asks for the values that the text leaves open, and names the secrets that it has', async () => {
  const variable = { secret: true, value: null, description: null };
  const { id: _, source: __, ...plainServer } = aServer();
  engine = fakeEngine({
    'servers/found': () => [],
    'servers/logs': () => [],
    'servers/import-preview': () => ({
      format: 'goose',
      label: 'Goose',
      problems: [],
      servers: [
        {
          key: '/extensions/a',
          line: 2,
          settings: {
            ...plainServer,
            variables: [
              { name: 'input:token', ...variable },
              { name: 'input:api-key', ...variable },
            ],
          },
          leftOut: [],
          given: ['input:token'],
          existingId: null,
        },
      ],
    }),
  });
  render(<ImportServers file={null} />);
  await userEvent.type(field(), 'x');
  const preview = await screen.findByRole('region', { name: 'Servers to import' });
  expect(preview.textContent).toContain('1 server · Goose');
  expect(preview.textContent).toContain('Secret: input:token');
  expect(within(preview).getByLabelText('input:api-key')).toBeTruthy();
  expect(within(preview).queryByLabelText('input:token')).toBeNull();
});

test('the inputs of a server are asked for: a choice as a select, with what each is for', async () => {
  const variable = { value: null, secret: false, description: null };
  engine = fakeEngine({
    'servers/found': () => [],
    'servers/logs': () => [],
    'servers/import-preview': () => ({
      format: 'registry',
      label: 'server.json of the registry',
      servers: [
        {
          key: '/remotes/0',
          line: 1,
          leftOut: [],
          given: [],
          existingId: null,
          settings: {
            name: 'mine',
            transport: plainHttpSettings('https://${input:region}.${input:tenant}.example.com/mcp'),
            era: 'auto',
            revision: null,
            timeouts: defaultTimeouts,
            keepAlive: noKeepAlive,
            client: defaultClientProfile,
            notes: '',
            variables: [
              {
                ...variable,
                name: 'input:region',
                value: 'eu',
                description: 'Where it runs',
                choices: ['eu', 'us'],
              },
              { ...variable, name: 'input:tenant', placeholder: 'acme' },
              { ...variable, name: 'input:token', secret: true, isOptional: true },
            ],
          },
        },
      ],
      problems: [],
    }),
    'servers/import': () => [],
  });
  render(<ImportServers file={{ text: '{}', path: null }} />);
  const region = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'input:region' });
  expect([region.value, [...region.options].map(({ value }) => value)]).toEqual(['eu', ['', 'eu', 'us']]);
  expect(screen.getByText('Where it runs')).toBeTruthy();
  const tenant = screen.getByRole<HTMLInputElement>('textbox', { name: 'input:tenant' });
  expect(tenant.placeholder).toBe('acme');
  expect(screen.getByText('optional')).toBeTruthy();
  expect(screen.getByText('https://eu.${input:tenant}.example.com/mcp')).toBeTruthy();
  await userEvent.selectOptions(region, 'us');
  await userEvent.type(tenant, 'ada');
  expect(screen.getByText('https://us.ada.example.com/mcp')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Import 1 server' }));
  expect(engine.asked('servers/import').at(-1)).toMatchObject({
    values: { 'input:region': 'us', 'input:tenant': 'ada' },
  });
});
