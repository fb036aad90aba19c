import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { startEverything } from '#fixtures/http/start-server.ts';
import type { Comparison, SteppedComparison } from '#shared/contract/comparison.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** A server in two builds. What it answers to a tool, by the name of the tool. */
function build(tools: string, results: string): string[] {
  const { command, args } = scriptedServer(`
    'tools/list': (request) => answer(request, { tools: ${tools} }),
    'tools/call': (request) => answer(request, (${results})[request.params.name]),
  `);
  return [command, ...args];
}

const money = '{ type: "object", properties: { tax: { type: "number" } }, required: ["tax"] }';
const currency = (values: string) =>
  `{ type: "object", properties: { currency: { type: "string", enum: [${values}] } } }`;

const before = build(
  `[{ name: 'invoice', inputSchema: ${currency('"EUR", "CHF"')}, outputSchema: ${money} }, { name: 'now', inputSchema: { type: 'object' } }]`,
  `{
    invoice: { content: [], structuredContent: { tax: 19 } },
    now: { content: [{ type: 'text', text: 'It is ' + new Date().toISOString() }] },
  }`,
);
const after = build(
  `[{ name: 'invoice', inputSchema: ${currency('"EUR"')}, outputSchema: ${money} }, { name: 'now', inputSchema: { type: 'object' } }]`,
  `{
    invoice: { content: [], structuredContent: {} },
    now: { content: [{ type: 'text', text: 'It is ' + new Date().toISOString() }] },
  }`,
);

let folder: string;
let cli: Cli;
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-diff-'));
  await writeFile(
    path('calls.mcptest.yaml'),
    `version: 1
steps:
  - { name: one, call: invoice, arguments: { currency: CHF } }
  - { name: two, call: invoice, arguments: { currency: EUR } }
  - { name: three, call: now }
`,
  );
  for (const [name, server] of Object.entries({ before, after, again: before })) {
    const recording = await Cli.open();
    await recording.run(['test', path('calls.mcptest.yaml'), '--allow-writes'], server);
    const traces = join(recording.folder, 'traces');
    const [file = ''] = (await readdir(traces)).filter((one) => one.endsWith('.mcptrace'));
    await copyFile(join(traces, file), path(`${name}.mcptrace`));
    await recording.close();
  }
  cli = await Cli.open();
}, 60_000);
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true, force: true });
});

const diff = (left: string, right: string, ...options: string[]) =>
  cli.runBare(['diff', path(`${left}.mcptrace`), path(`${right}.mcptrace`), ...options]);

describe('sightglass diff', () => {
  test('of two recordings of one build names only noise', async () => {
    const { exitCode, stdout, stderr } = await diff('before', 'again');
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ignored: \$\.content\[0\]\.text \(time\): ".*" -> ".*"$/m);
    expect(stdout).toMatch(/latency of 3 calls: median \S+ \S+ -> /);
    expect(stdout).toContain('3 calls: 1 noise, 2 same; 0 catalog changes');
  });

  test('names what another build breaks, and the calls that prove it', async () => {
    const { exitCode, stdout } = await diff('before', 'after');
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'breaking   tool invoice: Argument currency allows fewer values (enum: no longer "CHF") (1 of 2 recorded calls would break)',
    );
    expect(stdout).toMatch(/breaking {3}tools\/call invoice #\d+ -> #\d+: .*tax/);
    expect(stdout).toContain('$.structuredContent.tax: 19 -> nothing');
    expect(stdout).toContain('3 calls: 2 breaking, 1 noise; 1 catalog change');
  });

  test('as JSON has the whole comparison', async () => {
    const { exitCode, stdout } = await diff('after', 'before', '--json');
    expect(exitCode).toBe(1);
    const { calls, catalog, counts } = JSON.parse(stdout) as Comparison;
    expect(counts).toMatchObject({ behavior: 2, noise: 1, same: 0 });
    expect(catalog).toMatchObject([
      { rule: 'input-enum-widened', class: 'behavior', calls: { count: 2, broken: 0 } },
    ]);
    expect(calls[0]?.differences).toEqual([
      { path: '$.structuredContent.tax', kind: 'added', recorded: null, other: '19' },
    ]);
  });

  test('fails only on what --fail-on names', async () => {
    expect((await diff('after', 'before', '--fail-on', 'breaking')).exitCode).toBe(0);
    expect((await diff('after', 'before', '--fail-on', 'behavior')).exitCode).toBe(1);
    expect((await diff('before', 'after', '--fail-on', 'breaking')).exitCode).toBe(1);
  });

  test('as JUnit and SARIF has what --fail-on names', async () => {
    const [junit, sarif] = await Promise.all([
      diff('after', 'before', '--reporter', 'junit', '--fail-on', 'breaking'),
      diff('before', 'after', '--reporter', 'sarif'),
    ]);
    expect(junit.exitCode).toBe(0);
    expect(junit.stdout).toMatch(/^<\?xml .*\n<testsuites tests="4" failures="0" skipped="0"/);
    expect(sarif.exitCode).toBe(1);
    expect(JSON.parse(sarif.stdout)).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ ruleId: 'call/breaking' }, { ruleId: 'call/breaking' }, { level: 'error' }] }],
    });
  });

  test('ignores paths, and compares only the catalog', async () => {
    const ignoring = await diff('after', 'before', '--ignore', '$.structuredContent.tax');
    expect(ignoring.stdout).toContain('3 calls: 3 noise; 1 catalog change');
    const subset = await diff('after', 'before', '--compare', 'subset:$.structuredContent');
    expect(subset.stdout).toContain('3 calls: 3 noise; 1 catalog change');
    const catalog = await diff('before', 'after', '--catalog');
    expect(catalog.stdout).toContain('0 calls; 1 catalog change');
    expect(catalog.exitCode).toBe(1);
  });

  test('knows nothing of lists that a recording did not read', async () => {
    const [header = ''] = (await readFile(path('before.mcptrace'), 'utf8')).split('\n', 1);
    await writeFile(path('unread.mcptrace'), `${header}\n`);
    const grown = await diff('unread', 'before', '--catalog');
    expect(grown.stdout).toContain('not compared: the list of tools');
    expect(grown.stdout).not.toMatch(/added|removed|Infinity/);
    const lost = await diff('before', 'unread', '--catalog', '--fail-on', 'breaking');
    expect(lost.stdout).not.toContain('removed');
    expect(lost.exitCode).toBe(1);
  });

  test('says what is wrong with its arguments', async () => {
    const badPath = await diff('before', 'after', '--ignore', 'tax');
    expect(badPath.exitCode).toBe(2);
    expect(badPath.stderr).toContain('tax is not a JSON path.');
    const badWay = await diff('before', 'after', '--compare', 'nearly:$.a');
    expect(badWay.exitCode).toBe(2);
    expect(badWay.stderr).toContain('--compare');
    const noTrace = await diff('before', 'nothing');
    expect(noTrace.exitCode).toBe(2);
  });

  test('compares the latency of each step over HTTP', async () => {
    const server = await startEverything('streamableHttp');
    onTestFinished(() => server.close());
    const recording = await Cli.open();
    onTestFinished(() => recording.close());
    for (const message of ['hi', 'hello'])
      await recording.runBare(['call', 'echo', `message=${message}`, '--url', server.url]);
    const names = await readdir(join(recording.folder, 'traces'));
    const traces = names
      .filter((name) => name.endsWith('.mcptrace'))
      .map((name) => join(recording.folder, 'traces', name));
    const [text, json] = await Promise.all([
      cli.runBare(['diff', ...traces]),
      cli.runBare(['diff', ...traces, '--json']),
    ]);
    for (const step of ['queued', 'connected', 'first byte'])
      expect(text.stdout).toMatch(new RegExp(`^ {2}${step}: p95 \\S+ \\S+ -> \\S+ \\S+`, 'm'));
    const { steps } = JSON.parse(json.stdout) as SteppedComparison;
    expect(steps.map(({ step }) => step)).toEqual(['queued', 'connected', 'first-byte', 'end']);
    // The first byte comes after the connection, on both sides.
    for (const side of ['recorded', 'other'] as const) {
      const [queued, connected, firstByte] = steps.map((step) => step[side] ?? Number.NaN);
      expect(queued).toBeGreaterThanOrEqual(0);
      expect(connected).toBeGreaterThanOrEqual(queued ?? Number.NaN);
      expect(firstByte).toBeGreaterThanOrEqual(connected ?? Number.NaN);
    }
  });

  test('judges the latency, and values by a pattern', async () => {
    const lines = (await readFile(path('before.mcptrace'), 'utf8')).trim().split('\n');
    const slower = lines.map((line, place) => {
      const record: unknown = JSON.parse(line);
      return place > 0 && isObject(record) && typeof record.at === 'number'
        ? JSON.stringify({ ...record, at: record.at + place * 1_000_000 })
        : line;
    });
    await writeFile(path('slower.mcptrace'), `${slower.join('\n')}\n`);
    const compared = (...options: string[]) =>
      cli.runBare(['diff', path('before.mcptrace'), path('slower.mcptrace'), ...options]);
    const [slow, near, usage] = await Promise.all([
      compared('--latency', 'p95:+20%'),
      compared('--latency', 'max:+100000000%'),
      compared('--latency', 'p95:+20%', '--catalog'),
    ]);
    expect(slow).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/p95 is .* s, more than 20 % above/),
    });
    expect(near.exitCode).toBe(0);
    expect(usage).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('give one of them') });
    const exact = ['diff', path('before.mcptrace'), path('again.mcptrace'), '--compare'];
    const [fits, differs] = await Promise.all([
      cli.runBare([...exact, 'regex:^It is \\d{4}-:$.content[0].text']),
      cli.runBare([...exact, 'regex:^It was:$.content[0].text']),
    ]);
    expect(fits.exitCode).toBe(0);
    expect(differs).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('1 behavior') });
  });
});
