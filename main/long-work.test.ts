import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import {
  configurationOfInputs,
  fileOfSteps,
  forkingTool,
  lockOf,
  manyTools,
} from '#fixtures/fuzz/heavy-inputs.ts';
import { longTasks } from './long-tasks.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const catalogs = (before: readonly object[], after: readonly object[]) => ({
  recorded: { name: 'before.json', lock: lockOf(before) },
  other: { name: 'after.json', lock: lockOf(after) },
});

/** Nine levels of nine aliases of the level below. */
const aliasesOfAliases = [
  'l0: &l0 x',
  ...Array.from(
    { length: 9 },
    (_, index) =>
      `l${index + 1}: &l${index + 1} [${Array.from({ length: 9 }, () => `*l${index}`).join(', ')}]`,
  ),
].join('\n');

/** Which of two commands the engine answered first: the work, or `app/info`, asked one turn later. */
async function firstAnswer(work: Promise<unknown>): Promise<string> {
  const done = work.then(() => 'the work');
  await nextTurn();
  return Promise.race([done, engine.call('app/info', {}).then(() => 'app/info')]);
}

test('the engine answers while it compares two long catalogs', async () => {
  const comparing = engine.call('lock/compare', catalogs(manyTools(700, 'get'), manyTools(700, 'put')));
  expect(await firstAnswer(comparing)).toBe('app/info');
  expect((await comparing).catalog).toHaveLength(1400);
});

test('the engine answers while it converts a long file of another tool', async () => {
  const text = `name: one\nserver: { command: node }\nassert:\n  tool: t\n  args: { list: [${'1, '.repeat(20_000)}] }\n`;
  const converting = engine.call('convert/text', { name: 'a.yaml', text });
  expect(await firstAnswer(converting)).toBe('app/info');
  expect(await converting).toMatchObject({ format: 'mcp-assert', entries: 1 });
});

test('a long configuration with placeholders that are not closed is read', async () => {
  const text = configurationOfInputs(20_000);
  const source = { kind: 'text', text, path: null, format: null } as const;
  const { servers } = await engine.call('servers/import-preview', { source });
  expect(servers.map(({ settings }) => settings.name)).toEqual(['one']);
});

test('the engine answers while it reads and changes a long YAML file of another client', async () => {
  const models = Array.from({ length: 1500 }, (_, index) => `  - { name: m${index}, provider: some }`).join(
    '\n',
  );
  const text = `models:\n${models}\nmcpServers:\n  - name: a\n    command: x\n# the end\n`;
  const source = { kind: 'text', text, path: 'config.yaml', format: null } as const;
  const reading = engine.call('servers/import-preview', { source });
  expect(await firstAnswer(reading)).toBe('app/info');
  const { servers } = await reading;
  const picks = servers.map(({ key }) => ({ key, name: 'b', replaces: null }));
  const ids = (await engine.call('servers/import', { source, picks, values: {} })).map(({ id }) => id);
  const writing = engine.call('servers/export', { ids, format: 'continue', into: { kind: 'text', text } });
  expect(await firstAnswer(writing)).toBe('app/info');
  expect((await writing).text).toContain('  - name: b\n    command: x\n');
});

test.each([
  ['aliases that repeat aliases', 'a.yaml', aliasesOfAliases, /with what its aliases repeat: more than/],
  ['a key of 5,000 parts', 'a.toml', `${'a.'.repeat(5000)}a = 1`, /more than 100 nested values/],
])('a file of another client with %s is refused by what it stands for', async (_, path, text, what) => {
  const source = { kind: 'text', text, path, format: null } as const;
  const { servers, problems } = await engine.call('servers/import-preview', { source });
  expect(servers).toEqual([]);
  expect(problems[0]?.what).toMatch(what);
});

test('a long test file is read, changed and read again in a thread as a short one is at once', async () => {
  const path = join(engine.folder, 'long.mcptest.yaml');
  await writeFile(path, fileOfSteps(1500));
  const read = await engine.call('saved-calls/read', { path });
  expect(read.calls).toHaveLength(1500);
  const removed = await engine.call('saved-calls/remove', { path, index: 3, name: 's3' });
  expect(removed.calls.map(({ name }) => name).slice(2, 5)).toEqual(['s2', 's4', 's5']);
});

test('small catalogs that stand for very much are compared in part, and the change fails every gate', async () => {
  const { catalog } = await engine.call(
    'lock/compare',
    catalogs([forkingTool(20, 'one')], [forkingTool(20, 'other')]),
  );
  expect(catalog.find(({ rule }) => rule === 'not-compared')).toMatchObject({ class: 'unknown', name: 't' });
});

test('a fault of the work in a thread reaches its caller', async () => {
  const bad = { name: 'bad.json', lock: `{"version":1,"tools":${JSON.stringify('x'.repeat(200_000))}}` };
  const comparing = engine.call('lock/compare', { recorded: bad, other: bad });
  await expect(comparing).rejects.toMatchObject({ fault: { code: 'bad-lock-file' } });
});

test('an engine that is closed ends the work, and its caller gets a fault', async () => {
  const comparing = engine.call('lock/compare', catalogs(manyTools(4000, 'get'), manyTools(4000, 'put')));
  const outcome = comparing.catch((error: unknown) => error);
  await nextTurn();
  await engine.engine.close();
  expect(await outcome).toMatchObject({ fault: { code: 'over-budget' } });
});

test('a closed engine starts no more work', async () => {
  const threads: Worker[] = [];
  const note = (thread: Worker) => threads.push(thread);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  await engine.engine.close();
  const comparing = engine.call('lock/compare', catalogs(manyTools(700, 'get'), manyTools(700, 'put')));
  await expect(comparing).rejects.toMatchObject({ fault: { code: 'over-budget' } });
  expect(threads).toEqual([]);
});

test('a step is brought back from a long file in a thread, although the file is gone', () => {
  const earlier = fileOfSteps(1500);
  const size = longTasks['edit-test-file'].size({ kind: 'restore', text: null, earlier, index: 3 });
  expect(size).toBe(longTasks['read-test-file'].size({ text: earlier }));
});
