import { act, cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test } from 'vitest';
import { aFinding, aFlow, aParameter, aRequest, aStep } from '#fixtures/page/authorization-samples.ts';
import { currentCommands } from '#model/commands.ts';
import type { AuthorizationStep } from '#shared/contract/authorization.ts';
import { AttemptsButton } from './attempts-dialog.tsx';

afterEach(cleanup);

const asked = (scope: string, state: string) =>
  aRequest({ query: [aParameter('scope', scope), aParameter('state', state)] });
const token = (fingerprint: string, change: Partial<AuthorizationStep>): Partial<AuthorizationStep> => ({
  request: aRequest({ bodyKind: 'form', body: [aParameter('client_secret', null, { fingerprint })] }),
  ...change,
});

/** Two attempts after one challenge: the second asked for more, and was refused. */
const flow = aFlow([
  aStep(1, 'challenge'),
  aStep(2, 'authorization-request', { request: asked('a', 's1') }),
  aStep(3, 'token', token('aaaaaa', { response: { status: 200, headers: [], body: null } })),
  aStep(4, 'authorization-request', { after: 1, branch: 1, request: asked('a b', 's2') }),
  aStep(5, 'token', {
    branch: 1,
    ...token('bbbbbb', {
      state: 'failed',
      response: { status: 400, headers: [], body: null },
      findings: [aFinding({ text: '<b>invalid</b>' })],
    }),
  }),
]);

async function open(of = flow) {
  const user = userEvent.setup();
  render(<AttemptsButton flow={of} />);
  screen.getByRole('button', { name: 'Compare attempts…' }).focus();
  await user.keyboard('{Enter}');
  return { user, dialog: await screen.findByRole('dialog', { name: 'Compare attempts' }) };
}

/** The cells of the row of this name. */
const cells = (name: string) =>
  within(screen.getByRole('row', { name: new RegExp(`^${name} `) }))
    .getAllByRole('cell')
    .map(({ textContent }) => textContent);

describe('the comparison of attempts', () => {
  test('says what to do while there is one attempt', async () => {
    const { dialog } = await open(aFlow([aStep(1, 'challenge')]));
    expect(within(dialog).getByText('One attempt so far')).toBeDefined();
    expect(within(dialog).getByText(/fork at an earlier step/)).toBeDefined();
  });

  test('is opened by keyboard, shows only what differs, and closes with Escape', async () => {
    const { user, dialog } = await open();
    expect(within(dialog).getByRole('status').textContent).toBe('4 values of common steps differ');
    expect(within(dialog).getByText('1 step before they parted')).toBeDefined();
    expect(cells('scope')).toEqual(['a', 'a b']);
    expect(cells('status')).toEqual(['200', '400']);
    expect(screen.queryByRole('row', { name: /^URL / })).toBeNull();
    // state is new in each attempt, and no difference of the user's.
    expect(screen.queryByRole('row', { name: /^state / })).toBeNull();
    expect(within(dialog).getByText('New in each attempt: state')).toBeDefined();
    await user.click(screen.getByRole('checkbox', { name: 'Show equal values' }));
    expect(screen.getAllByRole('row', { name: /^URL / })).toHaveLength(2);
    expect(cells('state')).toEqual(['s1', 's2']);
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('is in the palette', async () => {
    render(<AttemptsButton flow={flow} />);
    act(() =>
      currentCommands()
        .find(({ title }) => title === 'Compare attempts')
        ?.run(),
    );
    expect(await screen.findByRole('dialog', { name: 'Compare attempts' })).toBeDefined();
  });

  test('shows secrets as fingerprints, and texts of the server as text that wraps', async () => {
    await open();
    expect(cells('client_secret')).toEqual([
      expect.stringContaining('aaaaaa'),
      expect.stringContaining('bbbbbb'),
    ]);
    expect(screen.getAllByRole('img', { name: 'hidden' })).toHaveLength(2);
    const finding = screen.getByText(/<b>invalid<\/b>/);
    expect(finding.closest('td')?.className).toContain('overflow-wrap:anywhere');
  });

  test('compares the attempts that are chosen', async () => {
    const { user } = await open();
    const left = screen.getByRole('combobox', { name: 'Left attempt' });
    expect(
      within(left)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual([
      'Attempt 1: Token exchange, done, status 200',
      'Attempt 2: Token exchange, failed, status 400',
    ]);
    await user.selectOptions(left, 'Attempt 2: Token exchange, failed, status 400');
    expect(screen.getByRole('status').textContent).toBe(
      'They differ in nothing but values that are new in each attempt.',
    );
  });

  test('a step of one attempt only says so', async () => {
    await open(aFlow([...flow.steps, aStep(6, 'use-token', { after: 3 })]));
    const row = screen.getByRole('row', { name: /^Use token/ });
    expect(
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ).toContain('not in this attempt');
    expect(screen.getByRole('status').textContent).toContain('1 step in one only');
  });
});
