import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { everything } from '#fixtures/cli/servers.ts';

let folder: string;
let cli: Cli;
const path = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-convert-'));
  cli = await Cli.open();
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true, force: true });
});

describe('sightglass convert', () => {
  test('makes saved calls of an assertion, which then run, and names what is not supported', async () => {
    await writeFile(
      path('sum.yaml'),
      `name: a sum is computed
setup:
  - tool: echo
    args: { message: '{"n": "17"}' }
assert:
  tool: get-sum
  args: { a: 1, b: 2 }
  expect:
    not_error: true
    contains: ["1 and 2 is 3"]
    file_contains: { "{{fixture}}/out.txt": "3" }
`,
    );
    const { exitCode, stdout, stderr } = await cli.runBare(['convert', path('sum.yaml')]);
    expect(stdout).toBe(`2 calls of mcp-assert converted, 1 not supported: ${path('sum.mcptest.yaml')}\n`);
    expect(stderr).toContain(`${path('sum.yaml')}:11:5: file_contains is not supported`);
    expect(exitCode).toBe(1);
    const run = await cli.run(['test', path('sum.mcptest.yaml'), '--allow-writes'], everything);
    expect(run.stdout).toContain('2 passed');
    expect(run.exitCode).toBe(0);
    const again = await cli.runBare(['convert', path('sum.yaml')]);
    expect(again.stderr).toContain('There is already a file');
    expect(again.exitCode).toBe(2);
  });

  test('makes a trace of a cassette, which then is replayed', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25' },
    };
    const agreed = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    };
    const echo = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { message: 'hi' } },
    };
    const said = { content: [{ type: 'text', text: 'Echo: hello' }] };
    const interactions = [
      { type: 'jsonrpc_request', request: initialize, response: { jsonrpc: '2.0', id: 0, result: agreed } },
      {
        type: 'notification',
        request: { jsonrpc: '2.0', method: 'notifications/initialized' },
        response: null,
      },
      {
        type: 'jsonrpc_request',
        request: echo,
        response: { jsonrpc: '2.0', id: 1, result: said },
        latency_ms: 3,
      },
    ];
    await writeFile(
      path('golden.json'),
      JSON.stringify({ version: '1.0', metadata: {}, interactions }, null, 2),
    );
    const out = path('golden.mcptrace');
    const { exitCode, stdout } = await cli.runBare(['convert', path('golden.json'), '-o', out, '--json']);
    expect(JSON.parse(stdout)).toEqual({
      file: out,
      format: 'mcp-recorder',
      entries: 5,
      lacks: expect.arrayContaining(['standard error']),
      unsupported: [],
    });
    expect(exitCode).toBe(0);
    const replay = await cli.run(['replay', out, '--allow-writes'], everything);
    expect(replay.stdout).toContain('$.content[0].text: "Echo: hello" -> "Echo: hi"');
    expect(replay.stdout).toContain('1 call: 1 behavior;');
    expect(replay.exitCode).toBe(1);
  });

  test('converts the files of a folder into another, with one summary, and refuses only those with an error', async () => {
    await mkdir(path('evals/deep'), { recursive: true });
    await mkdir(path('tests'));
    const assertion = (tool: string) =>
      `name: ${tool}\nassert:\n  tool: ${tool}\n  expect: { not_error: true }\n`;
    await writeFile(path('evals/one.yaml'), assertion('one'));
    await writeFile(path('evals/deep/two.yml'), `${assertion('two')}skip: true\n`);
    await writeFile(path('evals/bad.yaml'), 'assert:\n  tool: [1]\n');
    await writeFile(path('evals/own.mcptest.yaml'), 'version: 1\nsteps: []\n');
    const { exitCode, stdout, stderr } = await cli.runBare(['convert', path('evals'), '-o', path('tests')]);
    expect(stdout).toBe('2 files converted: 2 calls of mcp-assert; 1 not supported; 1 file refused\n');
    expect(stderr).toContain(`${path('evals/bad.yaml')}:2:9: assert.tool: `);
    expect(stderr).toContain(`${path('evals/deep/two.yml')}:5:1: skip is not supported`);
    expect(exitCode).toBe(2);
    expect((await readdir(path('tests'), { recursive: true })).toSorted()).toEqual([
      'deep',
      join('deep', 'two.mcptest.yaml'),
      'one.mcptest.yaml',
    ]);
    const named = [path('evals/one.yaml'), path('evals/deep/two.yml')];
    const again = await cli.runBare(['convert', ...named, '-o', path('tests'), '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      files: [
        { source: named[0], fault: { code: 'export-exists' } },
        {
          file: path('tests/two.mcptest.yaml'),
          format: 'mcp-assert',
          entries: 1,
          unsupported: [{ line: 5 }],
        },
      ],
    });
    expect(again.exitCode).toBe(2);
  });

  test('refuses a damaged, a newer and a missing file, and writes nothing', async () => {
    await writeFile(path('newer.json'), '{\n  "version": "9.0",\n  "interactions": []\n}');
    const newer = await cli.runBare(['convert', path('newer.json')]);
    expect(newer.stderr).toContain(`${path('newer.json')}:2:14: version: version "9.0" of a cassette`);
    expect(newer.exitCode).toBe(2);
    await expect(readFile(path('newer.mcptrace'))).rejects.toThrow('ENOENT');
    await writeFile(path('broken.yaml'), 'name: x\nassert:\n  tool: [1]\n');
    const broken = await cli.runBare(['convert', path('broken.yaml')]);
    expect(broken.stderr).toContain(`${path('broken.yaml')}:3:9: assert.tool: `);
    expect(broken.exitCode).toBe(2);
    const missing = await cli.runBare(['convert', path('none.yaml')]);
    expect(missing.stderr).toContain('There is no file');
    expect(missing.exitCode).toBe(2);
  });
});
