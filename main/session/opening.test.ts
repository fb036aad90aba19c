import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

const impatient = { timeouts: { ...defaultTimeouts, initialize: 400 } };

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

describe('when a session cannot begin', () => {
  test.each([
    ['silent-initialize', 'initialize-timeout'],
    ['exit-before-initialize', 'ended-before-initialize'],
    ['unknown-version', 'revision-unsupported'],
    ['version-error', 'revision-refused'],
    ['no-server-info', 'initialize-bad-result'],
  ] as const)('says why: %s', async (scenario, code) => {
    const session = await engine.connect(
      misbehavingServer(scenario),
      scenario === 'silent-initialize' ? impatient : {},
    );
    expect(session.phase).toBe('failed');
    expect(session.fault).toMatchObject({ code, what: session.reason });
    const last = (await engine.rows(session.id)).findLast((row) => row.kind === 'phase');
    expect(last?.summary).toContain('failed: ');
  });

  test.each([
    [
      'pretty-printed JSON',
      'JSON.stringify(message, null, 2) + "\\n"',
      /^\d+ bytes came, but no answer: it prints its JSON over several lines \(pretty-printed\)/,
    ],
    [
      'a message without its newline',
      'JSON.stringify(message)',
      /^\d+ bytes came, but no answer: the message has no newline at its end/,
    ],
    ['logs', '"Listening...\\n"', /^13 bytes came, but no answer: nothing of it is a message\.$/],
  ])('tells of a start that times out what came: %s', async (_, bytes, why) => {
    const server = scriptedServer(`
      initialize({ id }) {
        const message = { jsonrpc: '2.0', id, result: { capabilities: {} } };
        process.stdout.write(${bytes});
      },
    `);
    const { fault, phase } = await engine.connect(server, {
      timeouts: { ...defaultTimeouts, initialize: 3000 },
    });
    expect(phase).toBe('failed');
    expect(fault).toMatchObject({ code: 'initialize-timeout', why: expect.stringMatching(why) });
    expect(fault?.evidence).toMatch(/^Standard output begins:\n./);
    expect(fault?.next).toMatch(/^(?:Have it |Print logs to standard error)/);
  });

  test('a secret in what is quoted of the output is replaced, even where the quote is cut', async () => {
    const server = scriptedServer(`
      initialize() { process.stdout.write('x'.repeat(490) + ' ' + process.env.TOKEN + ' is my token\\n'); process.exit(1); },
    `);
    const { fault } = await engine.connect(server, {
      env: [{ name: 'TOKEN', value: 'hush-0123456789-abcdef', secret: true }],
    });
    expect(fault?.evidence).toContain('xx [secret');
    expect(JSON.stringify(fault)).not.toContain('hush');
  });

  test('shows the last words of a server that ended at once', async () => {
    const { fault } = await engine.connect(misbehavingServer('exit-before-initialize'));
    expect(fault?.evidence).toBeTruthy();
  });

  test('explains a command that does not exist', async () => {
    const session = await engine.connect({ command: 'no-such-command-anywhere', args: [] });
    expect(session.fault?.code).toBe('command-not-found');
  });

  test('does not cancel initialize', async () => {
    const { id } = await engine.connect(misbehavingServer('silent-initialize'), impatient);
    expect((await engine.rows(id)).map((row) => row.method)).not.toContain('notifications/cancelled');
  });
});

describe('while a session is being opened', () => {
  /** A server that never answers initialize, and outlives the end of its standard input. */
  async function connecting() {
    const server = misbehavingServer('silent-initialize', 'ignores-stdin-eof');
    const opened = engine.connect(server, impatient);
    const { id } = await engine.until(async () => {
      const [session] = await engine.call('sessions/list', {});
      return session?.phase === 'initializing' ? session : null;
    });
    return { id, opened };
  }

  test('it can be closed, and is then disconnected, not failed', async () => {
    const { id, opened } = await connecting();
    await engine.call('sessions/close', { sessionId: id });
    expect(await opened).toMatchObject({ phase: 'closed', reason: 'Disconnected.', fault: null });
  });
});

test('a server that sends null for optional members is connected to anyway', async () => {
  const { phase, agreement } = await engine.connect(misbehavingServer('null-options'));
  expect(phase).toBe('ready');
  expect(agreement).toMatchObject({ instructions: null, server: { name: 'misbehaving', version: '1.0.0' } });
});

test('a timeout longer than any timer can be set to does not end at once', async () => {
  const patient = await EngineFixture.open({
    namedServer: { kind: 'stdio', ...misbehavingServer(), timeout: 100 * 24 * 3600 * 1000 },
  });
  const [session] = await patient.call('sessions/list', {});
  expect((await patient.settled(session?.id ?? '', ['ready', 'failed'])).phase).toBe('ready');
  await patient.close();
});
