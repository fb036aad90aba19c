import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession } from '#fixtures/page/samples.ts';
import { chooseLoad, useTesting } from '#model/tests-pane.ts';
import { anyResult, plainCall } from '#shared/contract/saved-calls.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { LoadView } from './load-view.tsx';

beforeEach(() => useTesting.setState({ loads: {}, loadNumbers: {}, loadTools: {} }));
afterEach(cleanup);

const aTool = (name: string, text: string) => ({ name, readArguments: () => ({ ok: true, text }) as const });

const show = () =>
  render(<LoadView serverId="server-a" session={aSession({ id: 'session-a' })} switcher={null} />);

test('a test file that cannot be read is reported', async () => {
  fakeEngine({
    'saved-calls/read': () => {
      throw new FaultError({ code: 'unreadable', what: 'The file cannot be read.', next: 'Choose another.' });
    },
  });
  show();
  expect(await screen.findByText('The file cannot be read.')).toBeDefined();
});

test('errors of the test file are shown, and a chosen call that it lacks is not replaced by another', async () => {
  fakeEngine({
    'saved-calls/read': ({ path }) => ({
      path,
      exists: true,
      variables: {},
      target: null,
      calls: [],
      errors: [{ line: 3, column: 1, message: 'It has no name.' }],
    }),
  });
  useTesting.setState({ loadTools: { 'server-a': aTool('delete_all', '{}') } });
  chooseLoad('server-a', { of: 'file', name: 'Echoes' });
  show();
  expect(await screen.findByText(/It has no name/)).toBeDefined();
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Run' }).value).toBe('');
  expect(screen.getByRole('button', { name: 'Run' }).getAttribute('aria-disabled')).toBe('true');
});

test('a tool runs with the arguments that its form has at the start, and not with ones that are wrong', async () => {
  const engine = fakeEngine({
    'saved-calls/read': ({ path }) => ({
      path,
      exists: false,
      variables: {},
      target: null,
      calls: [],
      errors: [],
    }),
    'load/run': () => new Promise(() => undefined),
  });
  let form: ReturnType<ReturnType<typeof aTool>['readArguments']> | { ok: false; error: string } = {
    ok: false,
    error: 'Not an object.',
  };
  useTesting.setState({ loadTools: { 'server-a': { name: 'echo', readArguments: () => form } } });
  chooseLoad('server-a', { of: 'tool' });
  show();
  fireEvent.click(await screen.findByRole('button', { name: 'Run 100 calls' }));
  expect(screen.getByText('Not an object.')).toBeDefined();
  expect(engine.asked('load/run')).toEqual([]);
  form = { ok: true, text: '{"message":"newer"}' };
  fireEvent.click(screen.getByRole('button', { name: 'Run 100 calls' }));
  await expect
    .poll(() => engine.asked('load/run'))
    .toEqual([
      expect.objectContaining({ what: { kind: 'tool', tool: 'echo', arguments: '{"message":"newer"}' } }),
    ]);
});

test('one saved call is chosen by default, and the button names how many calls it sends', async () => {
  const calls = Array.from({ length: 300 }, (_, index) => ({
    ...plainCall,
    name: `Step ${index}`,
    method: 'tools/call',
    tool: 'echo',
    arguments: '{}',
    expect: anyResult,
    line: index + 1,
    column: 1,
    end: { line: 9, column: 1 },
  }));
  fakeEngine({
    'saved-calls/read': ({ path }) => ({
      path,
      exists: true,
      variables: {},
      target: null,
      calls,
      errors: [],
    }),
  });
  render(<LoadView serverId="server-a" session={aSession({ id: 'session-b' })} switcher={null} />);
  await screen.findByRole('button', { name: 'Run 100 calls' });
  const choice = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Run' });
  expect(choice.selectedOptions[0]?.textContent).toBe('Step 0');
  expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull();
  fireEvent.change(choice, { target: { value: '{"of":"file","name":null}' } });
  screen.getByRole('button', { name: 'Run 30,000 calls' });
  fireEvent.change(screen.getByRole('textbox', { name: 'Times' }), { target: { value: 'many' } });
  expect(screen.getByRole('button', { name: 'Run' }).getAttribute('aria-disabled')).toBe('true');
  // The number is there again after another pane was shown, and in the next session of the server.
  fireEvent.change(screen.getByRole('textbox', { name: 'Times' }), { target: { value: '300' } });
  cleanup();
  show();
  expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Times' })).value).toBe('300');
});
