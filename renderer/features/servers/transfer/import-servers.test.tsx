import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { ImportServers } from './import-servers.tsx';

let engine: ReturnType<typeof fakeEngine>;
beforeEach(() => {
  engine = fakeEngine({
    'servers/found': () => [],
    'servers/import-preview': () => ({
      format: 'command-line',
      label: 'Command line',
      servers: [],
      problems: [],
    }),
  });
});
afterEach(cleanup);

const field = () =>
  screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Configuration or command line' });

test('a dropped text is previewed as a pasted one', async () => {
  render(<ImportServers />);
  const dataTransfer = { files: [], getData: () => 'npx -y some-server' };
  fireEvent.drop(field(), { dataTransfer });
  expect(field().value).toBe('npx -y some-server');
  await screen.findByRole('region', { name: 'Servers to import' });
  expect(engine.asked('servers/import-preview').at(-1)).toMatchObject({
    source: { kind: 'text', text: 'npx -y some-server', path: null },
  });
});

test('a dropped file is previewed by its name, which tells the format', async () => {
  render(<ImportServers />);
  const file = new File(['{"mcpServers": {}}'], '.mcp.json');
  fireEvent.drop(field(), { dataTransfer: { files: [file], getData: () => '' } });
  await screen.findByRole('region', { name: 'Servers to import' });
  expect(field().value).toBe('{"mcpServers": {}}');
  expect(engine.asked('servers/import-preview').at(-1)).toMatchObject({ source: { path: '.mcp.json' } });
});
