import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { everything, modern, legacyServer } from '#fixtures/cli/servers.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

const named = '{"action":"accept","content":{"name":"Ada"}}';

describe('a task', () => {
  test('of 2025-11-25 is asked for and followed to its result', async () => {
    const words = ['call', 'must-be-task', '--task', '60s', 'steps=3'];
    const { exitCode, stdout } = await cli.run(words, legacyServer);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Done in 3 steps. Answer: null\n' });
    expect(await cli.trace()).toContain(String.raw`\"task\":{\"ttl\":60000}`);
  });

  test('takes the arguments behind --task as what they are', async () => {
    const { stdout } = await cli.run(
      ['call', 'long-job', '--task', 'steps=1', 'milliseconds=5'],
      legacyServer,
    );
    expect(stdout).toBe('Done in 1 steps. Answer: null\n');
    expect(await cli.trace()).toContain(String.raw`\"task\":{}`);
  });

  test('of the extension is followed, and what it asks is answered', async () => {
    const words = ['call', 'long-job', 'input=true', 'askFirst=true', '--answer', `elicitation=${named}`];
    const { exitCode, stdout } = await cli.run(words, modern);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Answers: {"your name":{"action":"accept"');
  });

  test('of server-everything is followed', async () => {
    const words = ['call', 'simulate-research-query', 'topic=pipes', '--task'];
    const { exitCode, stdout } = await cli.run(words, everything);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('pipes');
  });

  test.skipIf(process.platform !== 'linux')('tells how it stands, and is cancelled on Ctrl-C', async () => {
    const words = ['call', 'long-job', '--task', '--progress', 'ends=never', 'steps=1'];
    const run = cli.start(words, legacyServer);
    await run.printedText('task working');
    run.child.kill('SIGINT');
    expect((await run.ended).exitCode).toBe(130);
    expect(await cli.trace()).toContain('tasks/cancel');
  });
});

test('--meta goes along, over our own', async () => {
  const words = [
    'call',
    'echo',
    'message=x',
    '--meta',
    '{"traceparent": "00-1", "big": 12345678901234567890}',
  ];
  await cli.run(words, legacyServer);
  expect(await cli.trace()).toContain(String.raw`\"traceparent\": \"00-1\", \"big\": 12345678901234567890`);
});

test('log messages come on stderr when they are asked for', async () => {
  const { stdout, stderr } = await cli.run(['call', 'log', '--log-level', 'alert'], modern);
  expect(stdout).toBe('Logged.\n');
  expect(stderr).toMatch(
    /^sightglass: log alert \(modern-fixture\): \{"text":"a alert"[^\n]*\n[^\n]*log emergency[^\n]*\n$/,
  );
  const legacy = await Cli.open();
  const set = await legacy.run(['call', 'log', '--log-level', 'emergency'], legacyServer);
  expect(set.stderr).toMatch(/^sightglass: log emergency \(legacy-fixture\)[^\n]*\n$/);
  expect(await legacy.trace()).toContain('logging/setLevel');
  await legacy.close();
});

test('a log level that the server refuses is reported, and the call is made anyway', async () => {
  const script = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const results = {
        initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'x', version: '1' } },
        'tools/list': { tools: [] },
        'tools/call': { content: [{ type: 'text', text: 'done' }] },
      };
      const answer = method in results ? { result: results[method] } : { error: { code: -32602, message: 'not this level' } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });`;
  const { exitCode, stdout, stderr } = await cli.run(
    ['call', 'echo', '--log-level', 'debug', '--era', 'legacy'],
    ['node', '-e', script],
  );
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'done\n' });
  expect(stderr).toContain('there are no log messages: ');
});

test('arguments and structured content that break their schemas are reported with their path, and are not failures', async () => {
  const script = `
    const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
      if (method === 'tools/list') answer(id, { tools: [{ name: 'weigh', inputSchema: { type: 'object', required: ['what'] },
        outputSchema: { type: 'object', properties: { kilos: { type: 'number' } } } }] });
      if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: 'heavy' }], structuredContent: { kilos: 'many' } });
    });`;
  const { exitCode, stdout, stderr } = await cli.run(
    ['call', 'weigh', '--args', '{}', '--era', 'legacy'],
    ['node', '-e', script],
  );
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'heavy\n' });
  expect(stderr).toContain('the arguments do not fit the input schema of the tool:\n  ');
  expect(stderr).toContain('the structured content does not fit the output schema of the tool:\n  /kilos: ');
});
