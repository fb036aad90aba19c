import { execFile } from 'node:child_process';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { Cli } from '#fixtures/cli/cli.ts';
import { traceHeaderSchema, traceRecordSchema } from '#shared/trace/record.ts';

let cli: Cli;
let file: string;

const header = {
  format: 'mcptrace',
  version: 1,
  app: { name: 'sightglass', version: '0' },
  createdAt: '2026-01-01T00:00:00.000Z',
  clock: { at: 0, wall: 0 },
  server: { name: 'n', transport: 'stdio', command: 'node', args: ['--token', 'tok-4711-abcdef'] },
};
const call =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter22"}}}';
const answer = '{"jsonrpc":"2.0","id":1,"result":{"text":"as ACME-0815, hunter22"}}';

beforeAll(async () => {
  cli = await Cli.open();
  file = join(cli.folder, 'own.mcptrace');
  const units = [call, answer, 'noise'].map((text, seq) => ({
    seq,
    at: seq,
    kind: 'unit',
    direction: seq === 0 ? 'out' : 'in',
    channel: seq === 0 ? 'stdin' : 'stdout',
    text,
    size: text.length,
  }));
  await writeFile(file, `${[header, ...units].map((line) => JSON.stringify(line)).join('\n')}\n`);
});
afterAll(() => cli.close());

const run = (...args: string[]) => cli.runBare(['export', file, ...args]);
const linesOf = (text: string): string[] => text.trimEnd().split('\n');

test('messages are printed a line each, without their secrets', async () => {
  const { exitCode, stdout, stderr } = await run('--to', 'jsonl');
  expect(exitCode).toBe(0);
  const [first, second, ...others] = linesOf(stdout);
  expect(others).toEqual([]);
  expect(first).toMatch(/"password":"\[secret member password, 8 characters, [0-9a-f]{8}\]"/);
  expect(second).toMatch(/"as ACME-0815, \[secret member password, 8 characters/);
  expect(stderr).toContain('2 messages, 1 row left out that is no message, 2 secrets replaced');
});

test('with --redact off they are as they were on the wire', async () => {
  const { stdout } = await run('--to', 'jsonl', '--redact', 'off');
  expect(linesOf(stdout)).toEqual([call, answer]);
});

test('a filter chooses, and own patterns are replaced', async () => {
  const { stdout } = await run('--to', 'jsonl', '--filter', 'dir:in', '--redact-pattern', 'ACME-\\d+');
  expect(linesOf(stdout)).toEqual([
    expect.stringMatching(/^\{.*\[secret pattern 1, 9 characters, .*\[secret/),
  ]);
});

test('what completes the chosen rows is counted before it is written', async () => {
  const { stdout } = await run('--to', 'mcptrace', '--filter', 'kind:request', '--preview');
  expect(stdout).toContain('2 records, with 1 message that was not chosen, to complete the chosen ones, ');
});

test('--with-stderr adds the lines that the server printed during the matching calls, and needs a filter', async () => {
  const withStderr = join(cli.folder, 'stderr.mcptrace');
  const [head, request, ...others] = linesOf(await readFile(file, 'utf8'));
  const line = { seq: 1, at: 1, kind: 'stderr', text: 'WARN locked', size: 11 };
  const later = others.map((one) => JSON.stringify({ ...JSON.parse(one), seq: JSON.parse(one).seq + 1 }));
  await writeFile(withStderr, `${[head, request, JSON.stringify(line), ...later].join('\n')}\n`);
  const preview = (...args: string[]) =>
    cli.runBare(['export', withStderr, '--to', 'mcptrace', '--preview', ...args]);
  expect((await preview('--filter', 'kind:request', '--with-stderr')).stdout).toContain(
    'with 1 line of standard error during the chosen calls',
  );
  expect((await preview('--filter', 'kind:request')).stdout).not.toContain('standard error');
  const refused = await preview('--with-stderr');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('--with-stderr goes with --to mcptrace and --filter');
});

test('a trace is written beside the file, and opens again', async () => {
  const { exitCode, stdout } = await run('--to', 'mcptrace');
  expect(exitCode).toBe(0);
  const path = join(cli.folder, 'own-shared.mcptrace');
  expect(stdout).toMatch(/^3 records, 3 secrets replaced, [\d,]+ bytes: /);
  expect(stdout).toContain(path);
  const text = await readFile(path, 'utf8');
  expect(text).not.toMatch(/hunter22|tok-4711/);
  const [head, ...records] = linesOf(text);
  traceHeaderSchema.parse(JSON.parse(head ?? ''));
  for (const record of records) traceRecordSchema.parse(JSON.parse(record));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const again = await cli.runBare(['export', path, '--to', 'jsonl', '--preview', '--json']);
  expect(JSON.parse(again.stdout)).toEqual({
    entries: 2,
    leftOut: 1,
    removals: [],
    removed: 0,
    hasStderr: false,
    listed: 3,
    chosen: 3,
    added: 0,
    addedMessages: 0,
    addedStderr: 0,
    findings: expect.any(Array),
    findingCount: 1,
  });
  expect((await run('--to', 'mcptrace')).stdout).toContain('own-shared-2.mcptrace');
});

test.each([
  ['jsonl', 'messages.txt'],
  ['jsonl', 'messages'],
  ['mcptrace', 'trace.json'],
])('-o with %s names the new file exactly: %s; --json tells of it', async (format, name) => {
  const out = join(cli.folder, name);
  const before = await readdir(cli.folder);
  const { exitCode, stdout } = await run('--to', format, '-o', out, '--json');
  expect(exitCode).toBe(0);
  const reported = z.object({ path: z.string(), bytes: z.number() }).parse(JSON.parse(stdout));
  expect(reported.path).toBe(out);
  expect(await readdir(cli.folder)).toEqual([...before, name].toSorted());
  expect((await stat(reported.path)).size).toBe(reported.bytes);
  const second = await run('--to', format, '-o', out);
  expect(second).toMatchObject({ exitCode: 2, stdout: '' });
  expect(second.stderr).toContain('never overwrites');
});

test('a folder that does not exist is wrong usage', async () => {
  const { exitCode, stderr } = await run('--to', 'jsonl', '-o', join(cli.folder, 'none', 'a.jsonl'));
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`--out: there is no folder "${join(cli.folder, 'none')}"`);
});

test.skipIf(process.platform !== 'linux')(
  'a folder that takes no file is told, whatever ending the name has',
  async () => {
    for (const name of ['a.jsonl', 'a.txt']) {
      const { exitCode, stderr } = await run('--to', 'jsonl', '-o', `/proc/${name}`);
      expect(exitCode, name).toBe(3);
      expect(stderr, name).toContain('The file of the export cannot be made.');
      expect(stderr, name).not.toContain('    at ');
    }
  },
);

test('a torn last line is reported, however recently it was written', async () => {
  const torn = join(cli.folder, 'torn.mcptrace');
  const text = await readFile(file, 'utf8');
  await writeFile(torn, text.slice(0, -20));
  // A file of the future has always been written just now.
  const tomorrow = new Date(Date.now() + 86_400_000);
  await utimes(torn, tomorrow, tomorrow);
  const { exitCode, stdout, stderr } = await cli.runBare(['export', torn, '--to', 'jsonl']);
  expect(exitCode).toBe(0);
  expect(linesOf(stdout)).toHaveLength(2);
  expect(stderr).toContain('the last line of the file is no whole record and is left out');
});

test('findings of the exported rows are printed on stderr and in --json, without the secrets in them', async () => {
  const found = join(cli.folder, 'found.mcptrace');
  const stray = '{"jsonrpc":"2.0","id":"password=hunter22","result":{}}';
  const record = {
    seq: 3,
    at: 3,
    kind: 'unit',
    direction: 'in',
    channel: 'stdout',
    text: stray,
    size: stray.length,
  };
  await writeFile(found, `${await readFile(file, 'utf8')}${JSON.stringify(record)}\n`);
  const { stdout, stderr } = await cli.runBare(['export', found, '--to', 'jsonl', '--filter', 'is:found']);
  expect(linesOf(stdout)).toHaveLength(1);
  expect(stderr).toMatch(
    /2 findings:\n {2}error stdio\/non-mcp-stdout #3: .+\n {2}error jsonrpc\/unknown-response-id #4[^\n:]*: /,
  );
  expect(stderr).not.toContain('hunter22');
  const preview = ['export', found, '--to', 'jsonl', '--filter', 'dir:in -kind:noise', '--preview', '--json'];
  const reported = JSON.parse((await cli.runBare(preview)).stdout) as { findings: object[] };
  expect(reported).toMatchObject({
    findings: [{ rule: 'jsonrpc/unknown-response-id', severity: 'error', row: 3, text: expect.any(String) }],
    findingCount: 1,
  });
  expect(reported.findings[0]).toHaveProperty('pointer');
  expect(JSON.stringify(reported)).not.toContain('hunter22');
});

test('a preview tells what would be replaced, and shows none of it', async () => {
  const before = await readdir(cli.folder);
  const { exitCode, stdout } = await run('--to', 'mcptrace', '--preview');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('member password: 2, first in row #1');
  expect(stdout).toContain('option token: 1');
  expect(stdout).not.toMatch(/hunter22|tok-4711/);
  expect(await readdir(cli.folder)).toEqual(before);
});

test.each([
  [['--to', 'har'], 'no HTTP'],
  [
    ['--to', 'jsonl', '--redact-pattern', 'a('],
    'Pattern 1 is not a valid regular expression: it fails at character 2',
  ],
  [['--to', 'jsonl', '--filter', 'kind:'], 'kind'],
  [['--to', 'pdf'], '--to wants one of: mcptrace, jsonl, har'],
  [[], '--to'],
  [['--to', 'jsonl', '--json'], '--json goes with'],
])('%j cannot be followed: it says why, and ends with 2', async (args, why) => {
  const { exitCode, stdout, stderr } = await run(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(why);
});

test('a file that is not a trace is reported', async () => {
  const other = join(cli.folder, 'other.txt');
  await writeFile(other, 'hello');
  expect(await cli.runBare(['export', other, '--to', 'jsonl'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no trace'),
  });
  expect(await cli.runBare(['export', join(cli.folder, 'none.mcptrace'), '--to', 'jsonl'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no such file'),
  });
});

test.skipIf(process.platform === 'win32')(
  'what cannot be written to its end is told and deleted',
  async () => {
    const large = join(cli.folder, 'large.mcptrace');
    const unit = {
      seq: 0,
      at: 0,
      kind: 'unit',
      direction: 'in',
      channel: 'stdout',
      text: `"${'x'.repeat(900_000)}"`,
      size: 1,
    };
    await writeFile(large, `${JSON.stringify(header)}\n${JSON.stringify(unit)}\n`);
    const out = join(cli.folder, 'large.jsonl');
    const entry = fileURLToPath(new URL('../index.ts', import.meta.url));
    const limited = promisify(execFile)(
      'sh',
      [
        '-c',
        'ulimit -f 400; exec "$@"',
        'sh',
        process.execPath,
        entry,
        'export',
        large,
        '--to',
        'jsonl',
        '-o',
        out,
      ],
      { env: { ...process.env, SIGHTGLASS_HOME: cli.folder } },
    );
    await expect(limited).rejects.toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/The export could not be written\.\n +why: EFBIG/),
    });
    expect(await readdir(cli.folder)).not.toContain('large.jsonl');
  },
);
