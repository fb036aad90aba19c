import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { exited } from './child-process.ts';

test('tells how a process ended', async () => {
  expect(await exited(spawn(process.execPath, ['-e', 'process.exit(3)']))).toEqual({ code: 3, signal: null });
});

test('sees the end that cross-spawn reports as an error when Windows has no such command', async () => {
  const child = spawn(process.execPath, ['-e', 'process.exit(1)']);
  const emit = child.emit.bind(child);
  child.emit = (name: string, ...args: unknown[]) =>
    name === 'exit' ? emit('error', new Error('spawn nothing ENOENT')) : emit(name, ...args);
  expect(await exited(child)).toEqual({ code: 1, signal: null });
});
