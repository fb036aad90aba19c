import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { aParameter, aRequest } from '#fixtures/page/authorization-samples.ts';
import { aFlow, aStep } from '#fixtures/page/known-flows.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { KnownTraps, TrapsAtStep } from './provider-traps.tsx';

afterEach(cleanup);

const entra = 'https://login.microsoftonline.com/t';
const metadata = aStep({
  id: 1,
  response: {
    status: 200,
    headers: [],
    body: JSON.stringify({
      issuer: `${entra}/v2.0`,
      authorization_endpoint: `${entra}/oauth2/v2.0/authorize`,
      token_endpoint: `${entra}/oauth2/v2.0/token`,
    }),
  },
});
const request = aStep({
  id: 2,
  name: 'authorization-request',
  response: null,
  request: aRequest({ query: [aParameter('resource', 'https://mcp.example/mcp')] }),
});
const callback = (facts: Partial<AuthorizationStep>): AuthorizationStep =>
  aStep({ id: 3, name: 'callback', request: null, response: null, ...facts });

/** A flow that Entra sent back with an error. */
const rejected: AuthorizationFlow = aFlow({
  mode: 'stepped',
  state: 'failed',
  serverId: 'traps-1',
  steps: [metadata, request, callback({ state: 'failed' })],
  fault: {
    code: 'authorization-refused',
    what: 'invalid_request: the authorization server cannot read the request.',
    quote: 'AADSTS9010010: The resource parameter provided in the request doesn’t match.',
  },
});

/** A flow whose browser shows a page of Entra. */
const atPage: AuthorizationFlow = aFlow({
  state: 'waiting',
  currentStep: 3,
  serverId: 'traps-2',
  steps: [metadata, request, callback({ state: 'waiting' })],
});

const show = (flow: AuthorizationFlow, stepId: number, isRecorded = false) => {
  const step = flow.steps.find(({ id }) => id === stepId);
  if (step === undefined) throw new Error(`no step ${stepId}`);
  return render(<TrapsAtStep flow={flow} step={step} isRecorded={isRecorded} />);
};

test('says the cause and what to do, sets it and tries again in the same mode', async () => {
  const engine = fakeEngine({ 'authorization/begin': () => ({ ...rejected, id: 'second' }) });
  show(rejected, 3);
  const card = screen.getByRole('note', { name: 'Known trap of Microsoft Entra ID: Entra rejects resource' });
  expect(card.textContent).toContain('Application ID URI');
  expect(card.textContent).toContain(
    'Microsoft Entra ID, by its host. Source: Microsoft Entra, Secure an MCP',
  );
  await userEvent.click(within(card).getByRole('button', { name: 'Leave out resource and try again' }));
  expect(engine.asked('authorization/begin')).toEqual([
    {
      serverId: 'traps-1',
      mode: 'stepped',
      revision: rejected.revision,
      settings: { dropped: ['resource'] },
    },
  ]);
});

test('is shown at its step only, and listed with a link to it', async () => {
  fakeEngine({});
  show(rejected, 1);
  expect(screen.queryByRole('note')).toBeNull();
  const selected: number[] = [];
  render(<KnownTraps flow={rejected} onSelect={({ id }) => selected.push(id)} />);
  await userEvent.click(
    within(screen.getByRole('list', { name: 'Known traps' })).getByRole('button', {
      name: 'Entra rejects resource',
    }),
  );
  expect(selected).toEqual([3]);
});

test('what a page in the browser may say is listed while the flow waits for it, and after an error page', () => {
  fakeEngine({});
  const { container } = show(atPage, 3);
  const details = container.querySelector('details');
  expect([details?.open, details?.querySelector('summary')?.textContent]).toEqual([
    false,
    'If the page of Microsoft Entra ID shows an error',
  ]);
  expect(details?.textContent).toContain('AADSTS9010010, AADSTS901002');
  cleanup();
  const failed = { ...atPage, state: 'failed' as const, currentStep: null };
  const again = show(
    {
      ...failed,
      steps: [metadata, request, callback({ state: 'failed' })],
      fault: { code: 'authorization-error-page', what: 'The browser shows an error page.' },
    },
    3,
  );
  expect(again.container.querySelector('details')?.open).toBe(true);
});

test('without resource in the request, its page is not among them', () => {
  fakeEngine({});
  const without = { ...request, request: aRequest({ query: [] }) };
  const { container } = show({ ...atPage, steps: [metadata, without, callback({ state: 'waiting' })] }, 3);
  expect(container.textContent).not.toContain('AADSTS9010010');
  expect(container.textContent).toContain('AADSTS50011');
});

test('a recording offers nothing to try, and a fault of the retry is shown', async () => {
  fakeEngine({
    'authorization/begin': () => {
      throw new FaultError({ code: 'no-url', what: 'The server has no URL.' });
    },
  });
  show(rejected, 3, true);
  expect(screen.queryByRole('button')).toBeNull();
  cleanup();
  show(rejected, 3);
  await userEvent.click(screen.getByRole('button', { name: 'Leave out resource and try again' }));
  expect(await screen.findByText('The server has no URL.')).toBeDefined();
});

test('a flow at an unknown server shows nothing', () => {
  fakeEngine({});
  const other = { ...rejected, fault: { code: 'authorization-refused', what: 'invalid_request' } };
  const { container } = show({ ...other, steps: [aStep({ id: 1 }), callback({ state: 'failed' })] }, 3);
  expect(container.textContent).toBe('');
});
