import { expect, test } from 'vitest';
import { messageTextOf } from './read-unit.ts';

test('a message is the whole unit, or one of a batch, as it was written', () => {
  const unit = { text: '[{"id":1.0}, {"id":2}]' };
  expect([0, 1, 0].map((position) => messageTextOf({ unit, position }))).toEqual([
    '{"id":1.0}',
    '{"id":2}',
    '{"id":1.0}',
  ]);
  expect(messageTextOf({ unit: { text: '{"id":[1,2]}' }, position: 0 })).toBe('{"id":[1,2]}');
  expect(messageTextOf({ unit: { text: '[{}]' }, position: 0 })).toBe('{}');
});
