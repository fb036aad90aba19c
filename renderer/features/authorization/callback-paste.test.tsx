import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aFlow, aRequest, aStep } from '#fixtures/page/authorization-samples.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { CallbackPaste } from './callback-paste.tsx';
import { RequestColumn } from './request-column.tsx';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test('a wrong paste stays in the box with what is wrong, and the right one empties it', async () => {
  const refused = { code: 'pasted-no-answer', what: 'What you pasted has no code.' };
  const engine = fakeEngine({
    'authorization/callback': ({ url }) => {
      if (url === 'code=c&state=s') return null;
      throw new FaultError(refused);
    },
  });
  const user = userEvent.setup();
  render(<CallbackPaste flow={aFlow([aStep(1, 'callback', { state: 'waiting' })])} />);
  const box = screen.getByLabelText('Callback URL');
  await user.type(box, 'hello{Enter}');
  expect(await screen.findByText(refused.what)).toBeDefined();
  expect(box).toHaveProperty('value', 'hello');
  await user.clear(box);
  await user.type(box, ' code=c&state=s {Enter}');
  expect(engine.asked('authorization/callback')).toMatchObject([{ url: 'hello' }, { url: 'code=c&state=s' }]);
  await vi.waitFor(() => expect(box).toHaveProperty('value', ''));
  expect(screen.queryByText(refused.what)).toBeNull();
});

test('a request that is held back shows the time that is left, and is sent earlier by a click', async () => {
  const engine = fakeEngine({ 'authorization/send-early': () => null });
  const step = aStep(1, 'token', {
    state: 'running',
    request: aRequest(),
    wrongValue: 'code-expired',
    lateUntil: Date.now() + 601_000,
  });
  const flow = aFlow([step], { state: 'running' });
  render(<RequestColumn flow={flow} step={step} isRecorded={false} />);
  expect(screen.getByRole('timer', { name: 'Time left' }).textContent).toBe('10:01');
  act(() => {
    vi.advanceTimersByTime(62_000);
  });
  expect(screen.getByRole('timer').textContent).toBe('8:59');
  await userEvent.click(screen.getByRole('button', { name: 'Send now' }));
  expect(engine.asked('authorization/send-early')).toEqual([{ flowId: flow.id }]);
});
