import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { demo, everything, misbehaving } from '#fixtures/cli/servers.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { traceHeaderSchema, traceRecordSchema } from '#shared/trace/record.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

/** The records of a trace file, every one checked. */
async function recordsOf(path: string) {
  const [header, ...lines] = (await readFile(path, 'utf8')).trim().split('\n');
  traceHeaderSchema.parse(JSON.parse(header ?? ''));
  return lines.map((line) => traceRecordSchema.parse(JSON.parse(line)));
}

test('a session is followed a line a row and written to the file', async () => {
  const file = join(cli.folder, 'mine.mcptrace');
  const run = cli.start(['record', '-o', file, '--era', 'legacy'], everything);
  await run.printedText('← prompts/list');
  run.child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await run.ended;
  expect(exitCode).toBe(0);
  expect(stderr).toBe('');
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} · phase +connecting$/);
  expect(stdout).toMatch(/^[\d:.]+ → initialize$/m);
  expect(stdout).toMatch(/^[\d:.]+ ← initialize +ok {2}[\d.]+ (µs|ms|s)$/m);
  expect(stdout).toMatch(/^[\d:.]+ · stderr +Starting default \(STDIO\) server...$/m);
  expect(stdout).toMatch(/^[\d:.]+ · phase +closed: Disconnected\.$/m);
  expect(lines.at(-1)).toBe(`trace: ${file}`);
  const records = await recordsOf(file);
  expect(lines.at(-2)).toBe(`${records.length} rows, 0 errors, 0 not valid`);
  expect(lines).toHaveLength(records.length + 2);
});

test('it ends when the time is over, however far the session is', async () => {
  const { stdout } = await cli.run(['record', '--for', '100ms'], demo);
  expect(stdout).toMatch(/closed: Disconnected\.\n.*\ntrace: .+\.mcptrace\n$/);
});

test.each([
  ['', []],
  [' of the modern era, which has no handshake', ['--era', 'modern']],
])('a server%s that answers nothing is told, and is no success', async (_, words) => {
  const silent = ['node', '-e', 'process.stdin.resume(); console.error("up"); console.log("ready on 3000")'];
  const run = cli.start(['record', ...words], silent);
  await run.printedText('ready on 3000');
  run.child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await run.ended;
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/\ntrace: .+\.mcptrace\n$/);
  expect(stderr).toContain('The server answered nothing');
});

test('a silent server is a fault in --json too', async () => {
  const { exitCode, stdout } = await cli.run(
    ['record', '--json', '--for', '500ms'],
    ['node', '-e', 'process.stdin.resume()'],
  );
  expect(exitCode).toBe(3);
  const end = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as object;
  expect(end).toMatchObject({ fault: { code: 'nothing-answered' }, trace: expect.any(String) });
});

test('errors that repeat are counted at the end, by what they say', async () => {
  const noisy = [
    'node',
    '-e',
    'for (let i = 0; i < 3; i++) console.log(`ready on ${i}`); console.log("once")',
  ];
  const { stdout } = await cli.run(['record', '--for', '2s', '--era', 'legacy'], noisy);
  const lines = stdout.trimEnd().split('\n');
  const repeated = lines.filter((line) => line.includes('×'));
  expect(repeated).toEqual([expect.stringMatching(/^ {2}3 × noise, invalid: ready on … \(#\d+ to #\d+\)$/)]);
  const end = await cli.run(['record', '--json', '--for', '2s', '--era', 'legacy'], noisy);
  const { errorGroups } = JSON.parse(end.stdout.trimEnd().split('\n').at(-1) ?? '') as {
    errorGroups: object[];
  };
  expect(errorGroups).toContainEqual(
    expect.objectContaining({ kind: 'noise', text: 'ready on …', count: 3 }),
  );
  expect(errorGroups).toContainEqual(expect.objectContaining({ kind: 'noise', text: 'once', count: 1 }));
});

test('findings are printed below their row, with rule, text, pointer and row', async () => {
  const run = cli.start(['record', '--era', 'legacy'], misbehaving('malformed-tools'));
  await run.printedText('/result/tools/4/inputSchema');
  run.child.kill('SIGINT');
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  const place = lines.findIndex((line) => line.includes('← tools/list'));
  expect(lines[place + 1]).toMatch(
    /^[\d:.]+ ! error schema\/invalid #\d+ \/result\/tools\/1\/inputSchema\/type: tools\/list result: expected "object", got "string"$/,
  );
  expect(lines.filter((line) => / ! error schema\/invalid /.test(line))).toHaveLength(4);
  expect(lines.at(-2)).toMatch(/, 4 findings$/);
});

test('--json has the findings of each row, and of all of them at the end', async () => {
  const run = cli.start(['record', '--json', '--era', 'legacy'], misbehaving('malformed-tools'));
  await run.printedText('/result/tools/4/inputSchema');
  run.child.kill('SIGINT');
  const { stdout } = await run.ended;
  type Line = { row: number; kind: string; method: string; findings: { row: number; rule: string }[] };
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const end = lines.pop();
  const answer = lines.find(({ kind, method }) => kind === 'result' && method === 'tools/list');
  expect(answer?.findings).toHaveLength(4);
  expect(answer?.findings[0]).toEqual({
    rule: 'schema/invalid',
    severity: 'error',
    text: 'tools/list result: expected "object", got "string"',
    pointer: '/result/tools/1/inputSchema/type',
    revision: '2025-11-25',
    row: answer?.row,
    rows: [answer?.row],
  });
  expect(end).toMatchObject({ findings: answer?.findings, findingCount: 4 });
});

test('what comes after a line without its newline is printed, though nothing follows', async () => {
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };
  const script = `process.stderr.write('no newline'); process.stdin.once('data', (line) => setTimeout(() => {
    console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: ${JSON.stringify(result)} }));
  }, 300));`;
  const run = cli.start(['record', '--era', 'legacy'], ['node', '-e', script]);
  await run.printedText('→ notifications/initialized');
  expect(run.stdout).toContain('no newline');
  run.child.kill('SIGINT');
  expect((await run.ended).exitCode).toBe(0);
});

test('Ctrl-C ends it in order', async () => {
  const run = cli.start(['record'], demo);
  await run.printedText('tools/list');
  run.child.kill('SIGINT');
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/closed: Disconnected\.\n.*\ntrace: .+\.mcptrace\n$/);
  const path = /^trace: (.+)$/m.exec(stdout)?.[1] ?? '';
  expect((await recordsOf(path)).at(-1)).toMatchObject({ kind: 'phase', phase: 'closed' });
});

test('recording ends when the server exits, and a crash is reported', async () => {
  const left = await cli.run(['record'], misbehaving('unterminated'));
  expect(left).toMatchObject({ exitCode: 0, stderr: '' });
  expect(left.stdout).toContain('the last words');
  const crashed = await cli.run(['record'], misbehaving('exit-after-initialize'));
  expect(crashed.exitCode).toBe(1);
  expect(crashed.stdout).toMatch(
    /failed: The server ended by itself with exit code 3\. +failed\n.*\ntrace: /,
  );
  expect(crashed.stderr).toContain('fatal: the cache is corrupt');
});

test('a server that cannot be reached is recorded anyway', async () => {
  const { exitCode, stdout, stderr } = await cli.run(['record'], misbehaving('exit-before-initialize'));
  expect(exitCode).toBe(3);
  expect(stdout).toContain('DATABASE_URL is not set');
  expect(stdout).toContain('\ntrace: ');
  expect(stderr).toContain('ended before it answered initialize');
});

test('an existing file is never overwritten, and no server is started', async () => {
  const file = join(cli.folder, 'kept.mcptrace');
  await writeFile(file, 'precious');
  const { exitCode, stdout, stderr } = await cli.run(
    ['record', '-o', file],
    ['node', '-e', `require('node:fs').writeFileSync(${JSON.stringify(join(cli.folder, 'started'))}, '')`],
  );
  expect(exitCode).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain(`already a file ${file}`);
  expect(await readFile(file, 'utf8')).toBe('precious');
  await expect(readFile(join(cli.folder, 'started'))).rejects.toThrow('ENOENT');
});

test('--json is a row a line, and the trace last', async () => {
  const run = cli.start(['record', '--json', '--era', 'legacy'], misbehaving('noise'));
  await run.printedText('"id":"2","status":"ok"');
  run.child.kill('SIGINT');
  const { stdout } = await run.ended;
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const end = lines.pop();
  expect(lines.map(({ row }) => row)).toEqual(lines.map((_, place) => place));
  expect(lines).toContainEqual(
    expect.objectContaining({ kind: 'noise', summary: 'Listening for requests...' }),
  );
  // The noise is the error.
  expect(end).toMatchObject({ rows: lines.length, errors: 1, invalid: 1, fault: null, notPrinted: 0 });
  await recordsOf(String(end?.trace));
});

test('a session that is ended while its era is being found out tries nothing more', async () => {
  // It leaves its closed input unheeded until after the time at which initialize would be tried.
  const { stdout } = await cli.run(['record', '--for', '1500ms'], ['sleep', '60']);
  const path = /^trace: (.+)$/m.exec(stdout)?.[1] ?? '';
  const phases = (await recordsOf(path)).flatMap((record) => (record.kind === 'phase' ? [record.phase] : []));
  expect(phases).toEqual(['connecting', 'detecting', 'closing', 'closed']);
});

test('every line of a talkative server is shown once, and none can move the cursor', async () => {
  const run = cli.start(['record'], misbehaving('control-characters', 'huge-frame', 'stderr-lines'));
  await run.printedText('stderr line 5000 of 5000');
  run.child.kill('SIGTERM');
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(0);
  const counted = [...stdout.matchAll(/stderr +stderr line (\d+) of 5000/g)].map(([, line]) => Number(line));
  expect(counted).toEqual(Array.from({ length: 5000 }, (_, place) => place + 1));
  expect(stdout).toContain('\\x1b[2J\\x1b[31mred on stderr');
  expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
});

test.skipIf(process.platform !== 'linux')('it ends when nobody reads what it prints', async () => {
  const run = cli.start(['record'], misbehaving('stops-reading'));
  await run.printedText('not reading');
  run.child.stdout?.destroy();
  expect(await run.ended).toMatchObject({ exitCode: 0, signal: null });
  expect(await cli.leftovers()).toEqual([]);
});

test('with --redact the file has no secrets, numbers stay numbers, and nothing else is left', async () => {
  const file = join(cli.folder, 'mine.mcptrace');
  const note = {
    method: 'notifications/message',
    params: { level: 'info', data: { password: 'hunter2-hunter2', pin_password: 12345678 } },
  };
  const { command, args } = scriptedServer(`
    'notifications/initialized': () => write(${JSON.stringify(note)}),
  `);
  const run = cli.start(['record', '-o', file, '--redact', '--json', '--era', 'legacy'], [command, ...args]);
  await run.printedText('hunter2');
  run.child.kill('SIGINT');
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    trace: file,
    removed: expect.any(Number),
  });
  const text = await readFile(file, 'utf8');
  expect(text).not.toMatch(/hunter2|12345678/);
  expect(text).toContain('[secret member password, 15 characters, ');
  expect(text).toMatch(/\\"pin_password\\":0e-\d+/);
  await recordsOf(file);
  expect((await readdir(cli.folder)).filter((name) => name.includes('mcptrace'))).toEqual(['mine.mcptrace']);
  const without = await cli.run(['record', '--redact'], [command, ...args]);
  expect(without.stderr).toContain('--redact goes with --out');
});
