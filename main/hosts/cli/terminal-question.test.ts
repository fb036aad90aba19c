import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Launch } from '#shared/contract/sessions.ts';
import { createAsker } from './terminal-question.ts';

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

test.each(['LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'PYTHONPATH', 'BASH_ENV'])(
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
