import { act, cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { steppedUpFlow } from '#fixtures/page/authorization-samples.ts';
import { type Answers, emit, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { ServerTest, ServerTests } from '#shared/contract/server-tests.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { ServerTestsTab } from './server-tests-tab.tsx';

afterEach(cleanup);

const aTest = (id: ServerTest['id'], change: Partial<ServerTest> = {}): ServerTest => ({
  id,
  label: id,
  sends: `What ${id} sends.`,
  right: '401.',
  careless: `What ${id} means.`,
  source: 'RFC 6750 3.1',
  allowed: '401',
  requests: 1,
  state: 'planned',
  outcome: null,
  why: '',
  status: null,
  words: '',
  row: null,
  finding: null,
  ...change,
});

let count = 0;

const someTests = (change: Partial<ServerTests> = {}): ServerTests => ({
  sessionId: `s-tests-${count}`,
  serverId: 'v1',
  url: 'https://mcp.example.com/mcp',
  state: 'planned',
  revision: null,
  transport: null,
  requests: 27,
  hasToken: true,
  control: '',
  controlRow: null,
  tests: [
    aTest('no-token', { label: 'No token' }),
    aTest('garbage-token', { label: 'Invented token' }),
    aTest('alg-none', {
      label: 'JWT with alg none',
      outcome: 'not-applicable',
      why: 'The token in use is no JWT.',
    }),
  ],
  tokens: [],
  foreign: [],
  fault: null,
  ...change,
});

async function show(change: Partial<ServerTests> = {}, answers: Answers = {}) {
  count++;
  const tests = someTests(change);
  const engine = fakeEngine({ 'server-tests/get': () => tests, ...answers });
  render(<ServerTestsTab serverId="v1" sessionId={tests.sessionId} isRecorded={false} />);
  await screen.findByRole('table', { name: 'Server tests' });
  return { engine, tests, user: userEvent.setup() };
}

const rowOf = (label: string) => screen.getByRole('row', { name: new RegExp(`^${label}`) });

test('before a run the tab says what is sent to whom, and sends nothing', async () => {
  const { engine } = await show();
  const region = screen.getByRole('region', { name: 'Before the run' });
  expect(region.textContent).toContain(
    'at most 27 requests to https://mcp.example.com/mcp, and to nobody else',
  );
  expect(region.textContent).toContain('never a call of a tool');
  expect(screen.getByRole('status').textContent).toBe('Nothing was sent yet.');
  expect(rowOf('No token').textContent).toContain('not sent yet');
  expect(rowOf('JWT with alg none').textContent).toContain('not applicable');
  expect(rowOf('JWT with alg none').textContent).toContain('The token in use is no JWT.');
  expect(engine.asked('server-tests/run')).toEqual([]);
});

test('the run is begun and stopped by keyboard, and the table follows it', async () => {
  const { engine, tests, user } = await show(
    {},
    {
      'server-tests/run': () => ({ ...someTests(), state: 'running' }),
      'server-tests/stop': () => null,
    },
  );
  screen.getByRole('button', { name: 'Run the tests' }).focus();
  await user.keyboard('{Enter}');
  expect(engine.asked('server-tests/run')).toEqual([
    { serverId: 'v1', consent: true, foreignCredentials: null },
  ]);
  const [first, second, third] = tests.tests;
  if (first === undefined || second === undefined || third === undefined) throw new Error('there are three');
  const right = { ...first, state: 'done', outcome: 'right', why: 'Refused.', status: 401, row: 12 } as const;
  const running = {
    ...tests,
    state: 'running',
    tests: [right, { ...second, state: 'running' }, third],
  } as const;
  act(() => emit('server-tests/changed', { ...running, tests: [...running.tests] }));
  expect(rowOf('No token').textContent).toContain('401 Unauthorized');
  expect(rowOf('Invented token').textContent).toContain('running');
  expect(screen.getByRole('status').textContent).toBe('Running: 1 right, 1 not applicable');
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  expect(engine.asked('server-tests/stop')).toEqual([{ sessionId: tests.sessionId }]);
  await user.click(screen.getByRole('button', { name: `Row ${rowNumber(12)} of the trace` }));
  expect(useSelection.getState().traceRow[tests.sessionId]).toBe(12);
});

test('a careless answer shows its status and words as text, and its rule', async () => {
  await show({
    state: 'done',
    control: 'The server accepts the token in use (HTTP 200 OK).',
    controlRow: 4,
    tests: [
      aTest('garbage-token', {
        label: 'Invented token',
        state: 'done',
        outcome: 'careless',
        why: 'The server accepts a token that nobody issued.',
        status: 200,
        words: '<b>welcome</b>',
        row: 9,
        finding: {
          rule: 'garbage-token-accepted',
          severity: 'error',
          source: 'MCP 2025-11-25 authorization, token handling',
          text: 'The server accepts a token that nobody issued.',
          expected: '401.',
          received: 'HTTP 200 OK',
          row: 9,
          library: null,
        },
      }),
    ],
  });
  const row = rowOf('Invented token');
  expect(row.textContent).toContain('200 OK · <b>welcome</b>');
  expect(row.querySelector('b')).toBeNull();
  expect(row.textContent).toContain('garbage-token-accepted · MCP 2025-11-25 authorization, token handling');
  expect(within(row).getByText('careless', { selector: 'span *, span' })).toBeDefined();
  expect(screen.getByText(/accepts the token in use/)).toBeDefined();
  expect(screen.getByRole('button', { name: 'Run again' })).toBeDefined();
});

test('what is sent, what is right and the rule of a test open by keyboard', async () => {
  const { user } = await show();
  const about = within(rowOf('Invented token')).getByLabelText('About Invented token');
  expect(about.closest('details')?.open).toBe(false);
  await user.click(about);
  expect(about.closest('details')?.open).toBe(true);
  expect(about.closest('details')?.textContent).toContain('What garbage-token sends.');
  expect(about.closest('details')?.textContent).toContain('Allowed: 401.');
  expect(about.closest('details')?.textContent).toContain('RFC 6750 3.1');
});

test('the token of another server is sent only after it was chosen and allowed', async () => {
  const foreign = [{ id: 'cred-2', serverId: 'v2', resource: 'https://bank.example/mcp' }];
  const { engine, user } = await show({ foreign }, { 'server-tests/run': () => someTests({ foreign }) });
  await user.selectOptions(
    screen.getByRole('combobox', { name: 'Token of another server at this issuer' }),
    'https://bank.example/mcp',
  );
  const run = screen.getByRole<HTMLButtonElement>('button', { name: 'Run the tests' });
  expect(run.disabled).toBe(true);
  await user.click(screen.getByRole('checkbox', { name: /^Send the token for https:\/\/bank/ }));
  await user.click(run);
  expect(engine.asked('server-tests/run')).toEqual([
    { serverId: 'v1', consent: true, foreignCredentials: 'cred-2' },
  ]);
});

test('a further token is entered without being shown, listed by its fingerprint, and dropped', async () => {
  const token = { kind: 'expired', fingerprint: 'ab12cd', from: 'you entered it', facts: 'opaque' } as const;
  const { engine, tests, user } = await show(
    {},
    {
      'server-tests/use-token': () => someTests({ tokens: [token] }),
      'server-tests/drop-token': () => someTests(),
    },
  );
  await user.click(screen.getByRole('button', { name: 'Add…' }));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Kind of token' }), 'Expired');
  const field = screen.getByLabelText<HTMLInputElement>('Access token');
  expect(field.type).toBe('password');
  await user.type(field, 'old-token{Enter}');
  expect(engine.asked('server-tests/use-token')).toEqual([
    { serverId: 'v1', kind: 'expired', token: 'old-token' },
  ]);
  const list = await screen.findByRole('list', { name: 'Tokens for the tests' });
  expect(list.textContent).toContain('ab12cd you entered it, opaque');
  await user.click(within(list).getByRole('button', { name: 'Drop the token: Expired' }));
  expect(engine.asked('server-tests/drop-token')).toEqual([{ sessionId: tests.sessionId, kind: 'expired' }]);
  expect(screen.queryByRole('list', { name: 'Tokens for the tests' })).toBeNull();
});

test('a second authorization is begun for the tests', async () => {
  const { engine, user } = await show(
    {},
    {
      'server-tests/authorize': () => steppedUpFlow({ id: 'second', sessionId: 's-other' }),
    },
  );
  await user.click(screen.getByRole('button', { name: 'Add…' }));
  await user.click(screen.getByRole('button', { name: 'Authorize once more' }));
  await user.click(screen.getByRole('button', { name: 'Add…' }));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Kind of token' }), 'Another server');
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Authorize once more' });
  expect(button.disabled).toBe(true);
  await user.type(screen.getByLabelText('Other resource'), 'https://other.example/mcp');
  await user.click(button);
  const common = { serverId: 'v1', revision: null, settings: {} };
  expect(engine.asked('server-tests/authorize')).toEqual([
    { ...common, kind: 'other-identity', value: null },
    { ...common, kind: 'other-audience', value: 'https://other.example/mcp' },
  ]);
});

test('a fault is shown, and where nothing can be tested the tab says why', async () => {
  const { user } = await show(
    {},
    {
      'server-tests/run': () => {
        throw new FaultError({
          code: 'server-tests-under-way',
          what: 'The tests of this server run already.',
        });
      },
    },
  );
  await user.click(screen.getByRole('button', { name: 'Run the tests' }));
  expect(await screen.findByText('The tests of this server run already.')).toBeDefined();
  cleanup();
  render(<ServerTestsTab serverId="v1" sessionId="file" isRecorded />);
  expect(screen.getByText(/was recorded, so nothing can be sent/)).toBeDefined();
  cleanup();
  render(<ServerTestsTab serverId="v1" sessionId={null} isRecorded={false} />);
  expect(screen.getByText(/Authorize or connect first/)).toBeDefined();
  cleanup();
  fakeEngine({ 'server-tests/get': () => null });
  render(<ServerTestsTab serverId="v1" sessionId="s-none" isRecorded={false} />);
  expect(await screen.findByText(/does not authorize/)).toBeDefined();
});
