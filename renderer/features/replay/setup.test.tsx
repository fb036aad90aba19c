import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { useReplayView } from '#model/replay.ts';
import { ReplayPlan } from './setup.tsx';

afterEach(cleanup);

function Plan() {
  const recording = { of: 'session', sessionId: 'old' } as const;
  return <ReplayPlan paneId="v1" view={useReplayView('v1')} recording={recording} sessionId="s1" />;
}

test('a value that is too short is invalid, and its field has the reason as its description', async () => {
  const placeholders = ['[redacted token 1a2b]', '[redacted token 3c4d]'];
  fakeEngine({
    'replay/plan': () => ({
      rows: [1],
      calls: [],
      secrets: placeholders.map((placeholder) => ({ placeholder, kind: 'token' })),
    }),
  });
  render(<Plan />);
  const user = userEvent.setup();
  const fields = [await screen.findByLabelText('token 1a2b'), screen.getByLabelText('token 3c4d')];
  const described = () =>
    fields.map((field) => document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent);
  expect(described()).toEqual([undefined, undefined]);
  await user.type(fields[1]!, 'abc');
  expect(fields[1]!.getAttribute('aria-invalid')).toBe('true');
  expect(described()).toEqual([undefined, 'At least 4 characters, so that the trace can hide it.']);
  await user.type(fields[1]!, 'd');
  expect(described()).toEqual([undefined, undefined]);
});
