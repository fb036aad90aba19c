import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { aFlow, aParameter, aRequest, aStep } from '#fixtures/page/authorization-samples.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { currentCommands } from '#model/commands.ts';
import type { AuthorizationStep } from '#shared/contract/authorization.ts';
import { Toaster } from '#ui/toaster.tsx';
import { FlowDiagram } from './flow-diagram.tsx';
import { changeRequest } from './request-draft.ts';
import { StepCopyMenu } from './step-copy.tsx';

afterEach(cleanup);

const tokenStep = (change: Partial<AuthorizationStep> = {}) =>
  aStep(1, 'token', {
    state: 'stopped',
    request: aRequest({
      method: 'POST',
      url: 'https://login.example.com/token',
      headers: [aParameter('DPoP', null, { fingerprint: 'aaaaaa' })],
      bodyKind: 'form',
      body: [aParameter('grant_type', 'authorization_code'), aParameter('code', null)],
    }),
    ...change,
  });

/** The menu of a step, opened by keyboard. */
async function openMenu(step: AuthorizationStep, isRecorded = false) {
  const user = userEvent.setup();
  const flow = aFlow([step], { id: `flow-${step.name}-${String(isRecorded)}` });
  render(
    <>
      <StepCopyMenu flow={flow} step={step} isRecorded={isRecorded} />
      <Toaster />
    </>,
  );
  await user.tab();
  await user.keyboard('{Enter}');
  return { user, flow };
}

const clipboard = () => navigator.clipboard.readText();
const entries = () => screen.getAllByRole('menuitem').map(({ textContent }) => textContent);

test('a request is copied by keyboard, with its secrets as variables that are named', async () => {
  fakeEngine({});
  const { user } = await openMenu(tokenStep());
  expect(entries()).toEqual(['Copy as curl', 'Copy as curl with its secrets']);
  await user.keyboard('{Enter}');
  expect(
    await screen.findByText(/Copied\. Set DPOP_PROOF, CODE first\. A DPoP proof is for one/),
  ).toBeDefined();
  expect(await clipboard()).toContain('--data-urlencode code="$CODE"');
});

test('with its secrets only after this choice, which asks the engine for them', async () => {
  const engine = fakeEngine({ 'authorization/reveal': ({ name }) => ({ value: `real ${name}` }) });
  const { user } = await openMenu(tokenStep());
  expect(engine.asked('authorization/reveal')).toEqual([]);
  await user.keyboard('{ArrowDown}{Enter}');
  await expect.poll(clipboard).toContain('--data-raw code=real+code');
  expect(await clipboard()).toContain("--header 'DPoP: real DPoP'");
});

test('of a recording the secrets are texts to replace, and nothing is asked for', async () => {
  const engine = fakeEngine({});
  const { user } = await openMenu(tokenStep({ state: 'done' }), true);
  expect(entries()).toEqual(['Copy as curl']);
  await user.keyboard('{Enter}');
  expect(await screen.findByText('Copied. Replace [secret …] with their values.')).toBeDefined();
  expect(await clipboard()).not.toContain('$');
  expect(engine.asked('authorization/reveal')).toEqual([]);
});

test('what the user has changed is copied as it would be sent, with the wrong value', async () => {
  fakeEngine({});
  const step = tokenStep({
    request: aRequest({
      method: 'POST',
      url: 'https://login.example.com/token',
      bodyKind: 'form',
      body: [aParameter('resource', 'https://mcp.example.com/mcp'), aParameter('scope', 'a')],
    }),
  });
  const flow = aFlow([step], { id: 'flow-changed' });
  const request = step.request === null ? null : { ...step.request, method: 'PUT' };
  if (request !== null) changeRequest(flow, step, { request, wrongValue: 'resource-other', assertion: null });
  const user = userEvent.setup();
  render(<StepCopyMenu flow={flow} step={step} isRecorded={false} />);
  await user.tab();
  await user.keyboard('{Enter}{Enter}');
  await expect.poll(clipboard).toContain('curl --request PUT');
  expect(await clipboard()).toContain('resource=https%3A%2F%2Fother.example%2Fmcp');
});

test.each<[string, AuthorizationStep, string]>([
  ['a callback', aStep(1, 'callback'), 'No command: the browser sends the callback to Sightglass'],
  [
    'a request of the session',
    aStep(1, 'challenge', { row: 3 }),
    'No command: the session sent the request; copy it at its row',
  ],
  ['a step without a request', aStep(1, 'credentials'), 'No command: this step sends no request'],
  [
    'a later step',
    aStep(1, 'token', { state: 'planned' }),
    'No command: its request is built when the flow gets there',
  ],
])('%s has no command, and says why', async (_, step, reason) => {
  fakeEngine({});
  await openMenu(step);
  const [entry] = screen.getAllByRole('menuitem');
  expect([entry?.textContent, entry?.getAttribute('aria-disabled')]).toEqual([reason, 'true']);
  expect(currentCommands().filter(({ id }) => id.startsWith('authorization.copy'))).toEqual([]);
});

test('a step of the browser is copied as its URL', async () => {
  fakeEngine({});
  const query = [aParameter('client_id', 'me'), aParameter('state', 'xyz')];
  const { user } = await openMenu(
    aStep(1, 'authorization-request', { request: aRequest({ sentBy: 'browser', query }) }),
  );
  expect(entries()).toEqual(['Copy the URL for the browser']);
  await user.keyboard('{Enter}');
  await expect.poll(clipboard).toBe('https://login.example.com/authorize?client_id=me&state=xyz');
  expect(currentCommands().map(({ title }) => title)).toContain(
    'Copy the URL for the browser of the selected step',
  );
});

test('the diagram has the same menu for the step under the pointer', async () => {
  fakeEngine({});
  const step = tokenStep({ state: 'done' });
  const chosen: number[] = [];
  render(
    <FlowDiagram
      flow={aFlow([aStep(2, 'challenge', { after: null }), { ...step, after: 2 }])}
      selected={step}
      onSelect={({ id }) => chosen.push(id)}
      onEnter={() => undefined}
      state={null}
      isRecorded={false}
    />,
  );
  fireEvent.contextMenu(screen.getByRole('option', { name: /Token exchange/ }));
  expect(await screen.findByRole('menuitem', { name: 'Copy as curl' })).toBeDefined();
  expect(chosen).toEqual([1]);
});
