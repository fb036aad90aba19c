import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import type { Params } from '#shared/contract/index.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { type CallOutcome, failsRun } from '#shared/contract/saved-calls.ts';

/** Gives each order an id of its own, asks before it pays, fails every other count, and works with progress. */
const shop = scriptedServer(`
  'tools/list': (request) => answer(request, { tools: ['order', 'show', 'pay', 'count', 'work', 'announce'].map((name) => (
    { name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })) }),
  'tools/call': (request) => {
    const { name, arguments: given, _meta } = request.params;
    server.calls = (server.calls ?? 0) + 1;
    const structured = (structuredContent) => answer(request, { content: [], structuredContent });
    if (name === 'order') {
      server.order = 'order-' + String(Math.random()).slice(2, 12);
      structured({ id: server.order, big: 9007199254740993n.toString() });
    } else if (name === 'show') structured({ id: given.id, total: 12, calls: server.calls, tags: server.calls % 2 ? ['a', 'b'] : ['b', 'a'] });
    else if (name === 'announce') {
      structured({ announced: true });
      setTimeout(() => write({ method: 'notifications/message', params: { level: 'info', data: { of: given.of } } }), 20);
    } else if (name === 'count') structured({ even: server.calls % 2 === 0 });
    else if (name === 'work') {
      const report = (progress) => write({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress } });
      report(1);
      write({ method: 'notifications/message', params: { level: 'info', data: 'half' } });
      report(2);
      if (given.endless) server.report = report;
      else structured({ done: true });
    } else {
      server.paying = request;
      write({ id: 'q' + request.id, method: 'elicitation/create', params: {
        message: 'Pay ' + given.id + '?', requestedSchema: { type: 'object', properties: { pin: { type: 'string' } }, required: given.required } } });
    }
  },
  'shop/open': (request) => answer(request, { day: request.params.day }),
  1: () => write({ id: null, error: { code: -32600, message: 'Invalid Request' } }),
  'notifications/cancelled': () => server.report?.(3),
  answered: ({ result }) => answer(server.paying, {
    content: [{ type: 'text', text: JSON.stringify({ paid: result.action, pin: result.content?.pin ?? null }) }] }),
`);

let engine: EngineFixture;
let sessionId: string;
beforeAll(async () => {
  engine = await EngineFixture.open();
  sessionId = (await engine.connect(shop)).id;
  await engine.until(
    async () => (await engine.call('catalog/tools', { sessionId })).state === 'ready' || null,
  );
});
afterAll(() => engine.close());

let files = 0;
async function fileOf(steps: string): Promise<string> {
  const path = join(engine.folder, `rounds-${++files}.mcptest.yaml`);
  await writeFile(path, `# The shop.\nversion: 1\nsteps:\n${steps}`);
  return path;
}

function run(path: string, options: Partial<Params<'saved-calls/run'>> = {}): Promise<CallOutcome[]> {
  const all = { indexes: null, variables: {}, allowWrites: true };
  return engine.call('saved-calls/run', { path, sessionId, ...all, ...options });
}

const messages = (outcome: CallOutcome | undefined): string[] =>
  outcome?.failures.map(({ message }) => message) ?? [];

const orderAndPay = `  - name: Orders
    call: order
    capture: { id: $.structuredContent.id }
  - name: Pays
    call: pay
    arguments: { id: "\${id}" }
    answers:
      - { to: elicitation/create, contains: order-, result: { action: accept, content: { pin: "0815" } } }
    expect:
      values:
        - { path: "$.content[0].text.paid", equals: accept }
        - { path: "$.content[0].text.pin", equals: "0815" }
`;

describe('a step that is no call', () => {
  test('sends a text as it is, and waits for a notification', async () => {
    const path = await fileOf(`  - name: Opens
    raw: '{"jsonrpc":"2.0","id":"own","method":"shop/open","params":{"day":"\${day}"}}'
    capture: { opened: $.day }
    expect: { values: [{ path: $.day, equals: "mon\\"day" }] }
  - name: Is refused
    raw: '{"jsonrpc":"2.0","method":1}'
    expect: { code: -32600 }
  - name: Sends and goes on
    raw: '{"jsonrpc":"2.0","method":"notifications/none"}'
  - name: Announces
    call: announce
    arguments: { of: "\${opened}" }
  - name: Is announced
    wait: notifications/message
    expect: { values: [{ path: $.data.of, equals: "\${opened}" }] }
  - name: Is announced once
    wait: notifications/message
    expect: { status: timed-out, duration: 50ms }
  - name: Is announced again
    wait: notifications/message
    expect: { duration: 50ms }
`);
    const outcomes = await run(path, { variables: { day: '"mon\\"day"' } });
    expect(outcomes.map(({ name, state }) => `${name}: ${state}`)).toEqual([
      'Opens: passed',
      'Is refused: passed',
      'Sends and goes on: passed',
      'Announces: passed',
      'Is announced: passed',
      'Is announced once: passed',
      'Is announced again: failed',
    ]);
    expect(outcomes.at(-1)?.failures).toEqual([
      {
        line: 24,
        column: 5,
        message: 'expected ok, got timed-out',
        expected: 'ok',
        received: 'timed-out',
      },
    ]);
  });

  test('that calls a tool which may write is skipped with the calls that may write', async () => {
    const path = await fileOf(`  - name: Reads
    raw: '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"count","arguments":{}}}'
    expect: { status: ok }
  - name: Writes
    raw: '{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"none"}}'
  - name: Is not readable
    raw: '{"method":"tools/call"'
  - name: Writes with a solidus that is escaped
    raw: '{"jsonrpc":"2.0","id":"c","method":"tools\\/call","params":{"name":"none"}}'
  - name: Writes in a batch, with a character that is escaped
    raw: '[{"jsonrpc":"2.0","id":"d","method":"tools\\u002fcall","params":{"name":"none"}}]'
  - name: Writes on its second line
    raw: "{\\"method\\":\\"none\\"}\\n{\\"jsonrpc\\":\\"2.0\\",\\"id\\":\\"e\\",\\"method\\":\\"tools/call\\",\\"params\\":{\\"name\\":\\"none\\"}}"
  - name: Reads with its words escaped
    raw: '{"jsonrpc":"2.0","id":"f","method":"tools\\/call","params":{"name":"co\\u0075nt","arguments":{}}}'
    expect: { status: ok }
  - name: Only mentions it
    raw: '{"jsonrpc":"2.0","method":"notifications/none","params":{"of":"tools/call"}}'
`);
    const outcomes = await run(path, { allowWrites: false });
    expect(outcomes.map(({ state }) => state)).toEqual([
      'passed',
      ...Array<string>(5).fill('skipped'),
      'passed',
      'passed',
    ]);
  });
});

describe('a step', () => {
  test('uses what an earlier one captured, and answers what the server asks', async () => {
    const path = await fileOf(orderAndPay);
    expect(await run(path)).toMatchObject([{ state: 'passed' }, { state: 'passed' }]);
    // What was captured is kept, so that a call can run alone.
    expect(await run(path, { indexes: [1] })).toMatchObject([{ name: 'Pays', state: 'passed' }]);
  });

  test('whose answer cannot be given fails with the name of the field, and one with an unused answer is warned about', async () => {
    const path = await fileOf(`  - name: Pays by default
    call: pay
    arguments: { id: order-1, required: [pin] }
    answers:
      - { to: elicitation/create, defaults: true }
  - name: Pays
    call: pay
    arguments: { id: order-1 }
    answers:
      - { to: elicitation/create, result: { action: cancel } }
      - { to: roots/list, result: { roots: [] } }
`);
    const [byDefault, pays] = await run(path);
    expect(byDefault).toMatchObject({ state: 'failed', failures: [{ line: 8, column: 9 }], warnings: [] });
    expect(messages(byDefault)).toEqual([
      'the answer to elicitation/create cannot be given: This question has no default answer: the required field "pin" has no default.',
    ]);
    expect(pays).toMatchObject({
      state: 'passed',
      failures: [],
      warnings: [
        {
          line: 14,
          column: 9,
          message: 'the answer to roots/list was not used: the server did not ask for it',
        },
      ],
    });
  });

  test('that runs alone uses the variables that the file has now, and none of an earlier run', async () => {
    const shows = (id: string) =>
      `  - { name: Shows, call: show, arguments: { id: "\${who}" }, expect: { values: [{ path: $.structuredContent.id, equals: ${id} }] } }\n`;
    const path = await fileOf(`${shows('first')}variables: { who: first }\n`);
    expect(await run(path)).toMatchObject([{ state: 'passed' }]);
    await writeFile(path, `version: 1\nsteps:\n${shows('second')}variables: { who: second }\n`);
    expect(await run(path, { indexes: [0] })).toMatchObject([{ state: 'passed', failures: [] }]);
  });

  test('whose capture does not exist fails, and so does the one that uses it', async () => {
    const path = await fileOf(orderAndPay.replace('structuredContent.id', 'structuredContent.number'));
    const [order, pay] = await run(path);
    expect(messages(order)).toEqual([
      'the variable id is not captured: $.structuredContent.number does not exist',
    ]);
    expect(messages(pay)).toEqual(['the variable id is not set']);
  });

  test('expects the whole result, by structure and with rules', async () => {
    const show = (rules: string) => `  - name: Shows
    call: show
    arguments: { id: order-1 }
    expect:
      result: { structuredContent: { tags: [a, b], total: 12, calls: 1, id: order-1 }, content: [] }
      compare: [${rules}]
`;
    const loose = await fileOf(
      show(
        '{ path: $.structuredContent.tags, compare: unordered }, { path: $..calls, compare: type }, { path: $..total, compare: tolerance, tolerance: 1 }',
      ),
    );
    expect(await run(loose, { repeat: 2 })).toMatchObject([
      {
        state: 'passed',
        ignored: expect.arrayContaining([
          { path: '$.structuredContent.calls', why: 'rule', recorded: '1', other: expect.any(String) },
        ]),
      },
    ]);
    const [strict] = await run(await fileOf(show('{ path: $..tags, compare: ignore }')));
    expect(messages(strict)).toEqual([
      expect.stringMatching(/^\$\.structuredContent\.calls: expected 1, got \d+$/),
    ]);
  });

  test('expects messages in order, progress, and silence after it was cancelled', async () => {
    const work = (expected: string, args = '{}') => `  - name: Works
    call: work
    arguments: ${args}
    ${args === '{}' ? '' : 'cancelAfter: 1ms'}
    expect: ${expected}
`;
    const outcomes = await Promise.all(
      [
        work('{ messages: [notifications/progress, notifications/message, notifications/progress] }'),
        work('{ messages: [notifications/message, notifications/message] }'),
        work('{ progress: { atLeast: 2, every: 1m } }'),
        work('{ progress: { atLeast: 3 } }'),
        work('{ progress: { every: 0.001ms } }'),
        work('{ status: cancelled, silence: 20ms }', '{ endless: true }'),
      ].map(fileOf),
    );
    const all: CallOutcome[] = [];
    for (const path of outcomes) all.push(...(await run(path)));
    expect(all.map(messages)).toEqual([
      [],
      [
        'expected notifications/message after notifications/message before the response, got notifications/progress, notifications/message, notifications/progress',
      ],
      [],
      ['expected progress at least 3 times before the response, got 2'],
      [expect.stringMatching(/^expected progress every 1 µs, none came for /)],
      [expect.stringMatching(/^expected nothing after the end of the call, notifications\/progress came /)],
    ]);
  });
});

/** Asks once two calls are under way, each of them. */
const couple = scriptedServer(`
  'tools/list': (request) => answer(request, { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] }),
  'tools/call': (request) => {
    server.asked ??= new Map();
    server.asked.set('q' + request.id, request);
    if (server.asked.size === 2) for (const id of server.asked.keys()) write({ id, method: 'elicitation/create', params: {
      message: 'Pay?', requestedSchema: { type: 'object', properties: { pin: { type: 'string' } } } } });
  },
  answered: ({ id, result }) => answer(server.asked.get(id), { content: [{ type: 'text', text: result.content?.pin ?? result.action }] }),
`);

test('calls that run at the same time have their own answers to what the server asks', async () => {
  const { id } = await engine.connect(couple);
  const path = await fileOf(`  - name: Pays
    call: pay
    answers: [{ to: elicitation/create, result: { action: accept, content: { pin: "0815" } } }]
    expect: { values: [{ path: "$.content[0].text", equals: "0815" }] }
`);
  const report = await engine.call('load/run', {
    sessionId: id,
    what: { kind: 'file', path, name: null, variables: {} },
    count: 2,
    schedule: { kind: 'concurrency', concurrency: 2 },
    allowWrites: true,
  });
  expect(report).toMatchObject({ done: 2, failed: 0, mostAtOnce: 2 });
});

test('a secret variable is sent, compared and updated without a trace of its value', async () => {
  const value = 'open sesame 77';
  const path = await fileOf(`  - name: Shows
    call: show
    arguments: { id: "for \${key}", key: "\${key}" }
    expect: { values: [{ path: $.structuredContent.id, equals: "for \${key}" }] }
  - name: Updates
    call: show
    arguments: { id: "for \${key}" }
`);
  const given = { variables: { key: JSON.stringify(value) }, secrets: ['key'] };
  const outcomes = await run(path, { ...given, update: 'missing' });
  expect(outcomes).toMatchObject([
    { state: 'passed', updated: [] },
    { state: 'passed', updated: ['the result is added'] },
  ]);
  const text = await readFile(path, 'utf8');
  expect(text).not.toContain(value);
  expect(text).toContain('id: for ${key}');
  expect(text).not.toContain('[secret');
  const sent = await engine.call('trace/detail', { sessionId, row: outcomes[0]?.requestRow ?? -1 });
  expect(sent.text).toMatch(/"id":"for \[secret variable key, 14 characters, [0-9a-f]{8}\]"/);
  const { traceFile } = (await engine.call('sessions/list', {})).find(({ id }) => id === sessionId) ?? {};
  expect(await readFile(traceFile?.path ?? '', 'utf8')).not.toContain(value);
  expect(JSON.stringify(outcomes)).not.toContain(value);

  const other = await engine.connect(shop);
  const report = await engine.call('load/run', {
    sessionId: other.id,
    what: { kind: 'file', path, name: 'Shows', ...given },
    count: 2,
    schedule: { kind: 'concurrency', concurrency: 1 },
    allowWrites: true,
  });
  expect(report).toMatchObject({ done: 2, failed: 0 });
  await engine.call('sessions/close', { sessionId: other.id });
  const trace = await readFile(other.traceFile.path, 'utf8');
  expect(trace).toContain('for [secret variable key, 14 characters');
  expect(trace).not.toContain(value);
});

describe('a call that passes at times', () => {
  const even = `  - name: Even
    call: count
    expect: { values: [{ path: $.structuredContent.even, equals: true }] }
`;

  test('is flaky between repeats, and fails the run', async () => {
    const [outcome] = await run(await fileOf(even), { repeat: 4 });
    expect(outcome).toMatchObject({ state: 'flaky', attempts: { length: 4 } });
    expect(outcome?.attempts.map(({ round }) => round)).toEqual([0, 1, 2, 3]);
    expect(messages(outcome)).toEqual(['$.structuredContent.even: expected true, got false']);
    expect(outcome && failsRun(outcome)).toBe(true);
  });

  test('is flaky when it is tried again, which does not fail the run', async () => {
    // The first call makes sure that the second is the odd one.
    const path = await fileOf(`${even}${even.replace('Even', 'Again')}`);
    const outcomes = await run(path, { retries: 1 });
    const flaky = outcomes.find(({ state }) => state === 'flaky');
    expect(flaky).toMatchObject({ attempts: [{ state: 'failed' }, { state: 'passed' }] });
    expect(outcomes.some(failsRun)).toBe(false);
  });

  test('ends a run that shall end at a failure', async () => {
    const path = await fileOf(`${even}${even.replace('Even', 'Other')}${even.replace('Even', 'Third')}`);
    const outcomes = await run(path, { bail: true });
    expect(outcomes.at(-1)?.state).toBe('failed');
    expect(outcomes.length).toBeLessThan(3);
  });
});

describe('an update', () => {
  const stale = `  # Stays.
  - name: Orders
    call: order
    capture: { id: $.structuredContent.id }
    expect: {}
  - name: Shows
    call: show
    arguments: { id: "\${id}", big: 9007199254740993 }
    expect:
      status: tool-error # was one
      values:
        - { path: $.structuredContent.total, equals: 13 } # in euro
        - { path: $.structuredContent.id, type: string }
`;

  test('of what has changed keeps comments, digits, patterns and types', async () => {
    const path = await fileOf(stale);
    expect(await run(path, { update: 'changed' })).toMatchObject([
      { name: 'Orders', state: 'passed', updated: [] },
      {
        name: 'Shows',
        state: 'passed',
        updated: ['status is ok', '$.structuredContent.total is replaced'],
      },
    ]);
    const text = await readFile(path, 'utf8');
    expect(text).toBe(
      `# The shop.\nversion: 1\nsteps:\n${stale.replace('tool-error # was', 'ok # was').replace('equals: 13', 'equals: 12')}`,
    );
  });

  test('of what is missing adds results, with variables for what was captured', async () => {
    const path = await fileOf(stale);
    const [orders, shows] = await run(path, { update: 'missing' });
    expect(orders).toMatchObject({ state: 'passed', updated: ['the result is added'] });
    expect(shows).toMatchObject({ state: 'failed', updated: [] });
    const text = await readFile(path, 'utf8');
    expect(text).toContain('id: ${id}');
    expect(text).toContain('big: "9007199254740993"');
    expect(await run(path, { indexes: [0] })).toMatchObject([{ state: 'passed' }]);
  });

  test('puts a long result into a snapshot, and writes one that is missing', async () => {
    const path = await fileOf('  - { name: Lists, request: tools/list, expect: { snapshot: lists.json } }\n');
    const [missing] = await run(path);
    expect(messages(missing)).toEqual(['there is no snapshot lists.json; --update writes it']);
    expect(await run(path, { update: 'missing' })).toMatchObject([{ state: 'passed' }]);
    const snapshot = join(engine.folder, '__snapshots__', 'lists.json');
    expect(JSON.parse(await readFile(snapshot, 'utf8'))).toMatchObject({
      tools: [{ name: 'order' }, {}, {}, {}, {}, {}],
    });
    await writeFile(snapshot, '{"tools":[]}');
    const [changed] = await run(path);
    expect(messages(changed)).toContainEqual(expect.stringMatching(/^\$\.tools\[0\]: not expected, got/));
  });

  /** A folder as it was handed over, with a test file whose snapshot has this name. */
  async function handedOver(name: string) {
    const folder = await mkdtemp(join(engine.folder, 'repo-'));
    const path = join(folder, 'a.mcptest.yaml');
    const step = `{ name: Lists, request: tools/list, expect: { snapshot: ${JSON.stringify(name)} } }`;
    await writeFile(path, `version: 1\nsteps:\n  - ${step}\n`);
    const victim = join(engine.folder, 'victim.json');
    await writeFile(victim, '{"kept":true}');
    return { folder, path, snapshots: join(folder, '__snapshots__'), victim };
  }

  const outcomeOfUpdate = (path: string): Promise<unknown> =>
    run(path, { update: 'all' }).then(
      () => 'written',
      (error: unknown) => (error instanceof FaultError ? error.fault.code : error),
    );

  test.each<[string, (at: Awaited<ReturnType<typeof handedOver>>) => Promise<unknown>]>([
    ['its folder leads out of the folder', ({ snapshots }) => symlink('..', snapshots)],
    [
      'its folder leads there in two steps',
      async ({ folder, snapshots }) => {
        await symlink('..', join(folder, 'up'));
        await symlink('up', snapshots);
      },
    ],
    ['its folder leads nowhere', ({ snapshots }) => symlink('../nowhere', snapshots)],
    ['its folder is a file', ({ snapshots }) => writeFile(snapshots, '')],
    [
      'it is a link',
      async ({ snapshots, victim }) => {
        await mkdir(snapshots);
        await symlink(victim, join(snapshots, 'victim.json'));
      },
    ],
    [
      'it is a link to nothing',
      async ({ snapshots }) => {
        await mkdir(snapshots);
        await symlink('../../new.json', join(snapshots, 'victim.json'));
      },
    ],
    ['it is a folder', ({ snapshots }) => mkdir(join(snapshots, 'victim.json'), { recursive: true })],
    [
      'it is a pipe',
      async ({ snapshots }) => {
        await mkdir(snapshots);
        execFileSync('mkfifo', [join(snapshots, 'victim.json')]);
      },
    ],
  ])('is neither read nor written if %s', async (_, prepare) => {
    const at = await handedOver('victim.json');
    await prepare(at);
    expect(await outcomeOfUpdate(at.path)).toBe('snapshot-elsewhere');
    expect(await readFile(at.victim, 'utf8')).toBe('{"kept":true}');
    expect(await readdir(engine.folder)).not.toContain('new.json');
    expect(await readdir(at.folder)).not.toContain('victim.json');
  });

  test.each([
    'victim',
    'victim.txt',
    'victim.json.yaml',
    'victim.JSON',
    '.victim.json',
    '../victim.json',
    '..\\victim.json',
    '/tmp/victim.json',
    'C:victim.json',
    'CON.json',
    'nul .json',
    'lpt1.x.json',
    'victim.json\u0000.json',
    'victim.json:stream.json',
  ])('has the name of a JSON file in its folder: %j is refused', async (name) => {
    const { path } = await handedOver(name);
    expect(await outcomeOfUpdate(path)).toBe('bad-test-file');
  });

  test('beside a test file that is reached by a link is read and written there', async () => {
    const { folder, path } = await handedOver('lists.json');
    await symlink(folder, `${folder}-link`);
    expect(await run(join(`${folder}-link`, basename(path)), { update: 'all' })).toMatchObject([
      { state: 'passed' },
    ]);
    expect(await readdir(join(folder, '__snapshots__'))).toEqual(['lists.json']);
  });

  test('is not read from a test file that is a pipe or a device', async () => {
    const { folder } = await handedOver('lists.json');
    const [pipe, device] = [join(folder, 'pipe.mcptest.yaml'), join(folder, 'device.mcptest.yaml')];
    execFileSync('mkfifo', [pipe]);
    await symlink('/dev/zero', device);
    for (const path of [pipe, device]) expect(await outcomeOfUpdate(path)).toBe('file-not-read');
  });

  test('of repeated runs is written if all of them agree, and refused with what differs if they do not', async () => {
    const path = await fileOf(`${stale}  - name: Counts
    call: count
    expect: { values: [{ path: $.structuredContent.even, equals: 1 }] }
  - { name: Works, call: work }
  - name: Shows all
    call: show
    arguments: { id: "\${id}" }
`);
    const outcomes = await run(path, { repeat: 3, update: 'all' });
    expect(outcomes).toMatchObject([
      // Each round has an order of its own, which is a variable.
      { name: 'Orders', updated: ['the result is added'], notUpdated: null },
      {
        name: 'Shows',
        state: 'passed',
        updated: ['status is ok', '$.structuredContent.total is replaced'],
        notUpdated: null,
      },
      {
        name: 'Counts',
        state: 'failed',
        updated: [],
        notUpdated: 'the 3 answers differ ($.structuredContent.even); --learn N ignores what varies',
      },
      { name: 'Works', updated: ['the result is added'], notUpdated: null },
      { name: 'Shows all', updated: [], notUpdated: expect.stringContaining('$.structuredContent.calls') },
    ]);
    const text = await readFile(path, 'utf8');
    expect(text).toContain('equals: 1 }');
    expect(text).toContain('id: ${id}');
    expect(text).toMatch(/name: Shows all\n {4}call: show\n {4}arguments: \{ id: "\$\{id\}" \}\n$/);
  });

  test('learns which paths vary, and writes each with its evidence', async () => {
    const path = await fileOf(`  - name: Shows
    call: show
    arguments: { id: order-1 }
    expect: { result: { content: [], structuredContent: { id: order-1, total: 12, calls: 1, tags: [a, b] } } }
`);
    const [outcome] = await run(path, { repeat: 4, learns: true });
    expect(outcome).toMatchObject({
      state: 'passed',
      updated: ['2 paths learned: $.structuredContent.calls, $.structuredContent.tags'],
    });
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(/# 4 values in 4 runs: \d+, \d+, …\n\s+\S*\s*path: \$\.structuredContent\.calls/);
    expect(text).toMatch(/compare: unordered/);
    expect(await run(path, { repeat: 2 })).toMatchObject([{ state: 'passed' }]);
  });

  test('accepts the last answer without another call', async () => {
    const path = await fileOf(
      stale.replace('expect: {}', 'expect: { values: [{ path: $.content, equals: 1 }] }'),
    );
    const before = await run(path);
    expect(before).toMatchObject([
      { state: 'failed', canAccept: true },
      { state: 'failed', canAccept: true },
    ]);
    const { rows } = await engine.call('trace/summary', { sessionId });
    await engine.call('saved-calls/accept', { path, index: 1, name: 'Shows' });
    expect((await engine.call('trace/summary', { sessionId })).rows).toBe(rows);
    expect(await engine.call('saved-calls/outcomes', { path })).toMatchObject([
      { name: 'Orders', state: 'failed' },
      { name: 'Shows', state: 'passed', failures: [], canAccept: false },
    ]);
    await expect(engine.call('saved-calls/accept', { path, index: 0, name: 'Shows' })).rejects.toThrow(
      /no longer/,
    );
  });
});
