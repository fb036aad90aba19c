import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Launch } from '#shared/contract/sessions.ts';
import { createAsker, createLineQuestions } from './terminal-questions.ts';

const launch: Launch = {
  command: 'node',
  args: ['server.js', 'a b'],
  cwd: '/home/ada',
  env: [
    { name: 'TOKEN', value: null },
    { name: 'PORT', value: '80' },
    { name: 'NODE_OPTIONS', value: '--require ./evil.cjs' },
  ],
  inherit: 'safe',
  resolved: '/usr/bin/node',
};

function terminal() {
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })];
  const asker = createAsker(input, output);
  onTestFinished(() => asker.close());
  return { asker, input, shown: () => String(output.read() ?? '') };
}

test('the question shows the whole command line and takes y for yes', async () => {
  const { asker, input, shown } = terminal();
  const answer = asker.confirmLaunch(launch);
  const question = shown();
  for (const fact of ['node', 'server.js', 'a b', '/usr/bin/node', '/home/ada', '(secret)', '80']) {
    expect(question).toContain(`: ${fact}\n`);
  }
  input.write('y\n');
  expect(await answer).toBe(true);
});

test('the question shows values that are no secret, and points at variables that change what is run', async () => {
  const { asker, input, shown } = terminal();
  const answer = asker.confirmLaunch({ ...launch, inherit: 'all' });
  const question = shown();
  expect(question).toContain('  variable TOKEN: (secret)\n');
  expect(question).toContain('  variable PORT: 80\n');
  expect(question).toMatch(
    / {2}variable NODE_OPTIONS: --require \.\/evil\.cjs {3}<- changes what Node\.js loads/,
  );
  expect(question).toContain('  inherits: every variable of Sightglass\n');
  input.write('n\n');
  expect(await answer).toBe(false);
});

test.each(['LD_PRELOAD', 'PYTHONPATH', 'BASH_ENV', 'OPENSSL_CONF', 'LESSOPEN', 'GOFLAGS', 'DOCKER_HOST'])(
  'the question points at %s',
  async (name) => {
    const { asker, input, shown } = terminal();
    const answer = asker.confirmLaunch({ ...launch, env: [{ name, value: 'x' }] });
    expect(shown()).toMatch(new RegExp(`variable ${name}: x {3}<- \\w+`));
    input.write('n\n');
    expect(await answer).toBe(false);
  },
);

test.each(['', 'n', 'no', 'yolo', ' '])('%j is no', async (line) => {
  const { asker, input } = terminal();
  const answer = asker.confirmLaunch(launch);
  input.write(`${line}\n`);
  expect(await answer).toBe(false);
});

test('a line typed before the question answers nothing', async () => {
  const { asker, input } = terminal();
  input.write('y\n');
  await new Promise(setImmediate);
  const answer = asker.confirmLaunch(launch);
  input.write('n\n');
  expect(await answer).toBe(false);
});

test('questions wait for each other', async () => {
  const { asker, input, shown } = terminal();
  const first = asker.confirmLaunch(launch);
  const second = asker.confirmLaunch({ ...launch, command: 'python' });
  expect(shown()).not.toContain('python');
  input.write('n\ny\n');
  expect([await first, await second]).toEqual([false, true]);
  expect(shown()).toContain('python');
});

test('where nobody can answer, the answer is no', async () => {
  const { asker, input } = terminal();
  const open = asker.confirmLaunch(launch);
  input.end();
  expect(await open).toBe(false);
  expect(await asker.confirmLaunch(launch)).toBe(false);
});

test('a command line cannot rewrite what the user reads', async () => {
  const { asker, input, shown } = terminal();
  const answer = asker.confirmLaunch({ ...launch, args: ['\x1b[2J\rls\nRun it? [y/N] '] });
  expect(shown()).toContain('argument 1: \\x1b[2J\\x0dls\\x0aRun it?');
  input.write('n\n');
  expect(await answer).toBe(false);
});

function openQuestions() {
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })];
  const questions = createLineQuestions(input, output);
  onTestFinished(() => questions.close());
  return { questions, input, shown: () => String(output.read() ?? '') };
}

test('a question that is withdrawn makes room for the next, which the next line answers', async () => {
  const { questions, input, shown } = openQuestions();
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
  const { questions, shown } = openQuestions();
  expect(await questions.ask('one? ', AbortSignal.abort())).toBeNull();
  expect(shown()).toBe('');
});

test('a question that was answered can be withdrawn without harm to the next', async () => {
  const { questions, input } = openQuestions();
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
  const { questions, input, shown } = openQuestions();
  const answers = [questions.ask('one? '), questions.ask('two? ')];
  input.end();
  expect(await Promise.all(answers)).toEqual([null, null]);
  expect(await questions.ask('three? ')).toBeNull();
  expect(shown()).toBe('one? ');
});

test('all lines that arrive at once are read, and the next question is asked after that', async () => {
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })];
  const questions = createLineQuestions(input, output);
  const over = new AbortController();
  const lines: string[] = [];
  const reading = questions.read('Paste: ', (line) => lines.push(line), over.signal);
  const answer = questions.ask('Go on? ');
  input.write('one\ntwo\n');
  await expect.poll(() => lines).toEqual(['one', 'two']);
  expect(output.read()).toBe('Paste: ');
  over.abort();
  await reading;
  input.write('y\n');
  expect(await answer).toBe('y');
  const untilEnd = questions.read('', () => undefined, new AbortController().signal);
  input.end();
  await untilEnd;
  questions.close();
});
