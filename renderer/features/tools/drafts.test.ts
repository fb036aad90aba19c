import { expect, test } from 'vitest';
import { entry } from '#fixtures/page/fake-tools.ts';
import { aCall } from '#fixtures/page/samples.ts';
import { catalogLines } from '#model/catalog.ts';
import { currentText, loadArguments, sendable, showToolOfCall, useToolsState } from './drafts.ts';

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

test('a call that is opened puts its arguments over those of a call or of nobody, not over typed ones', () => {
  const [line] = catalogLines([entry({ name: 'echo' })]);
  if (line === undefined) throw new Error('The tool is not listed');
  const first = aCall({ id: 'row-2', tool: 'echo', arguments: '{"n":1}' });
  const second = aCall({ id: 'row-4', tool: 'echo', arguments: '{"n":2}' });
  const opened = (call: typeof first, calls = [first, second]) => {
    showToolOfCall(call, 'v1', line, calls);
    return currentText('v1', line);
  };
  expect(opened(first)).toBe('{"n":1}');
  // White space is not sent, so this is the first call's.
  loadArguments('v1', line, '{\n  "n": 1\n}');
  expect(opened(second)).toBe('{"n":2}');
  for (const typed of ['{"n": 3}', '{"n": ']) {
    loadArguments('v1', line, typed);
    expect(opened(first)).toBe(typed);
  }
  // The same arguments of another tool are not in the trace of this one.
  loadArguments('v1', line, '{"n":3}');
  expect(opened(first, [first, aCall({ tool: 'other', arguments: '{"n":3}' })])).toBe('{"n":3}');
  const { selected, shown } = useToolsState.getState();
  expect(selected.v1).toBe(line.key);
  expect(Object.values(shown)).toEqual([{ kind: 'call', call: `${first.sessionId} row-2` }]);
});
