import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession } from '#fixtures/page/samples.ts';
import { chooseLoad, useTesting } from '#model/tests-pane.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { LoadView } from './load-view.tsx';

afterEach(cleanup);

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
  useTesting.setState({ loadTools: { 'server-a': { name: 'delete_all', arguments: '{}' } } });
  chooseLoad('server-a', { of: 'file', name: 'Echoes' });
  show();
  expect(await screen.findByText(/It has no name/)).toBeDefined();
  expect(screen.getByLabelText<HTMLSelectElement>('Run').value).toBe('');
  expect(screen.getByRole('button', { name: 'Start' }).getAttribute('aria-disabled')).toBe('true');
});
