import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aCall } from '#fixtures/page/samples.ts';
import { PromptResultColumn } from './prompt-result.tsx';

afterEach(cleanup);

test('messages have their annotations, and those for the assistant or the user are shown by choice', async () => {
  const message = (role: string, text: string, annotations?: object) => ({
    role,
    content: { type: 'text', text, annotations },
  });
  fakeEngine({
    'calls/list': () => [
      aCall({
        id: 'prompt-1',
        sessionId: 'prompts-1',
        method: 'prompts/get',
        tool: null,
        arguments: '{"name":"greet"}',
        state: 'ok',
        duration: 1000,
        result: JSON.stringify({
          messages: [
            message('user', 'for both'),
            message('user', 'for the model', { audience: ['assistant'], priority: 0.25 }),
            message('assistant', 'for a person', { audience: ['user'] }),
          ],
          _meta: { cached: true },
        }),
      }),
    ],
  });
  render(<PromptResultColumn sessionId="prompts-1" prompt="greet" />);
  const user = userEvent.setup();
  expect(await screen.findByText('for assistant')).toBeTruthy();
  expect(screen.getByRole('group', { name: 'Other members of the result' }).textContent).toBe(
    '_meta: cached',
  );
  expect(screen.getByText('priority 0.25')).toBeTruthy();
  // It can be named by what is seen (WCAG 2.2, 2.5.3).
  expect(screen.getByRole('button', { name: 'id 2, show another' }).textContent).toBe('id 2');
  const shown = () => screen.getAllByRole('article').map((one) => one.getAttribute('aria-label'));
  expect(shown()).toHaveLength(3);
  await user.click(screen.getByRole('radio', { name: 'Assistant' }));
  expect(shown()).toEqual(['Message 1, user', 'Message 2, user']);
  await user.click(screen.getByRole('radio', { name: 'User' }));
  expect(shown()).toEqual(['Message 1, user', 'Message 3, assistant']);
  expect(screen.queryByText('for the model')).toBeNull();
});
