import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace } from '#fixtures/page/samples.ts';
import { RecordedList } from '#features/recorded/recorded-list.tsx';
import { endOpening } from '#features/recorded/opening.ts';
import { selectServer, useSelection } from '#model/selection.ts';
import { useSettings } from '#model/settings.ts';
import { useTesting } from '#model/tests-pane.ts';
import { useTraces } from '#model/traces.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { defaultSettings } from '#shared/contract/settings.ts';
import { Toaster } from '#ui/toaster.tsx';
import { FileDrop } from './file-drop.tsx';

beforeEach(() => {
  Element.prototype.scrollIntoView ??= () => undefined;
  useTraces.setState({ files: [], opened: {}, fault: null });
  useSettings.setState(defaultSettings);
  selectServer('v1');
  endOpening();
});
afterEach(cleanup);

function drop(...files: readonly File[]): void {
  const dataTransfer = { types: ['Files'], files, dropEffect: 'none' };
  fireEvent.dragEnter(document.body, { dataTransfer });
  expect(screen.getByRole('status').textContent).toContain('Drop to open');
  fireEvent.drop(document.body, { dataTransfer });
  expect(screen.queryByText('Drop to open')).toBeNull();
}

test('traces dropped on the window are taken in and opened, one after the other', async () => {
  const engine = fakeEngine({
    'traces/receive': ({ name }) => ({ transferId: 't', path: `/traces/${name}` }),
    'traces/open': ({ path }) => {
      if (path.endsWith('.txt')) throw new FaultError({ code: 'no-trace', what: 'This file is no trace.' });
      return anOpenedTrace({ path, name: 'b' });
    },
  });
  render(
    <>
      <RecordedList />
      <FileDrop />
    </>,
  );
  drop(new File(['x'], 'a.txt'), new File(['y'], 'b.mcptrace'));
  await expect
    .poll(() => engine.asked('traces/open'))
    .toEqual([{ path: '/traces/a.txt' }, { path: '/traces/b.mcptrace' }]);
  expect((await screen.findByRole('dialog', { name: 'Open trace' })).textContent).toContain(
    'a.txt was not opened',
  );
  await expect
    .poll(() => screen.getByRole('button', { name: /^b/ }).getAttribute('aria-current'))
    .toBe('true');
});

test('the configuration of another client opens the import form with it', async () => {
  render(<FileDrop />);
  drop(new File(['{"mcpServers":{}}'], '.mcp.json'));
  await expect
    .poll(() => useSelection.getState().transfer)
    .toMatchObject({ kind: 'import', file: { path: '.mcp.json', text: '{"mcpServers":{}}' } });
});

test.each([
  ['config.toml', Buffer.from('[mcp_servers.a]')],
  ['config.yaml', Buffer.from('mcpServers: []')],
  ['mcp.json', Buffer.from('\ufeff{"mcpServers":{}}', 'utf16le')],
])(
  'the configuration %s of another client opens the import form, whatever its encoding',
  async (name, bytes) => {
    render(<FileDrop />);
    drop(new File([bytes], name));
    await expect
      .poll(() => useSelection.getState().transfer)
      .toMatchObject({ kind: 'import', file: { path: name } });
    const { transfer } = useSelection.getState();
    const text = transfer?.kind === 'import' ? (transfer.file?.text ?? '') : '';
    expect(bytes.includes(0) ? Buffer.from(text, 'utf16le') : Buffer.from(text)).toEqual(bytes);
  },
);

test('saved calls open in the Tests pane of the selected server, from a copy that the engine keeps', async () => {
  const engine = fakeEngine({
    'saved-calls/receive': ({ name }) => ({ path: `/data/tests/${name}` }),
    'settings/write': ({ recent = [] }) => ({ ...defaultSettings, recent }),
  });
  render(<FileDrop />);
  drop(new File(['calls: []'], 'weather.mcptest.yaml'));
  await expect.poll(() => useTesting.getState().paths.v1).toBe('/data/tests/weather.mcptest.yaml');
  expect(useSelection.getState().pane).toBe('tests');
  expect(engine.asked('saved-calls/receive')).toEqual([{ name: 'weather.mcptest.yaml', text: 'calls: []' }]);
  expect(useSettings.getState().recent).toEqual([
    { kind: 'calls', path: '/data/tests/weather.mcptest.yaml', serverId: 'v1' },
  ]);
});

test('saved calls without a server say that one is needed', async () => {
  selectServer(null);
  render(
    <>
      <FileDrop />
      <Toaster />
    </>,
  );
  drop(new File(['calls: []'], 'weather.mcptest.yaml'));
  expect(await screen.findByText(/weather\.mcptest\.yaml holds calls for a server/)).toBeTruthy();
});
