import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { beginFlow, flowNow, settledFlow, stepThrough, takeStep } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';

const opened = closeAfterEachTest();
let engine: EngineFixture;
beforeEach(async () => {
  engine = opened(await EngineFixture.open({ openInBrowser: async () => undefined }));
});

/** A flow that waits for its callback, and what its authorization request says. */
async function waitingFlow(options: ProtectedServerOptions = {}, revision: string | null = null) {
  const server = opened(await ProtectedServer.open(options));
  let flow = await beginFlow(engine, server.url, { mode: 'stepped', revision });
  while (flow.state === 'stopped') flow = await takeStep(engine, flow);
  const { searchParams } = new URL(flow.browserUrl ?? '');
  const redirectUri = searchParams.get('redirect_uri') ?? '';
  const state = searchParams.get('state') ?? '';
  return { server, flow, redirectUri, state, issuer: server.authorization.issuer };
}

const callbackOf = ({ steps }: AuthorizationFlow) => steps.find(({ name }) => name === 'callback');

const changed = (flow: AuthorizationFlow, has: (now: AuthorizationFlow) => boolean) =>
  engine.until(async () => {
    const now = await flowNow(engine, flow);
    return now !== null && has(now) ? now : null;
  });

/** The URL that the authorization server redirects to, which nobody has opened. */
async function answerOf({ browserUrl }: AuthorizationFlow): Promise<URL> {
  const response = await fetch(browserUrl ?? '', { redirect: 'manual' });
  return new URL(response.headers.get('Location') ?? '');
}

const enter = (flow: AuthorizationFlow, url: string) =>
  engine.call('authorization/callback', { flowId: flow.id, url });

const codeIn = (url: URL): string => url.searchParams.get('code') ?? '';

describe('the answer', () => {
  test('has its URL, every parameter and what was compared in the step, and a row in the trace', async () => {
    const { flow, redirectUri, issuer } = await waitingFlow({
      authorization: {
        callback: (parameters) => {
          parameters.set('session_state', 'more');
          return parameters;
        },
      },
    });
    const answer = await answerOf(flow);
    await fetch(answer);
    const now = await changed(flow, ({ state }) => state === 'stopped');
    const callback = callbackOf(now);
    const [received] = callback?.callbacks ?? [];
    expect(received).toMatchObject({
      by: 'listener',
      method: 'GET',
      url: redirectUri,
      untrusted: null,
      state: { result: 'equal', source: 'RFC 6749 10.12' },
      iss: { result: 'equal', expected: issuer, received: issuer, source: 'RFC 9207 2.4' },
      row: callback?.row,
    });
    expect(received?.state.expected).toMatch(/^[0-9a-f]{6}$/);
    expect(received?.state.received).toBe(received?.state.expected);
    expect(received?.parameters.map(({ name, value }) => [name, value === null])).toEqual([
      ['code', true],
      ['state', false],
      ['iss', false],
      ['session_state', false],
    ]);
    const rows = await engine.rows(flow.sessionId);
    expect(rows.find(({ row }) => row === callback?.row)).toMatchObject({
      kind: 'http',
      direction: 'in',
      method: 'GET',
      code: 200,
      summary: expect.stringMatching(/^\/callback\?code=/),
    });
    const session = await engine.session(flow.sessionId);
    await engine.call('sessions/close', { sessionId: flow.sessionId });
    const code = codeIn(answer);
    expect(code.length).toBeGreaterThan(8);
    expect(await readFile(session.traceFile.path, 'utf8')).not.toContain(code);
    expect(JSON.stringify([now, rows])).not.toContain(code);
  });

  test('is shown in a recorded session too, with its row', async () => {
    const { flow } = await waitingFlow();
    await fetch(await answerOf(flow));
    const now = await changed(flow, ({ state }) => state === 'stopped');
    const { path } = (await engine.session(flow.sessionId)).traceFile;
    await engine.call('sessions/close', { sessionId: flow.sessionId });
    const { sessionId } = await engine.call('traces/open', { path });
    const [recorded] = await engine.until(async () => {
      const flows = await engine.call('authorization/flows', { sessionId });
      return flows.length > 0 ? flows : null;
    });
    if (recorded === undefined) throw new Error('the flow is recorded');
    expect(callbackOf(recorded)?.callbacks).toEqual(callbackOf(now)?.callbacks);
  });

  test('that is a JWT leaves no code behind (JARM)', async () => {
    const { flow, redirectUri, state } = await waitingFlow();
    const jwt = 'eyJhbGciOiJub25lIn0.eyJjb2RlIjoic2VjcmV0LWNvZGUifQ.c2lnbmF0dXJl';
    await fetch(`${redirectUri}?state=${state}&response=${jwt}`);
    const now = await changed(flow, (one) => one.state === 'failed');
    const session = await engine.session(flow.sessionId);
    await engine.call('sessions/close', { sessionId: flow.sessionId });
    expect(JSON.stringify(now)).not.toContain(jwt);
    expect(await readFile(session.traceFile.path, 'utf8')).not.toContain('eyJjb2RlIjoic2VjcmV0LWNvZGUifQ');
  });
});

describe('what a rejected callback carried', () => {
  const wrong: Readonly<Record<string, (answer: URL) => void>> = {
    'without a state': ({ searchParams }) => searchParams.delete('state'),
    'with another state': ({ searchParams }) => searchParams.set('state', 'of-somebody'),
    'with its state and another one': ({ searchParams }) => searchParams.append('state', 'of-somebody'),
    'without the promised iss': ({ searchParams }) => searchParams.delete('iss'),
    'with another iss': ({ searchParams }) => searchParams.set('iss', 'https://other.example'),
    'with two iss': ({ searchParams }) => searchParams.append('iss', 'https://other.example'),
  };
  const revisions = ['2025-06-18', '2025-11-25', '2026-07-28'];

  test.each(Object.keys(wrong).flatMap((what) => revisions.map((revision) => ({ what, revision }))))(
    '$what is raw data that is not trusted, and no cause, in $revision',
    async ({ what, revision }) => {
      const { server, flow } = await waitingFlow({}, revision);
      const answer = await answerOf(flow);
      const code = codeIn(answer);
      answer.searchParams.set('error', 'invalid_planted');
      answer.searchParams.set('error_description', 'PLANTED-DESCRIPTION');
      answer.searchParams.set('error_uri', 'https://planted.example');
      wrong[what]?.(answer);
      await fetch(answer);
      const now = await changed(flow, (one) => (callbackOf(one)?.callbacks.length ?? 0) > 0);
      const step = callbackOf(now);
      const [received] = step?.callbacks ?? [];
      expect(received?.untrusted).toMatch(/state|iss/);
      expect(received?.parameters).toEqual(
        expect.arrayContaining([
          { name: 'error', value: 'invalid_planted', fingerprint: null, isInFragment: false },
          { name: 'error_description', value: 'PLANTED-DESCRIPTION', fingerprint: null, isInFragment: false },
        ]),
      );
      const { steps, ...facts } = now;
      const others = steps.map((one) => ({ ...one, callbacks: [] }));
      expect(JSON.stringify([facts, others])).not.toMatch(/planted/i);
      const rows = await engine.rows(flow.sessionId);
      expect(rows.find(({ row }) => row === received?.row)?.summary).toMatch(/^not trusted: \/callback\?/);
      expect(
        rows
          .filter(({ kind }) => kind === 'authorization')
          .map(({ summary }) => summary)
          .join(),
      ).not.toMatch(/planted/i);
      expect(server.authorization.requestsTo('token')).toEqual([]);
      expect(JSON.stringify([now, rows])).not.toContain(code);
    },
  );

  test('is listed up to a limit, and the answer after it is still seen', async () => {
    const { flow, redirectUri } = await waitingFlow();
    for (let index = 0; index < 40; index++)
      await fetch(`${redirectUri}?error=x&state=s${index}`, {
        headers: { Cookie: 'a=hunter2-of-another-app' },
      });
    const answer = await answerOf(flow);
    await fetch(answer);
    const now = await changed(flow, ({ state }) => state === 'stopped');
    const step = callbackOf(now);
    expect(step).toMatchObject({ state: 'done', moreCallbacks: 31 });
    expect(step?.callbacks).toHaveLength(10);
    expect(step?.callbacks.at(-1)).toMatchObject({ untrusted: null, row: step?.row });
    const rows = (await engine.rows(flow.sessionId)).filter(
      ({ kind, summary }) => kind === 'http' && summary.includes('/callback'),
    );
    expect(rows).toHaveLength(21);
    expect(rows.filter(({ error }) => error)).toEqual([]);
    const session = await engine.session(flow.sessionId);
    await engine.call('sessions/close', { sessionId: flow.sessionId });
    expect(await readFile(session.traceFile.path, 'utf8')).not.toContain('hunter2-of-another-app');
  });

  test('by a POST or without parameters is shown, and is no finding', async () => {
    const { flow, redirectUri, state } = await waitingFlow();
    await fetch(`${redirectUri}?code=c&state=${state}`, { method: 'POST' });
    await fetch(redirectUri);
    const now = await changed(flow, (one) => callbackOf(one)?.callbacks.length === 2);
    expect(callbackOf(now)).toMatchObject({ state: 'waiting', findings: [] });
    expect(callbackOf(now)?.callbacks.map(({ untrusted }) => untrusted)).toEqual([
      expect.stringContaining('a POST'),
      expect.stringContaining('no code, error or state'),
    ]);
  });
});

describe('a pasted callback', () => {
  const forms: Readonly<Record<string, (answer: URL) => string>> = {
    'the whole URL': ({ href }) => href,
    'its query': ({ search }) => search,
    'its query without ?': ({ search }) => search.slice(1),
    'its query after &': ({ search }) => `&${search.slice(1)}`,
    'a fragment': ({ search }) => `#${search.slice(1)}`,
    'the URL with its parameters behind the #': ({ href }) => href.replace('?', '#'),
    'the path': ({ pathname, search }) => `${pathname}${search}`,
    'the URL without its scheme': ({ host, pathname, search }) => `${host}${pathname}${search}`,
    'the URL in quotes': ({ href }) => ` "${href}" `,
    'the URL in angle brackets, wrapped': ({ href }) => `<${href.slice(0, 60)}\n  ${href.slice(60)}>`,
  };

  test.each(Object.keys(forms))('may be %s', async (form) => {
    const { flow } = await waitingFlow();
    const answer = await answerOf(flow);
    await enter(flow, forms[form]?.(answer) ?? '');
    const now = await changed(flow, ({ state }) => state === 'stopped');
    const step = callbackOf(now);
    expect(step).toMatchObject({ state: 'done', callbacks: [{ by: 'pasted', untrusted: null }] });
    const rows = await engine.rows(flow.sessionId);
    expect(rows.find(({ row }) => row === step?.row)).toMatchObject({ kind: 'http', direction: 'in' });
    expect(JSON.stringify([now, rows])).not.toContain(codeIn(answer));
    const done = await stepThrough(engine, now);
    expect(done).toMatchObject({ state: 'done', fault: null });
  });

  const wrong: Readonly<Record<string, [text: (answer: URL) => string, code: string]>> = {
    'a text without parameters': [() => 'hello', 'pasted-no-answer'],
    'the code alone': [(answer) => codeIn(answer), 'pasted-no-answer'],
    'an address without a query': [({ origin, pathname }) => `${origin}${pathname}`, 'pasted-no-answer'],
    'the state alone': [({ searchParams }) => `state=${searchParams.get('state')}`, 'pasted-no-code'],
    'the query without its state': [(answer) => `code=${codeIn(answer)}`, 'pasted-not-ours'],
    'the query with another state': [() => 'code=of-somebody&state=of-somebody', 'pasted-not-ours'],
    'the query at another address': [
      ({ search }) => `https://client.example/callback${search}`,
      'pasted-not-ours',
    ],
    'a text that is no URL': [() => 'http://[', 'pasted-no-answer'],
  };

  test.each(Object.keys(wrong))(
    'that is %s is rejected with the reason, and the flow goes on waiting',
    async (what) => {
      const { server, flow } = await waitingFlow();
      const answer = await answerOf(flow);
      const [text, code] = wrong[what] ?? [() => '', ''];
      const rejected = await enter(flow, text(answer)).catch((error: unknown) => error);
      expect(rejected).toBeInstanceOf(FaultError);
      expect(rejected).toMatchObject({ fault: { code, what: expect.stringContaining('goes on waiting') } });
      expect((await flowNow(engine, flow))?.state).toBe('waiting');
      expect(server.authorization.requestsTo('token')).toEqual([]);
      await enter(flow, answer.href);
      expect(await settledFlow(engine, flow, ['running', 'waiting'])).toMatchObject({
        state: 'stopped',
        fault: null,
      });
    },
  );
});
