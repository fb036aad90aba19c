import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { NOTE_BYTES, readNotes, WITNESS } from '#fixtures/trace/handed-over-notes.ts';
import { traceHeaderSchema, traceRecordSchema } from '#shared/trace/record.ts';

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
/** What Node makes of the sources, so that it need not make it again. */
const compiled = path('node_modules/.cache/node-compile');

/** Sends numbered log messages as fast as they are taken, until nobody takes them any more. */
const flood = scriptedServer(`
  'notifications/initialized'() {
    let sent = 0;
    const more = () => {
      let lines = '';
      for (let count = 0; count < 200; count++) {
        const params = { level: 'info', data: sent++ + ' ' + 'x'.repeat(100) };
        lines += JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }) + '\\n';
      }
      process.stdout.write(lines, () => setImmediate(more));
    };
    more();
  },
`);

const witness = ['--import', path('fixtures/trace/handed-over.ts')];

interface Killed {
  readonly child: ChildProcess;
  /** What it said on its standard error. */
  readonly said: () => string;
  readonly ended: Promise<unknown>;
  readonly trace: string;
  /** What it handed to its trace before it was killed. */
  readonly notes: string;
}

/** Starts a process that writes a trace, and notes what it hands to it. */
async function start(commandFor: (trace: string) => readonly string[]): Promise<Killed> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-killed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const trace = join(folder, 'a.mcptrace');
  const notes = join(folder, 'notes');
  const child = spawn(process.execPath, [...witness, ...commandFor(trace)], {
    env: { ...process.env, NODE_COMPILE_CACHE: compiled, SIGHTGLASS_HOME: folder, [WITNESS]: notes },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return { child, said: () => said, ended: once(child, 'close'), trace, notes };
}

/** The lines that are whole in the file of a process that was killed, and how much of what it handed over is lost. */
async function leftBy({ trace, notes }: Pick<Killed, 'trace' | 'notes'>) {
  const text = await readFile(trace);
  const noted = await readNotes(notes);
  const lines = text.subarray(0, text.lastIndexOf('\n')).toString().split('\n');
  traceHeaderSchema.parse(JSON.parse(lines[0] ?? ''));
  const lost = noted.filter(({ end }) => end >= text.length);
  // Nothing is missing before the first that is lost, and the file holds nothing that was not handed over.
  expect(lines).toHaveLength(noted.length - lost.length);
  // The time that the thread worked meanwhile: that of others on a busy machine has no part in it.
  const lostTime = ((noted.at(-1)?.worked ?? 0) - (lost[0]?.worked ?? noted.at(-1)?.worked ?? 0)) / 1000;
  return { records: lines.slice(1), noted, lost, lostTime };
}

test.each([1_000, 8_000])(
  'an app that is killed after %d lines of a flood loses at most the last 50 ms of them',
  async (count) => {
    const app = await start((trace) => [
      path('main/hosts/cli/index.ts'),
      'record',
      '-o',
      trace,
      '--json',
      '--',
      flood.command,
      ...flood.args,
    ]);
    const noted = async () => ((await stat(app.notes).catch(() => null))?.size ?? 0) / NOTE_BYTES;
    // Whatever it has to complain about says why there are not so many.
    await expect.poll(async () => app.said() || (await noted()), { interval: 1 }).toBeGreaterThan(count);
    app.child.kill('SIGKILL');
    await app.ended;
    expect(app.child.signalCode).toBe('SIGKILL');
    const { records, lostTime } = await leftBy(app);
    const seqs = records.map((line) => traceRecordSchema.parse(JSON.parse(line)).seq);
    expect(seqs).toEqual(seqs.map((_, place) => place));
    expect(lostTime).toBeLessThan(50);
  },
);

/** Says 900,000 characters without a newline, and nothing more. */
const unended = scriptedServer(`
  'notifications/initialized'() { process.stdout.write('y'.repeat(900_000)); },
  // An answer would end the line.
  'tools/list'() {},
`);

test('an app that is killed while a line waits for its newline loses nothing of what came', async () => {
  const app = await start((trace) => [
    path('main/hosts/cli/index.ts'),
    'record',
    '-o',
    trace,
    '--',
    unended.command,
    ...unended.args,
  ]);
  const size = async () => (await stat(app.trace).catch(() => null))?.size ?? 0;
  await expect.poll(async () => app.said() || (await size()), { timeout: 20_000 }).toBeGreaterThan(900_000);
  app.child.kill('SIGKILL');
  await app.ended;
  const { records } = await leftBy(app);
  const came = records
    .map((line) => traceRecordSchema.parse(JSON.parse(line)))
    .flatMap((one) => (one.kind === 'unit' || one.kind === 'chunk' ? [one.text ?? ''] : []))
    .join('');
  expect(came.includes('y'.repeat(900_000))).toBe(true);
});

test('a thread that is too busy to come to its event loop loses no more when it is killed', async () => {
  const writer = await start((trace) => [path('fixtures/trace/busy-writer.ts'), trace, 'flood', '400']);
  await writer.ended;
  expect(writer.said()).toBe('');
  const { noted, lostTime } = await leftBy(writer);
  expect(noted.length).toBeGreaterThan(1000);
  expect(lostTime).toBeLessThan(50);
});

test('a single line is in the file before something that takes long begins', async () => {
  const writer = await start((trace) => [path('fixtures/trace/busy-writer.ts'), trace, 'lone', '200']);
  await writer.ended;
  expect(writer.said()).toBe('');
  const { lost, records } = await leftBy(writer);
  expect({ lost, records: records.length }).toEqual({ lost: [], records: 1 });
});
