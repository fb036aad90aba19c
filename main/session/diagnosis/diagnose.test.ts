import { chmod, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { makeCertificate } from '#fixtures/http/certificates.ts';
import { listen } from '#fixtures/http/listen.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import type { Diagnosis, DiagnosisStepName } from '#shared/contract/diagnosis.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';

const impatient = { timeouts: { ...defaultTimeouts, initialize: 700 } };

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** Connects to a process of Node that runs this program. */
const connectNode = (program: string) =>
  engine.connect({ command: process.execPath, args: ['-e', program] }, impatient);

async function connectTo(path: string, handler: RequestListener, settings = {}): Promise<SessionView> {
  const server = await listen(handler);
  onTestFinished(() => server.close());
  return engine.connectUrl(`${server.origin}${path}`, settings);
}

/** Connects over TLS to a server whose certificate nobody has issued. */
async function connectToTls(protocol: 'http' | 'https'): Promise<SessionView> {
  const server = await listen((_, response) => response.end(), await makeCertificate());
  onTestFinished(() => server.close());
  return engine.connectUrl(`${protocol}://localhost:${server.port}/mcp`);
}

async function connectToFile(name: string, content: string, mode: number): Promise<SessionView> {
  const file = join(engine.folder, name);
  await writeFile(file, content);
  await chmod(file, mode);
  return engine.connect({ command: file, args: [] });
}

interface FailingServer {
  readonly kind: string;
  readonly connect: () => Promise<SessionView>;
  readonly broken: DiagnosisStepName;
  /** What was measured in the steps up to the broken one. */
  readonly measured: Partial<Record<DiagnosisStepName, RegExp>>;
  /** The cause in what happened or why, and what to do next. */
  readonly cause: RegExp;
  readonly next: RegExp;
}

const failing: readonly FailingServer[] = [
  {
    kind: 'a missing command',
    connect: () => engine.connect({ command: 'no-such-command-anywhere', args: [] }),
    broken: 'command',
    measured: { command: /^no file for no-such-command-anywhere$/ },
    cause: /"no-such-command-anywhere" was not found.*PATH/s,
    next: /full path/,
  },
  {
    kind: 'a file without permission',
    connect: () => connectToFile('server.py', '', 0o644),
    broken: 'executable',
    measured: { command: /server\.py$/, executable: /^rw-r--r--, 644$/ },
    cause: /no execute permission/,
    next: /chmod \+x .*python3 /,
  },
  {
    kind: 'a script without its interpreter',
    connect: () => connectToFile('server', '#!/no/such/interpreter\n', 0o755),
    broken: 'executable',
    measured: { executable: /^rwxr-xr-x, 755; runs with \/no\/such\/interpreter, which was not found$/ },
    cause: /interpreter its first line names does not: \/no\/such\/interpreter/,
    next: /Install that interpreter/,
  },
  ...[
    ['env', '#!/usr/bin/env node\r\nconsole.log(1)\r\n', 'output'],
    ['env with arguments', '#!/usr/bin/env -S node --no-warnings\r\nconsole.log(1)\r\n', 'output'],
    ['an interpreter', '#!/bin/sh\r\necho 1\r\n', 'executable'],
  ].map(
    ([what = '', content = '', broken]): FailingServer => ({
      kind: `a script with Windows line ends that names ${what}`,
      connect: () => connectToFile('server', content, 0o755),
      broken: broken === 'output' ? 'output' : 'executable',
      measured: { executable: /^rwxr-xr-x, 755; its first line ends with a carriage return$/ },
      cause: /carriage return/,
      next: /Unix line ends/,
    }),
  ),
  {
    kind: 'one that exits with a stack trace',
    connect: () => connectNode('throw new TypeError("no config")'),
    broken: 'output',
    measured: {
      command: /node/,
      executable: /^rwx/,
      spawn: /^pid \d+$/,
      output: /^nothing on standard output; [\d.]+ k?B after .+ on standard error; exit code 1 after .+s$/,
    },
    cause: /^TypeError: no config.*ended before it answered/s,
    next: /^Correct that error/,
  },
  {
    kind: 'one that prints its usage',
    connect: () => connectNode('console.log("Usage: server [--port N] stdio"); process.exit(2)'),
    broken: 'output',
    measured: { output: /^31 B after .+ on standard output, no message; exit code 2/ },
    cause: /It printed how it is used/,
    next: /^Compare the arguments with its usage/,
  },
  {
    kind: 'one that hangs',
    connect: () => connectNode('process.stdin.resume()'),
    broken: 'output',
    measured: { spawn: /^pid \d+$/, output: /^nothing on standard output$/ },
    cause: /did not answer initialize within 0\.7 s.*it waits for something/s,
    next: /started by hand; or allow it more time/,
  },
  {
    kind: 'a process that does not speak MCP',
    connect: () => connectNode('console.log("Listening on port 3000"); process.stdin.resume()'),
    broken: 'output',
    measured: { output: /^23 B after .+ on standard output, no message$/ },
    cause: /nothing of it is a message/,
    next: /^Print logs to standard error/,
  },
  {
    kind: 'a wrong port',
    async connect() {
      const server = await listen(() => undefined);
      await server.close();
      return engine.connectUrl(`${server.origin}/mcp`);
    },
    broken: 'connect',
    measured: { lookup: /^127\.0\.0\.1 is an address$/, connect: /ECONNREFUSED 127\.0\.0\.1:\d+/ },
    cause: /^Nothing listens on 127\.0\.0\.1:\d+/,
    next: /compare the port/,
  },
  {
    kind: 'an address that does not speak MCP',
    connect: () =>
      connectTo('/mcp', (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>It works!</h1>');
      }),
    broken: 'handshake',
    measured: {
      connect: /^127\.0\.0\.1:\d+ in /,
      http: /^POST \/mcp: 200 OK, text\/html in /,
      authorization: /^not required$/,
    },
    cause: /web page/,
    next: /check the path of the URL/,
  },
  {
    kind: 'an address that never responds',
    connect: () => connectTo('/mcp', () => undefined, impatient),
    broken: 'http',
    measured: { connect: /^127\.0\.0\.1:\d+ in /, http: /^POST \/mcp: / },
    cause: /did not answer initialize within 0\.7 s/,
    next: /more time/,
  },
  {
    kind: 'https:// for a server of plain HTTP',
    async connect() {
      const server = await ScriptedHttpServer.open();
      onTestFinished(() => server.close());
      return engine.connectUrl(server.url.replace('http:', 'https:'));
    },
    broken: 'tls',
    measured: { connect: /^127\.0\.0\.1:\d+ in /, tls: /wrong version number|packet length too long/i },
    cause: /does not speak TLS/,
    next: /Change the URL to http:\/\//,
  },
  {
    kind: 'http:// for a server of TLS',
    connect: () => connectToTls('http'),
    broken: 'tls',
    measured: { lookup: /^localhost → /, tls: /^the server speaks TLS, the URL is http:\/\/$/ },
    cause: /speaks TLS, but the URL begins with http/,
    next: /Change the URL to https:\/\//,
  },
  {
    kind: 'a certificate that is not trusted',
    connect: () => connectToTls('https'),
    broken: 'tls',
    measured: { lookup: /^localhost → /, connect: /:\d+ in /, tls: /DEPTH_ZERO_SELF_SIGNED_CERT/ },
    cause: /not trusted.*self-signed/s,
    next: /accept this certificate/,
  },
  {
    kind: 'a server that requires authorization',
    connect: () =>
      connectTo('/mcp', (_, response) => {
        response.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="notes"' }).end();
      }),
    broken: 'authorization',
    measured: {
      http: /^POST \/mcp: 401 Unauthorized in /,
      authorization: /^401 WWW-Authenticate: Bearer realm="notes"$/,
    },
    cause: /requires authorization/,
    next: /Authorization/,
  },
  {
    kind: 'a wrong path',
    connect: () => connectTo('/wrong', (_, response) => void response.writeHead(404).end('no such page')),
    broken: 'http',
    measured: { connect: /^127\.0\.0\.1:\d+ in /, http: /^GET \/wrong: 404 Not Found in / },
    cause: /no MCP endpoint at this path/,
    next: /Check the path of the URL/,
  },
];

describe('the diagnosis of', () => {
  test.each(failing)('$kind', async ({ connect, broken, measured, cause, next }) => {
    const { id, phase, diagnosis, fault } = await connect();
    expect(phase).toBe('failed');
    const steps = diagnosis?.steps ?? [];
    const place = steps.findIndex(({ name }) => name === broken);
    expect(steps.map(({ state }) => state)).toEqual(
      steps.map((_, index) =>
        index === place ? 'failed' : index > place ? 'skipped' : expect.stringMatching(/^(ok|skipped)$/),
      ),
    );
    const shown = Object.fromEntries(steps.map((step) => [step.name, step.measured]));
    for (const [name, pattern] of Object.entries(measured)) expect(shown[name], name).toMatch(pattern);
    expect(steps[place]?.fault).toEqual(fault);
    expect(`${fault?.what} ${fault?.why}`).toMatch(cause);
    expect(fault?.next).toMatch(next);
    // The rows are those of this session.
    const { length } = await engine.rows(id);
    for (const { row } of steps) expect(row ?? 0).toBeLessThan(length);
  });
});

const statesOf = ({ steps }: Diagnosis) => Object.fromEntries(steps.map(({ name, state }) => [name, state]));

test('a server that can be used has every step ok', async () => {
  const { id, diagnosis } = await engine.connect(misbehavingServer());
  expect(diagnosis).toBeNull();
  const found = await engine.call('sessions/diagnose', { sessionId: id });
  expect(statesOf(found)).toEqual({
    command: 'ok',
    executable: 'ok',
    spawn: 'ok',
    output: 'ok',
    handshake: 'ok',
  });
  expect(found.steps.at(-1)?.measured).toMatch(/^legacy 2025-11-25, misbehaving 1\.0\.0, answered in /);
});

test('one over HTTP too; what its URL does not need is skipped', async () => {
  const server = await ScriptedHttpServer.open();
  onTestFinished(() => server.close());
  const { id } = await engine.connectUrl(server.url, {
    http: { headers: [{ name: 'Authorization', value: 'Bearer open-sesame-123', secret: true }] },
  });
  const found = await engine.call('sessions/diagnose', { sessionId: id });
  expect(statesOf(found)).toEqual({
    lookup: 'skipped',
    connect: 'ok',
    tls: 'skipped',
    http: 'ok',
    authorization: 'ok',
    handshake: 'ok',
  });
  expect(found.steps.find(({ name }) => name === 'authorization')?.measured).toBe(
    'the Authorization header was accepted',
  );
  expect(JSON.stringify(found)).not.toContain('sesame');
});

test('without a probe, the first request shows that there is no server', async () => {
  const server = await listen(() => undefined);
  await server.close();
  const { id, phase } = await engine.connectUrl(`${server.origin}/mcp`, { era: 'modern' });
  expect(phase).toBe('ready');
  const { steps } = await engine.call('sessions/diagnose', { sessionId: id });
  expect(steps.find(({ state }) => state === 'failed')).toMatchObject({
    name: 'connect',
    fault: { code: 'http-connect' },
  });
});

test('a secret is replaced wherever the steps repeat it', async () => {
  const { diagnosis } = await engine.connect(
    { command: process.execPath, args: ['-e', 'throw new Error(process.env.TOKEN)', 'hush-0123456789'] },
    { env: [{ name: 'TOKEN', value: 'hush-0123456789', secret: true }] },
  );
  const text = JSON.stringify(diagnosis);
  expect(text).toContain('[secret');
  expect(text).not.toContain('hush');
});

test('a session that ended later was connected: every step stays ok', async () => {
  const { id } = await engine.connect(misbehavingServer('exit-after-initialize'));
  await engine.settled(id, ['failed', 'closed']);
  const found = await engine.call('sessions/diagnose', { sessionId: id });
  expect(found.steps.every(({ state }) => state === 'ok')).toBe(true);
});
