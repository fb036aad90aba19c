import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { accepted, sampled } from '#fixtures/engine/inbox-answers.ts';
import { connectLegacy, connectModern, type FeatureSession } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';

async function engine(): Promise<EngineFixture> {
  const opened = await EngineFixture.open();
  onTestFinished(() => opened.close());
  return opened;
}

function owned({ session, close }: FeatureSession): string {
  onTestFinished(close);
  return session.id;
}

const waiting = (live: EngineFixture, sessionId: string, count: number) =>
  live.until(async () => {
    const entries = await live.call('inbox/list', { sessionId });
    const open = entries.filter(({ state }) => state === 'waiting');
    return open.length === count ? open : null;
  });
const answer = (live: EngineFixture, entry: InboxEntry | undefined, said: InboxAnswer) =>
  live.call('inbox/answer', { sessionId: entry?.sessionId ?? '', entryId: entry?.id ?? '', answer: said });

/** What the list of questions shows of both; a trace does not hold who answered in place of the user. */
const shown = (entries: readonly InboxEntry[]) =>
  entries.map(({ method, params, by, key, row, state, answer: given, responseRow, completedRow }) => ({
    method,
    params,
    by,
    key,
    row,
    state,
    content: given?.content.kind === 'defaults' ? 'defaults' : given?.content,
    isByUser: given?.by === 'user' || given?.by === 'recorded',
    responseRow,
    completedRow,
  }));

/** Ends a session and opens its trace in another engine; returns the questions before and after. */
async function recorded(live: EngineFixture, sessionId: string) {
  await live.call('sessions/close', { sessionId });
  const ended = await live.settled(sessionId, ['closed', 'failed']);
  const before = await live.call('inbox/list', { sessionId });
  const later = await engine();
  const path = join(later.folder, 'recorded.mcptrace');
  await copyFile(ended.traceFile.path, path);
  const opened = await later.call('traces/open', { path });
  await later.until(async () => {
    const all = await later.call('traces/opened', {});
    return all.find((one) => one.sessionId === opened.sessionId)?.isRead ? true : null;
  });
  return { before, after: await later.call('inbox/list', { sessionId: opened.sessionId }) };
}

test.each(['stdio', 'streamable-http'] as const)(
  'legacy over %s: a trace shows the Inbox as it was',
  async (transport) => {
    const live = await engine();
    const id = owned(await connectLegacy(live, transport));
    const start = (tool: string) => live.startTool(id, tool, {});
    const first = await start('ask-sampling');
    await answer(live, (await waiting(live, id, 1))[0], sampled);
    await live.ended(id, first.id);
    const second = await start('ask-elicitation');
    await answer(live, (await waiting(live, id, 1))[0], { kind: 'decline' });
    await live.ended(id, second.id);
    const third = await start('ask-sampling');
    await answer(live, (await waiting(live, id, 1))[0], { kind: 'error', code: -5, message: 'no' });
    await live.ended(id, third.id);
    const roots = await start('ask-roots');
    await live.ended(id, roots.id);
    await live.callTool(id, 'ask-and-cancel');
    const { before, after } = await recorded(live, id);
    expect(before.map(({ state }) => state)).toEqual([
      ...Array.from({ length: 4 }, () => 'answered'),
      'withdrawn',
    ]);
    const byUser = (entries: readonly InboxEntry[]) =>
      shown(entries).filter(({ method }) => method !== 'roots/list');
    expect(byUser(after)).toEqual(byUser(before));
    expect(after.find(({ method }) => method === 'roots/list')?.answer).toEqual({
      content: { kind: 'result', json: '{"roots":[]}' },
      by: 'recorded',
    });
    expect(after.slice(0, 3).map(({ callId }) => callId)).toEqual([
      expect.stringMatching(/^row-\d+$/),
      expect.stringMatching(/^row-\d+$/),
      expect.stringMatching(/^row-\d+$/),
    ]);
  },
);

test('modern: input of several rounds is shown with its answers', async () => {
  const live = await engine();
  const id = owned(await connectModern(live, 'stdio'));
  const call = await live.startTool(id, 'ask-two', {});
  const [one, other] = await waiting(live, id, 2);
  await answer(live, one, one?.method === 'sampling/createMessage' ? sampled : accepted({ name: 'Ada' }));
  await answer(live, other, other?.method === 'sampling/createMessage' ? sampled : accepted({ name: 'Ada' }));
  await live.ended(id, call.id);
  const { before, after } = await recorded(live, id);
  expect(before).toHaveLength(2);
  expect(shown(after)).toEqual(shown(before));
});
