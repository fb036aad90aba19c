import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

// Longer than what a finding quotes of a value.
const secret = `a-token-of-${'k9x2'.repeat(15)}`;

test('what is told of a message, a tool and a refusal never holds a secret that the server repeats, nor a part of it', async () => {
  const server = scriptedServer(`
    'tools/list': (request) =>
      answer(request, {
        tools: [{
          name: 'repeat',
          inputSchema: { type: 'object', properties: { a: { enum: [process.env.TOKEN] } } },
          outputSchema: { type: 'object', properties: { a: { enum: [process.env.TOKEN] } } },
        }],
      }),
    'tools/call'(request) {
      const { TOKEN } = process.env;
      write({ id: 1, method: TOKEN });
      write({ id: 2, method: 'x'.repeat(490) + TOKEN });
      write({ method: 'notifications/message', params: { level: TOKEN, data: 1 } });
      console.log('{"jsonrpc":"2.0","method":"notifications/x","params":{"' + TOKEN + '":1,"' + TOKEN + '":1}}');
      answer(request, { content: [], structuredContent: { a: 1 } });
    },
    'resources/subscribe': ({ id }) => write({ id, error: { code: 1, message: process.env.TOKEN } }),
    'resources/unsubscribe': ({ id }) => write({ id, error: { code: 1, message: process.env.TOKEN } }),`);
  const { id } = await engine.connect(server, { env: [{ name: 'TOKEN', value: secret, secret: true }] });
  const events: unknown[] = [];
  engine.engine.onEvent((event) => events.push(event));
  const call = await engine.callTool(id, 'repeat', { a: 1 });
  expect(call).toMatchObject({
    argumentsValidation: { state: 'invalid' },
    outputValidation: { state: 'invalid' },
  });
  const subscription = await engine.call('subscriptions/subscribe', { sessionId: id, uri: 'x:y' });
  const end = engine.call('subscriptions/end', { sessionId: id, id: subscription.id });
  await expect(end).rejects.toMatchObject({ fault: { what: expect.stringContaining('[secret env:TOKEN') } });
  const { findings } = await engine.call('checks/findings', { sessionId: id, from: 0, count: 100 });
  expect(findings.map(({ rule }) => rule)).toEqual([
    'capability/unknown-server-method',
    'capability/unknown-server-method',
    'capability/logging-not-declared',
    'schema/invalid',
    'jsonrpc/duplicate-key',
  ]);
  const reported = JSON.stringify([findings, call, subscription, events]);
  expect(reported).toContain('[secret env:TOKEN');
  expect(reported).not.toContain(secret.slice(0, 20));
});
