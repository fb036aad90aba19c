import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { steppedUpFlow } from '#fixtures/page/authorization-samples.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { currentCommands } from '#model/commands.ts';
import { useSettings } from '#model/settings.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { FlowExport } from './flow-export.tsx';

afterEach(cleanup);

const flow = steppedUpFlow({ sessionId: 's1', number: 2 });

function engineThatWrites() {
  let count = 0;
  return fakeEngine({
    'exports/suggest': ({ format }) => ({
      path: `/home/u/flow-2${count === 0 ? '' : `-${count}`}.${format}`,
    }),
    'exports/write-flow': ({ path, format }) => {
      count++;
      if (path.includes('there'))
        throw new FaultError({ code: 'export-exists', what: 'There is already a file.' });
      return { path, entries: format === 'md' ? 14 : 9, bytes: 2048, removed: 1 };
    },
  });
}

test('the flow is exported as a report by keyboard alone, to a path that can be changed', async () => {
  const engine = engineThatWrites();
  useSettings.setState({ redactionPatterns: ['acme'] });
  const user = userEvent.setup();
  render(<FlowExport flow={flow} />);
  await user.tab();
  await user.keyboard('{Enter}');
  const dialog = screen.getByRole('dialog', { name: 'Export the flow' });
  const file = within(dialog).getByRole('textbox', { name: 'File' });
  expect(await within(dialog).findByDisplayValue('/home/u/flow-2.md')).toBe(file);
  await user.tab();
  expect(document.activeElement).toBe(file);
  await user.keyboard('{Enter}');
  const status = await within(dialog).findByRole('status', { name: 'Exported' });
  expect(status.textContent).toContain('/home/u/flow-2.md14 steps · 2.0 kB · 1 value replaced');
  expect(engine.asked('exports/write-flow')).toEqual([
    { sessionId: 's1', flowId: flow.id, format: 'md', patterns: ['acme'], path: '/home/u/flow-2.md' },
  ]);
  // The next file gets another name.
  expect(await within(dialog).findByDisplayValue('/home/u/flow-2-1.md')).toBe(file);
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('the HAR takes the typed name, and a fault of the engine is shown', async () => {
  const engine = engineThatWrites();
  const user = userEvent.setup();
  render(<FlowExport flow={flow} />);
  await user.click(screen.getByRole('button', { name: 'Export the flow…' }));
  const file = screen.getByRole('textbox', { name: 'File' });
  await screen.findByDisplayValue('/home/u/flow-2.md');
  await user.clear(file);
  await user.type(file, '/tmp/there.md');
  await user.click(screen.getByRole('radio', { name: 'HTTP archive (.har)' }));
  expect(screen.getByDisplayValue('/tmp/there.har')).toBe(file);
  await user.click(screen.getByRole('button', { name: 'Export' }));
  expect(await screen.findByText('There is already a file.')).toBeDefined();
  await user.clear(file);
  await user.type(file, '/tmp/new.har');
  await user.click(screen.getByRole('button', { name: 'Export' }));
  expect((await screen.findByRole('status', { name: 'Exported' })).textContent).toContain('9 exchanges');
  expect(engine.asked('exports/write-flow').at(-1)).toMatchObject({ format: 'har', path: '/tmp/new.har' });
});

test('the palette opens it', async () => {
  engineThatWrites();
  render(<FlowExport flow={flow} />);
  currentCommands()
    .find(({ title }) => title === 'Export the authorization flow')
    ?.run();
  expect(await screen.findByRole('dialog', { name: 'Export the flow' })).toBeDefined();
});
