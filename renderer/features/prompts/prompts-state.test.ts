import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { aCall } from '#fixtures/page/samples.ts';
import { addRecordedCalls } from '#model/calls.ts';
import { catalogLines } from '#model/catalog.ts';
import type { PromptEntry } from '#shared/contract/catalog.ts';
import { showPromptOfCall, usePromptsState, usePromptValues } from './prompts-state.ts';

test('a request that is opened puts its arguments over those of a request or of nobody, not over typed ones', () => {
  const greet: PromptEntry = { usable: true, duplicate: false, prompt: { name: 'greet' }, raw: '{}' };
  const [line] = catalogLines([greet]);
  if (line === undefined) throw new Error('The prompt is not listed');
  const get = (id: string, args: object) =>
    aCall({
      id,
      sessionId: 'prompts-2',
      method: 'prompts/get',
      tool: null,
      arguments: JSON.stringify({ name: 'greet', arguments: args }),
    });
  const first = get('row-2', { city: 'Oslo', style: 'short' });
  const second = get('row-4', { city: 'Rome' });
  addRecordedCalls('prompts-2', [first, second]);
  const form = renderHook(() => usePromptValues('v1', line));
  const opened = (call: typeof first) => {
    act(() => showPromptOfCall(call, 'v1', line));
    return form.result.current[0];
  };
  const type = (name: string, value: string) => act(() => form.result.current[1](name, value));

  expect(opened(first)).toEqual({ city: 'Oslo', style: 'short' });
  expect(opened(second)).toEqual({ city: 'Rome' });
  // An argument without a value is not sent.
  type('style', '');
  expect(opened(first)).toEqual({ city: 'Oslo', style: 'short' });
  type('city', 'Bergen');
  expect(opened(second)).toEqual({ city: 'Bergen', style: 'short' });
  const { selected, shownCall } = usePromptsState.getState();
  expect(selected.v1).toBe(line.key);
  expect(Object.values(shownCall)).toEqual(['row-4']);
});
