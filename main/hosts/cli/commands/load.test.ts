import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { startLegacyServer } from '#fixtures/legacy/start.ts';
import { loadReportSchema } from '#shared/contract/load.ts';

let cli: Cli;
let folder: string;
beforeAll(async () => {
  cli = await Cli.open();
  folder = await mkdtemp(join(tmpdir(), 'sightglass-load-'));
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true, force: true });
});

/** Fails every third call of `show`, takes pages in their order, never answers `hang`, and presses Ctrl-C while two of these wait. */
const { command, args } = scriptedServer(`
  'tools/list': (request) => answer(request, { tools: [
    { name: 'show', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } },
    { name: 'hang', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } },
    { name: 'page', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } },
    { name: 'order', inputSchema: { type: 'object' } },
  ] }),
  'tools/call': (request) => {
    server.count = (server.count ?? 0) + 1;
    if (request.params.name === 'hang') {
      if (server.count === 2) process.kill(process.ppid, 'SIGINT');
      return;
    }
    if (request.params.name === 'page') {
      const { number, text } = request.params.arguments;
      const isNext = number === server.count && text === 'page ' + number + ' of \${n}';
      answer(request, { isError: !isNext, content: [] });
      return;
    }
    if (server.count % 3 === 0) write({ id: request.id, error: { code: -32000, message: 'out of paper' } });
    else answer(request, { content: [{ type: 'text', text: 'shown' }] });
  },
`);
const scripted = [command, ...args];
const legacy = ['--era', 'legacy'];

async function writeSuite(text: string): Promise<string> {
  const path = join(folder, 'load.mcptest.yaml');
  await writeFile(path, `version: 1\nsteps:\n${text}`);
  return path;
}

test('makes a call many times, and prints the errors by kind, the percentiles and the histogram', async () => {
  const { exitCode, stdout } = await cli.run(
    ['load', 'show', '--count', '30', '--concurrency', '5', ...legacy],
    scripted,
  );
  expect(stdout).toMatch(/^show: 30 of 30 runs in .* a second, up to 5 at a time$/m);
  expect(stdout).toContain('30 calls, 10 runs failed');
  expect(stdout).toMatch(/^ +10 {2}error -32000: out of paper$/m);
  expect(stdout).toMatch(/^ +p50 +p90 +p95 +p99 +max +calls$/m);
  expect(stdout).toMatch(/^response( +[\d.]+ (?:µs|ms|s)){5} +30$/m);
  expect(stdout).toMatch(/^ *< [\d.]+ (?:µs|ms) {2}█+ +\d+$/m);
  expect(exitCode).toBe(1);
});

test('runs a saved call at a rate over HTTP, with the latency of each step', async () => {
  const server = await startLegacyServer();
  try {
    const path = await writeSuite(
      `  - name: Reads\n    request: tools/list\n  - name: Fails\n    request: tools/list\n    expect: { code: -1 }\n`,
    );
    const load = ['load', `${path}#Reads`, '--count', '40', '--rate', '400', '--json', ...legacy];
    const { exitCode, stdout } = await cli.runBare([...load, '--url', server.url]);
    const report = loadReportSchema.parse(JSON.parse(stdout));
    expect(report).toMatchObject({ requested: 40, done: 40, failed: 0, calls: 40, errors: [], fault: null });
    expect(report.steps.map(({ step, count }) => `${step} ${count}`)).toEqual([
      'queued 40',
      'connected 40',
      'first-byte 40',
      'end 40',
    ]);
    for (const { p50, p99, max } of report.steps) {
      expect(p50).toBeLessThanOrEqual(p99);
      expect(p99).toBeLessThanOrEqual(max);
    }
    expect(exitCode).toBe(0);
    const all = await cli.runBare(['load', path, '--count', '3', '--url', server.url, ...legacy]);
    expect(all.stdout).toContain('6 calls, 3 runs failed');
    expect(all.stdout).toMatch(/^ +3 {2}expected protocol-error, got ok$/m);
    expect(all.exitCode).toBe(1);
  } finally {
    await server.close();
  }
});

test('${n} in the arguments of a tool or of a file is the number of the run', async () => {
  const given = JSON.stringify({ number: '${n}', text: 'page ${n} of $${n}' });
  const tool = await cli.run(['load', 'page', '--args', given, '--count', '4', ...legacy], scripted);
  expect(tool.stdout).toContain('4 calls, 0 runs failed');
  const path = await writeSuite(`  - { name: Pages, call: page, arguments: ${given} }\n`);
  const file = await cli.run(['load', path, '--count', '3', ...legacy], scripted);
  expect(file.stdout).toContain('3 calls, 0 runs failed');
});

test('the first Ctrl-C waits for the calls under way and reports, the second ends at once', async () => {
  const hang = ['load', 'hang', '--count', '1000', '--concurrency', '2', ...legacy];
  const { exitCode, stdout } = await cli.run([...hang, '--timeout', '1s'], scripted);
  expect(stdout).toContain('hang: 2 of 1,000 runs');
  expect(stdout).toMatch(/^ +2 {2}timed out$/m);
  expect(exitCode).toBe(130);

  // Behind npm, two signals in a second are one.
  const second = cli.startBare([...hang, '--', ...scripted], { npm_lifecycle_event: undefined });
  await second.printedText('Ctrl-C again ends at once');
  second.child.kill('SIGINT');
  expect(await second.ended).toMatchObject({ exitCode: 130, stdout: '' });
});

test('calls nothing that may write in CI without --allow-writes, and refuses wrong usage', async () => {
  const inCi = await cli.runBare(['load', 'order', '--count', '5', ...legacy, '--', ...scripted], {
    CI: '1',
  });
  expect(inCi.stdout).toContain('0 calls, 0 runs failed, 5 skipped');
  expect(inCi.stderr).toContain('no call was made');
  expect(inCi.exitCode).toBe(1);
  const both = await cli.runBare([
    'load',
    'show',
    '--count',
    '5',
    '--rate',
    '1',
    '--concurrency',
    '1',
    '--',
    'node',
  ]);
  expect(both.stderr).toContain('--concurrency or --rate, not both');
  expect(both.exitCode).toBe(2);
  const withVariable = await cli.runBare(['load', 'show', '--count', '1', '--var', 'a=b', '--', 'node']);
  expect(withVariable.stderr).toContain('--var sets the variables of a file');
  expect(withVariable.exitCode).toBe(2);
});
