import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test } from 'vitest';
import { aFlow, aStep } from '#fixtures/page/authorization-samples.ts';
import { type Answers, fakeEngine } from '#fixtures/page/fake-engine.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { RequestColumn } from './request-column.tsx';

afterEach(cleanup);

const fault = { code: 'no-authorization-metadata', what: 'No metadata was found.' };
const endpoints: AuthorizationFlow['entry'] = {
  kind: 'server-metadata',
  fields: [
    { name: 'issuer', value: 'https://login.example.com' },
    { name: 'authorization_endpoint', value: '' },
    { name: 'token_endpoint', value: '' },
  ],
};

function show(change: Partial<AuthorizationFlow>, answers: Answers = {}, isRecorded = false) {
  const engine = fakeEngine(answers);
  const step = aStep(1, 'server-metadata', { state: 'failed' });
  const flow = aFlow([step], { state: 'failed', fault, ...change });
  render(<RequestColumn flow={flow} step={step} isRecorded={isRecorded} />);
  return { engine, flow, user: userEvent.setup() };
}

describe('the form for what a flow cannot find', () => {
  test('opens in the card of the fault, is filled in by keyboard alone, and sent', async () => {
    const { engine, flow, user } = show({ entry: endpoints }, { 'authorization/enter': () => null });
    // The menu to copy the step comes first.
    await user.tab();
    await user.tab();
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Enter the endpoints by hand' }));
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(screen.getByLabelText('Issuer'));
    expect(screen.getByLabelText('Issuer')).toHaveProperty('value', 'https://login.example.com');
    await user.keyboard('{Tab}https://login.example.com/a{Tab}https://login.example.com/t{Enter}');
    expect(engine.asked('authorization/enter')).toEqual([
      {
        flowId: flow.id,
        values: {
          authorization_endpoint: 'https://login.example.com/a',
          token_endpoint: 'https://login.example.com/t',
        },
      },
    ]);
  });

  test('stays with what was typed when the engine refuses it, and says why', async () => {
    const refused = { code: 'entry-unusable', what: 'Token endpoint cannot be used.' };
    const { user } = show(
      { entry: endpoints },
      {
        'authorization/enter': () => {
          throw new FaultError(refused);
        },
      },
    );
    await user.click(screen.getByRole('button', { name: 'Enter the endpoints by hand' }));
    await user.type(screen.getByLabelText('Token endpoint'), 'nothing');
    await user.click(screen.getByRole('button', { name: 'Go on with this' }));
    expect(await screen.findByText(refused.what)).toBeDefined();
    expect(screen.getByLabelText('Token endpoint')).toHaveProperty('value', 'nothing');
    await user.click(screen.getByRole('button', { name: 'Close' }));
    expect(screen.getByRole('button', { name: 'Enter the endpoints by hand' })).toBeDefined();
  });

  test('hides a client secret while it is typed', async () => {
    const fields = [
      { name: 'client_id' as const, value: '' },
      { name: 'client_secret' as const, value: '' },
    ];
    const { user } = show({ entry: { kind: 'client', fields } });
    await user.click(screen.getByRole('button', { name: 'Enter the client by hand' }));
    expect(screen.getByLabelText('Client secret')).toHaveProperty('type', 'password');
  });

  test('is the second way where the flow can continue anyway', async () => {
    const { user } = show({ entry: endpoints, canOverride: true });
    expect(screen.getByRole('button', { name: 'Continue anyway' })).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Other endpoints…' }));
    expect(screen.getByRole('form', { name: 'Enter the endpoints by hand' })).toBeDefined();
  });

  test('is not offered in a recorded session', () => {
    show({ entry: endpoints, canOverride: true }, {}, true);
    expect(screen.queryByRole('button', { name: /by hand|Other|Continue anyway/ })).toBeNull();
  });
});
