import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { demo, everything } from '#fixtures/cli/servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { sdkOverStdio, startEverything, startSdkServer } from '#fixtures/http/start-server.ts';
import { type ClientProfile, defaultClientProfile } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';

/** Servers that others wrote well: what is told of them is either true, and named here, or a fault of ours. */

let engine: EngineFixture;
const servers: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  for (const server of servers.splice(0)) await server.close();
});

/** Some prompts and resources of the SDK's server ask for a name first. */
const answersForms: ClientProfile = {
  ...defaultClientProfile,
  rules: [
    ...defaultClientProfile.rules,
    { method: 'elicitation/create', answer: { kind: 'defaults' }, delay: 0 },
  ],
};

const commandOf = ([command = '', ...args]: readonly string[]) => ({ command, args });

async function over(starting: Promise<{ url: string; close(): Promise<void> }>): Promise<SessionView> {
  const server = await starting;
  servers.push(server);
  return engine.connectUrl(server.url, { client: answersForms });
}

/** Sends a request and waits for its answer; gives the result, null when it is an error. */
async function ask(sessionId: string, method: string, params: object | null = null): Promise<unknown> {
  const request = { sessionId, method, params: params && JSON.stringify(params), timeout: null };
  const { id } = await engine.call('calls/request', request);
  await engine.ended(sessionId, id);
  const { text } = await engine.call('calls/result', { sessionId, callId: id, from: 0 });
  return text === null ? null : JSON.parse(text);
}

const named = z.object({ name: z.string(), arguments: z.array(z.object({ name: z.string() })).default([]) });
const listsSchema = z.looseObject({
  resources: z.array(z.looseObject({ uri: z.string() })).default([]),
  prompts: z.array(named).default([]),
});

/** Has a server show what it has: every list, resources, prompts, completions, a few calls; gives what was found. */
async function exercise(
  { id, phase, agreement }: SessionView,
  tools: readonly [name: string, args?: object][],
) {
  expect(phase).toBe('ready');
  await ask(id, 'tools/list');
  await ask(id, 'resources/templates/list');
  const { resources } = listsSchema.parse((await ask(id, 'resources/list')) ?? {});
  for (const { uri } of resources.slice(0, 4)) await ask(id, 'resources/read', { uri });
  const { prompts } = listsSchema.parse((await ask(id, 'prompts/list')) ?? {});
  for (const prompt of prompts) {
    const given = Object.fromEntries(prompt.arguments.map(({ name }) => [name, 'x']));
    await ask(id, 'prompts/get', { name: prompt.name, arguments: given });
    const ref = { type: 'ref/prompt', name: prompt.name };
    for (const { name } of prompt.arguments) {
      await ask(id, 'completion/complete', { ref, argument: { name, value: '' } });
    }
  }
  for (const [name, args] of tools) await engine.callTool(id, name, args);
  if (agreement?.era === 'legacy') {
    await engine.call('sessions/ping', { sessionId: id });
    await ask(id, 'logging/setLevel', { level: 'debug' });
  }
  const { findings } = await engine.call('checks/findings', { sessionId: id, from: 0, count: 500 });
  // That nothing is told says little when little was said.
  expect((await engine.session(id)).counts.messages).toBeGreaterThan(20);
  return findings.map(({ rule, text, pointer }) => `${rule} ${pointer}: ${text}`);
}

const everythingTools: [string, object?][] = [
  ['echo', { message: 'hi' }],
  ['get-sum', { a: 1, b: 2 }],
  ['get-annotated-message', { messageType: 'error', includeImage: true }],
  ['get-resource-links', { count: 3 }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
  ['get-structured-content', { location: 'Chicago' }],
  ['get-tiny-image'],
  ['get-roots-list'],
  ['toggle-simulated-logging'],
  ['trigger-long-running-operation', { duration: 1, steps: 4 }],
  ['no-such-tool'],
];

const demoTools: [string, object?][] = [
  ['echo', { message: 'hi' }],
  ['make_picture'],
  ['make_sound'],
  ['link_resource'],
  ['embed_resource'],
  ['mix_content'],
  ['measure_text', { text: 'hi' }],
  ['fail'],
  ['fail_with_protocol_error'],
  ['log_messages'],
  ['list_roots'],
  ['toggle_extra_tool'],
];

const sdkTools: [string, object?][] = [
  ['echo', { message: 'hi' }],
  ['slow', { steps: 3, milliseconds: 1 }],
  ['fail'],
  ['structured'],
  ['routed', { region: 'x' }],
  ['notify'],
];

test.each(['legacy', 'auto'] as const)('server-everything on stdio, %s', async (era) => {
  const session = await engine.connect(commandOf(everything), { era });
  expect(await exercise(session, everythingTools)).toEqual([]);
});

test.each(['streamableHttp', 'sse'] as const)('server-everything over HTTP, %s', async (transport) => {
  expect(await exercise(await over(startEverything(transport)), everythingTools)).toEqual([]);
});

test.each(['legacy', 'auto'] as const)('the demo server, %s', async (era) => {
  const session = await engine.connect(commandOf(demo), { era });
  expect(await exercise(session, demoTools)).toEqual([]);
});

test.each(['legacy', 'modern'] as const)('the official SDK on stdio, %s', async (era) => {
  const session = await engine.connect(sdkOverStdio(era), { era: 'auto', client: answersForms });
  expect(session.agreement?.era).toBe(era);
  expect(await exercise(session, sdkTools)).toEqual([]);
});

test.each(['legacy', 'modern'] as const)('the official SDK over HTTP, %s', async (era) => {
  const session = await over(startSdkServer(era));
  expect(session.agreement?.era).toBe(era);
  expect(await exercise(session, sdkTools)).toEqual([]);
});
