import { expect, test } from 'vitest';
import { anEntry } from '#fixtures/page/samples.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { readQuestion } from './read-question.ts';
import { firstAnswer } from './first-answer.ts';

const first = (change: Partial<InboxEntry>) => {
  const entry = anEntry(change);
  return firstAnswer(entry, readQuestion(entry));
};

test('what follows from the question is laid out over lines, digit by digit', () => {
  expect(first({ suggestion: '{"action":"accept","content":{"n":9007199254740993}}' })).toBe(
    '{\n  "action": "accept",\n  "content": {\n    "n": 9007199254740993\n  }\n}',
  );
});

const asks = (properties: string) =>
  first({
    params: `{"message":"?","requestedSchema":{"type":"object","properties":{${properties}},"required":["name","kind"]}}`,
  });
const fields =
  '"name":{"type":"string"},"size":{"type":"integer","default":1.0},"kind":{"enum":["a","b"]},"extra":{"type":"string"}';

test('a form begins with its defaults, digit by digit: nothing is made up', () => {
  expect(asks(fields)).toBe('{\n  "action": "accept",\n  "content": {\n    "size": 1.0\n  }\n}');
});

test('a form without defaults begins with its gaps, in the types they want, where it is written as JSON', () => {
  expect(asks(`${fields},"nested":{"type":"object"}`)).toBe(
    '{\n  "action": "accept",\n  "content": {\n    "name": "",\n    "kind": "a",\n    "size": 1.0\n  }\n}',
  );
});

test.each<[Partial<InboxEntry>, unknown]>([
  [{ method: 'roots/list', params: '{}' }, { roots: [] }],
  [{ params: '{"mode":"url","url":"https://example.com"}' }, { action: 'accept' }],
  [{ params: '{"message":1,"requestedSchema":[]}' }, { action: 'accept', content: {} }],
  [
    { method: 'sampling/createMessage', params: '{"messages":"none"}' },
    {
      role: 'assistant',
      content: { type: 'text', text: '' },
      model: 'answered-by-hand',
      stopReason: 'endTurn',
    },
  ],
])('begins with what its method wants: %j', (change, begin) => {
  expect(JSON.parse(first(change))).toEqual(begin);
});
