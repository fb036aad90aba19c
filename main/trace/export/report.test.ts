import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { asItIs, redacted, TraceOf, withPatterns } from '#fixtures/trace/trace-of.ts';

let trace: TraceOf;
beforeEach(async () => {
  trace = await TraceOf.begin();
});
afterEach(() => trace.close());

/** The lines of a section. */
const section = (text: string, title: string): string[] =>
  new RegExp(`## ${title}[^\\n]*\\n\\n([^]*?)(?:\\n\\n## |\\n$)`).exec(text)?.[1]?.split('\n') ?? [];

const message = (of: object) => JSON.stringify({ jsonrpc: '2.0', ...of });

test('of a real session says what was connected, on what, and each step with its row and outcome', async () => {
  const engine = await EngineFixture.open();
  onTestFinished(() => engine.close());
  const { id: sessionId } = await engine.connect(misbehavingServer());
  await engine.callTool(sessionId, 'echo', { message: 'hi' });
  await engine.callTool(sessionId, 'no-such-tool', {});
  await engine.call('sessions/close', { sessionId });
  const path = join(engine.folder, 'report.md');
  const redaction = { isOn: true, patterns: [] };
  const rows = { of: 'all' } as const;
  const written = await engine.call('exports/write', { sessionId, format: 'md', rows, redaction, path });
  const text = await readFile(path, 'utf8');
  expect(written).toMatchObject({ path, entries: 2, leftOut: 0, bytes: Buffer.byteLength(text) });
  const environment = section(text, 'Environment');
  expect(environment.join('\n')).toContain(`- Runtime: \`Node ${process.versions.node}\``);
  expect(environment.find((line) => line.startsWith('- System:'))).toContain(process.platform);
  expect(environment).toContain(`- File: \`${process.execPath}\``);
  expect(environment).toContain('- Transport: stdio');
  expect(environment.find((line) => line.startsWith('- Variables'))).toMatch(/\bPATH\b/);
  expect(text).not.toContain(process.env.PATH ?? 'no PATH');
  expect(environment.find((line) => line.startsWith('- Protocol revision:'))).toMatch(/`\d{4}-\d\d-\d\d`$/);
  const table = await engine.rows(sessionId);
  const numbers = table.filter(({ method, kind }) => method === 'tools/call' && kind === 'request');
  const [echo, missing] = section(text, 'Steps');
  expect(echo).toMatch(/^1\. [\d:.]+ #\d+ `tools\/call` `echo` `\{"message":"hi"\}`: ok, [\d.]+ (µs|ms)$/);
  expect(echo).toContain(`#${(numbers[0]?.row ?? 0) + 1} `);
  expect(missing).toMatch(/^2\. .* `no-such-tool` `\{\}`: error -32602, .*`Unknown tool: no-such-tool`$/);
});

test('lists errors that are no step, findings, and the last lines of standard error', async () => {
  trace.message('in', 'listening');
  for (let line = 1; line <= 45; line++) {
    const text = `line ${line}`;
    trace.add({ kind: 'stderr', text, size: text.length });
  }
  trace.findings.add({
    violation: {
      rule: 'schema/invalid',
      severity: 'error',
      source: 'schema',
      text: 'expected "object"',
      pointer: '/result',
      revision: null,
    },
    row: 0,
    other: null,
  });
  const { text } = await trace.export('md');
  expect(section(text, 'Steps')).toEqual([]);
  expect(section(text, 'Other errors')).toEqual([
    expect.stringMatching(/^- [\d:.]+ #1 `noise: listening`: invalid$/),
  ]);
  expect(section(text, 'Findings')).toEqual(['- error `schema/invalid` #1 `/result`: `expected "object"`']);
  const stderr = section(text, 'Standard error, the last lines');
  expect(stderr.slice(0, 2)).toEqual(['```text', 'line 6']);
  expect(stderr.slice(-2)).toEqual(['line 45', '```']);
});

test('says of a failed step what its response says beside its text, the standard error during it and how the server ended', async () => {
  const call = (id: number, name: string) =>
    message({ id, method: 'tools/call', params: { name, arguments: {}, _meta: { progressToken: id } } });
  const stderr = (text: string) => trace.add({ kind: 'stderr', text, size: text.length });
  stderr('ready');
  const lookup = trace.message('out', call(1, 'lookup'));
  stderr('WARN ledger is stale, token=hunter22x');
  trace.message(
    'in',
    message({
      id: 1,
      result: {
        content: [{ type: 'text', text: 'lookup failed' }],
        isError: true,
        structuredContent: { retry: false },
        _meta: {
          cause: 'hunter22x',
          hint: 'unlock it',
          'io.modelcontextprotocol/related-task': { taskId: 't' },
        },
      },
    }),
  );
  const fine = trace.message('out', call(2, 'fine'));
  stderr('of the fine call');
  trace.message('in', message({ id: 2, result: { content: [], _meta: { cause: 'none' } } }));
  const close = trace.message('out', call(3, 'close_day'));
  for (let line = 1; line <= 25; line++) stderr(`step ${line}`);
  stderr('Error: ledger is locked by pid 77');
  stderr('    at close (ledger.js:3:9)');
  trace.add({ kind: 'process', change: { what: 'exit', code: 1, signal: null } });
  trace.add({ kind: 'phase', phase: 'failed', reason: 'The server exited.' });
  const rowOf = (seq: number) => trace.index.columns.rowOf(seq) ?? -1;
  const rows = [lookup, fine, close].map(rowOf);
  const { text, entries } = await trace.export('md', redacted, { of: 'rows', rows });
  expect(entries).toBe(3);
  const steps = section(text, 'Steps');
  const placeholder = String.raw`\[secret value of token, 9 characters, [0-9a-f]+\]`;
  expect(steps.slice(0, 8)).toEqual([
    expect.stringMatching(/^1\. .* `lookup` .*, `lookup failed`$/),
    '   - `structuredContent`: `{"retry":false}`',
    expect.stringMatching(
      new RegExp(`^ {3}- \`_meta\`: \`\\{"cause":"${placeholder}","hint":"unlock it"\\}\`$`),
    ),
    '   - Standard error during it:',
    '',
    '     ```text',
    expect.stringMatching(new RegExp(`^ {5}WARN ledger is stale, token=${placeholder}$`)),
    '     ```',
  ]);
  expect(steps[8]).toMatch(/^2\. .* `fine` .*: ok/);
  expect(steps.slice(9, 14)).toEqual([
    expect.stringMatching(/^3\. .* `close_day` .*: no response$/),
    expect.stringMatching(/^ {3}- The server exited with code 1, #\d+: `Error: ledger is locked by pid 77`$/),
    '   - Standard error during it, the last lines; 7 more are in the trace:',
    '',
    '     ```text',
  ]);
  expect(steps.slice(-3)).toEqual([
    '     Error: ledger is locked by pid 77',
    '         at close (ledger.js:3:9)',
    '     ```',
  ]);
  expect(text).not.toMatch(/hunter22x|related-task|of the fine call/);
});

test('of a failed step with very many members in its response has the first', async () => {
  trace.message('out', message({ id: 1, method: 'tools/call', params: { name: 'many' } }));
  const members = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`member${index}`, index]));
  const content = [{ type: 'text', text: 'it failed' }];
  trace.message(
    'in',
    message({ id: 1, result: { content, isError: true, ...members, _meta: { cause: 'x' } } }),
  );
  const { text } = await trace.export('md');
  const steps = section(text, 'Steps');
  expect(steps.slice(1, 3)).toEqual(['   - `member0`: `0`', '   - `member1`: `1`']);
  expect(steps.slice(-3)).toEqual([
    '   - `member19`: `19`',
    '   - 5 more members are in the trace',
    '   - `_meta`: `{"cause":"x"}`',
  ]);
});

test('of chosen rows has only their steps; what repeats without end is cut', async () => {
  for (let id = 1; id <= 250; id++) trace.message('out', message({ id, method: 'ping' }));
  const { text, entries } = await trace.export('md', asItIs, { of: 'rows', rows: [3, 5] });
  expect(entries).toBe(2);
  expect(section(text, 'Steps').map((line) => /#\d+/.exec(line)?.[0])).toEqual(['#4', '#6']);
  const whole = await trace.export('md');
  expect(whole.entries).toBe(250);
  expect(section(whole.text, 'Steps').slice(-3)).toEqual([
    expect.stringMatching(/^200\. /),
    '',
    '50 more are in the trace.',
  ]);
});

test('has nothing that Markdown or a terminal would act on, and no text of a pattern', async () => {
  const name = 'a`b``c <img src=x> [x](y)\u202e\u001b[2J';
  trace.message(
    'out',
    message({ id: 1, method: 'tools/call', params: { name, arguments: { key: 'ACME-1' } } }),
  );
  trace.add({ kind: 'stderr', text: '``` \u001b[2J ACME-2', size: 20 });
  const { text } = await trace.export('md', withPatterns('ACME-\\d'));
  expect(section(text, 'Steps')[0]).toContain(
    String.raw`${'```'}a${'`'}b${'``'}c <img src=x> [x](y)\u{202e}\u{1b}[2J${'```'}`,
  );
  expect(section(text, 'Standard error')[0]).toBe('````text');
  expect(text).not.toMatch(/ACME-|\u001b|\u202e/);
  expect(text).toContain('[secret pattern 1');
});
