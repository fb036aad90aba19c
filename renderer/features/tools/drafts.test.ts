import { expect, test } from 'vitest';
import { sendable } from './drafts.ts';

test('arguments are sent as written, without white space between tokens', () => {
  const text = '{\n  "id": 9007199254740993, "f": 1.0,\t"s": " a \\" b\\n ", "id": 2\r\n}';
  expect(sendable(text)).toEqual({
    ok: true,
    text: '{"id":9007199254740993,"f":1.0,"s":" a \\" b\\n ","id":2}',
  });
});

test.each(['', '{', '[1]', 'null', '"x"'])('%j cannot be sent, and why is said', (text) => {
  expect(sendable(text)).toMatchObject({ ok: false, error: expect.stringMatching(/\w+/) });
});
