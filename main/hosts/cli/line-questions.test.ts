import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createLineQuestions } from './line-questions.ts';

function open() {
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })];
  const questions = createLineQuestions(input, output);
  onTestFinished(() => questions.close());
  return { questions, input, shown: () => String(output.read() ?? '') };
}

test('a question that is withdrawn makes room for the next, which the next line answers', async () => {
  const { questions, input, shown } = open();
  const [first, second] = [new AbortController(), new AbortController()];
  const answers = [
    questions.ask('one? ', first.signal),
    questions.ask('two? ', second.signal),
    questions.ask('three? '),
  ];
  second.abort();
  expect(shown()).toBe('one? ');
  first.abort();
  expect(shown()).toBe('three? ');
  input.write('yes\n');
  expect(await Promise.all(answers)).toEqual([null, null, 'yes']);
});

test('a question that was withdrawn before it was asked is never shown', async () => {
  const { questions, shown } = open();
  expect(await questions.ask('one? ', AbortSignal.abort())).toBeNull();
  expect(shown()).toBe('');
});

test('a question that was answered can be withdrawn without harm to the next', async () => {
  const { questions, input } = open();
  const first = new AbortController();
  const answer = questions.ask('one? ', first.signal);
  input.write('yes\n');
  expect(await answer).toBe('yes');
  const next = questions.ask('two? ');
  first.abort();
  input.write('no\n');
  expect(await next).toBe('no');
});

test('at the end of the input all that wait learn that nobody is there, and nothing more is shown', async () => {
  const { questions, input, shown } = open();
  const answers = [questions.ask('one? '), questions.ask('two? ')];
  input.end();
  expect(await Promise.all(answers)).toEqual([null, null]);
  expect(await questions.ask('three? ')).toBeNull();
  expect(shown()).toBe('one? ');
});
