import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { CliRun } from '#fixtures/cli/cli.ts';
import { cliEntry } from '#fixtures/cli/entry.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

const COUNT = 800;
/** Sends numbered log messages that need far more room than there is, and one that tells that these were all. */
const talkative = scriptedServer(`
  'notifications/initialized'() {
    const say = (data) => write({ method: 'notifications/message', params: { level: 'info', data } });
    for (let count = 0; count < ${COUNT}; count++) say(count + ' ' + 'x'.repeat(200));
    write({ method: 'notifications/all-said' });
  },
`);

/**
 * Records that server where a file has room for about 100 kB, by a limit that the system sets for this process and that
 * needs no rights; until it has shown all that was said.
 */
async function record(): Promise<{ run: CliRun; trace: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-full-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const trace = join(folder, 'a.mcptrace');
  const command = [process.execPath, cliEntry, 'record', '-o', trace, '--json', '--era', 'legacy'];
  const server = ['--', talkative.command, ...talkative.args];
  const limited = ['-c', 'ulimit -S -f 200 && exec "$@"', 'sh', ...command, ...server];
  const run = new CliRun('sh', limited, { ...process.env, NODE_COMPILE_CACHE: '', SIGHTGLASS_HOME: folder });
  onTestFinished(() => void run.child.kill('SIGKILL'));
  await run.printedText('"notifications/all-said"');
  return { run, trace };
}

/** What a run printed: its rows, and at the end what became of the trace. */
function printed(stdout: string) {
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { rows: lines.slice(0, -1), end: lines.at(-1) };
}

const messages = (rows: { method?: string }[]) =>
  rows.filter(({ method }) => method === 'notifications/message');

async function open(path: string) {
  const fixture = await EngineFixture.open();
  onTestFinished(() => fixture.close());
  const { sessionId } = await fixture.call('traces/open', { path });
  const opened = await fixture.until(async () => {
    const [view] = await fixture.call('traces/opened', {});
    return view?.isRead ? view : null;
  });
  return { opened, rows: await fixture.rows(sessionId) };
}

test('a full disk is reported, the session continues, every row is shown, and the written part opens again', async () => {
  const { run, trace } = await record();
  run.child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await run.ended;
  const { rows, end } = printed(stdout);
  expect(end).toMatchObject({ trace, fault: { code: 'disk-full', evidence: trace } });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('The file may grow no further: the trace is not written.');
  expect(stderr).toContain('What is not in the file stays in memory until you quit');
  expect(messages(rows)).toHaveLength(COUNT);
  expect(rows.at(-1)).toMatchObject({ kind: 'phase', summary: expect.stringContaining('closed') });

  const text = await readFile(trace, 'utf8');
  const written = text.slice(0, text.lastIndexOf('\n')).split('\n').slice(1);
  expect(written.map((line) => JSON.parse(line).seq)).toEqual(written.map((_, place) => place));
  const again = await open(trace);
  expect(again.rows).toHaveLength(written.length);
  expect(again.rows.length).toBeGreaterThan(100);
  expect(again.opened.faults.map(({ code }) => code).filter((code) => code !== 'trace-torn')).toEqual([]);
  expect(again.rows.map(({ at, method }) => ({ at, method }))).toEqual(
    rows.slice(0, written.length).map(({ at, method }) => ({ at, method })),
  );
});

test('once there is room again, all that came meanwhile is written', async () => {
  const { run, trace } = await record();
  const { size } = await stat(trace);
  await promisify(execFile)('prlimit', ['--pid', String(run.child.pid), '--fsize=unlimited:']);
  run.child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await run.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { rows, end } = printed(stdout);
  expect(end).toMatchObject({ fault: null });
  expect((await stat(trace)).size).toBeGreaterThan(size);
  const again = await open(trace);
  expect(again.opened.faults).toEqual([]);
  expect(again.rows).toHaveLength(rows.length);
  expect(messages(again.rows.map(({ method }) => (method === null ? {} : { method })))).toHaveLength(COUNT);
});
