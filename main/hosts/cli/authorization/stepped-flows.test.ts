import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { jsonAnswer, textAnswer } from '#fixtures/authorization/answer.ts';
import type { ProtectedServer, ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { printedUrl, protectedServer } from '#fixtures/cli/authorize.ts';
import { Cli, type CliRun } from '#fixtures/cli/cli.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

const step = (server: ProtectedServer, ...options: string[]): CliRun =>
  cli.startOnTerminal(['auth', '--step', '--no-browser', '--url', server.url, ...options], []);

/** The question of a stopped step. */
const BEFORE = 's(k)ip, (r)un to the end, (q)uit: ';
/** The end of the question after a fault. */
const AFTER = '[Enter] or (q)uit: ';

const type = (run: CliRun, text: string): void => void run.child.stdin?.write(text);

/** Sends each step until one fails; visits the browser's URL once. */
async function sendAll(run: CliRun): Promise<void> {
  let [answered, hasVisited] = [0, false];
  while (!run.stdout.includes(AFTER)) {
    const { length } = run.stdout;
    const asked = run.stdout.split(BEFORE).length - 1;
    if (asked > answered) {
      answered = asked;
      type(run, '\n');
    }
    if (!hasVisited && run.stdout.includes('code_challenge=') && run.stdout.includes('paste the address')) {
      hasVisited = true;
      await browse(await printedUrl(run));
    }
    await run.printedEnough(() => run.stdout.length > length);
  }
}

const refusedMetadata = jsonAnswer({ error: 'invalid_client_metadata' }, { status: 400 });
const invalidGrant = jsonAnswer({ error: 'invalid_grant' }, { status: 400 });

const failing: readonly (readonly [string, ProtectedServerOptions, string])[] = [
  ['the metadata', { authorization: { metadata: { token_endpoint: undefined } } }, 'token_endpoint'],
  [
    'the registration',
    { authorization: { overrides: { registration: refusedMetadata } } },
    'invalid_client_metadata',
  ],
  [
    'the authorization request',
    { authorization: { metadata: { authorization_endpoint: 'http://login.example/authorize' } } },
    'is plain http',
  ],
  ['the callback', { authorization: { consent: 'denied' } }, 'access_denied'],
  ['the token request', { authorization: { overrides: { token: invalidGrant } } }, 'invalid_grant'],
];

describe('after a step that fails in the stepped mode', () => {
  test.each(failing)('%s is asked about, and Enter ends with its fault', async (_, options, fault) => {
    const run = step(await protectedServer(options));
    await sendAll(run);
    const asked = run.stdout.length;
    expect(run.stdout).toMatch(/^failed /m);
    expect(run.stdout).toContain(fault);
    type(run, '\n');
    const { exitCode, stdout } = await run.ended;
    expect(exitCode).toBe(3);
    expect(stdout.slice(asked)).toContain(fault);
  });

  test('where the server rejects the new token, the flow ends with that', async () => {
    const run = step(await protectedServer({ accepts: () => false }));
    while (!run.stdout.includes('paste the address')) {
      const asked = run.stdout.split(BEFORE).length;
      type(run, '\n');
      await run.printedEnough(
        () => run.stdout.split(BEFORE).length > asked || run.stdout.includes('paste the'),
      );
    }
    await browse(await printedUrl(run));
    await run.printedEnough(() => run.stdout.lastIndexOf(BEFORE) > run.stdout.indexOf('paste the address'));
    type(run, '\n');
    const { exitCode, stdout } = await run.ended;
    expect([exitCode, stdout]).toEqual([
      3,
      expect.stringContaining('rejects a token that it was just given'),
    ]);
  });

  test.each([
    ['Ctrl-D', '\u0004', 3],
    ['Ctrl-C', '\u0003', 130],
  ])('%s ends it', async (_, key, exitCode) => {
    const run = step(
      await protectedServer({ authorization: { overrides: { registration: textAnswer(403, '') } } }),
    );
    await sendAll(run);
    type(run, key);
    expect((await run.ended).exitCode).toBe(exitCode);
  });

  test('it is sent again, and the flow goes on', async () => {
    let requests = 0;
    const server = await protectedServer({
      authorization: {
        overrides: { registration: (answer) => (requests++ === 0 ? textAnswer(503, 'Busy') : answer) },
      },
    });
    const run = step(server);
    await sendAll(run);
    type(run, 'x\n');
    await run.printedEnough(() => run.stdout.split(AFTER).length > 2);
    type(run, 'R\n');
    await run.printedText('authorization-request');
    expect(server.authorization.requestsTo('register')).toHaveLength(2);
    type(run, 'q\n');
    expect((await run.ended).exitCode).toBe(3);
  });

  test('it is taken back, and shown again before it is sent', async () => {
    const server = await protectedServer({
      authorization: { overrides: { registration: textAnswer(403, 'Forbidden') } },
    });
    const run = step(server);
    await sendAll(run);
    const asked = run.stdout.length;
    type(run, 'b\n');
    await run.printedEnough(() => run.stdout.slice(asked).includes(BEFORE));
    expect(run.stdout.slice(asked)).toContain('registration dynamic');
    expect(server.authorization.requestsTo('register')).toHaveLength(1);
    type(run, 'b\n');
    await run.printedEnough(() => run.stdout.slice(asked).split(BEFORE).length > 2);
    type(run, '\u0004');
    expect((await run.ended).exitCode).toBe(3);
  });
});

test('without a token for the refresh, another authorization can be begun or the command left', async () => {
  const server = await protectedServer();
  const saved = cli.startBare(['auth', '--no-browser', '--save', '--url', server.url]);
  await browse(await printedUrl(saved));
  expect((await saved.ended).exitCode).toBe(0);
  const { options } = server.authorization;
  server.authorization.options = { ...options, overrides: { refresh: invalidGrant } };
  server.options = { ...server.options, accepts: () => false };
  const asked = server.log.length;
  const run = step(server);
  await run.printedText(BEFORE);
  type(run, '\n');
  await run.printedText(AFTER);
  expect(run.stdout).toContain('(a)uthorize again');
  type(run, 'q\n');
  expect((await run.ended).exitCode).toBe(3);
  expect(server.log.slice(asked).filter(({ request }) => request.url.includes('.well-known'))).toEqual([]);
});

test('an address that is pasted while the browser is waited for answers a stepped flow', async () => {
  const server = await protectedServer({ authorization: { consent: 'page' } });
  const run = step(server);
  while (!run.stdout.includes('paste the address')) {
    const asked = run.stdout.split(BEFORE).length;
    type(run, '\n');
    await run.printedEnough(
      () => run.stdout.split(BEFORE).length > asked || run.stdout.includes('paste the'),
    );
  }
  const state = new URL(await printedUrl(run)).searchParams.get('state') ?? '';
  type(run, 'code=planted-code-1\n');
  await run.printedText('has no state');
  type(run, `error=access_denied&state=${state}\n`);
  await run.printedText(AFTER);
  expect(run.stdout).toContain('access_denied');
  type(run, 'q\n');
  expect((await run.ended).exitCode).toBe(3);
  expect(await cli.trace()).not.toContain('planted-code-1');
});
