import { setTimeout as delay } from 'node:timers/promises';
import { type CatalogEntry, entryName } from '#shared/contract/catalog.ts';
import { MAX_TRACED_CALLS, type TracedCall } from '#shared/contract/trace.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import type { Emit, Handlers, Params, Result } from '#shared/contract/index.ts';
import type { StepAnswer } from '#shared/contract/replay.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { Catalog } from './compare/catalog-changes.ts';
import type { ListedKind } from './compare/entry-changes.ts';
import { type ComparedSession, compareSessions } from './compare/compare-sessions.ts';
import { parsePattern } from './compare/path-pattern.ts';
import type { TestedSession } from '#testing/tested-session.ts';
import { RecordedSecrets } from './recorded-secrets.ts';
import { RecordedAnswers, replayCalls } from './replay-calls.ts';
import { joinRounds } from './rounds.ts';

interface ReplayOptions {
  /** The requests of a session or an opened trace. */
  readonly readCalls: (
    params: Params<'trace/calls'>,
  ) => Promise<Result<'trace/calls'>> | Result<'trace/calls'>;
  /** A session that runs, ran in this run of the app, or was recorded. @throws FaultError if there is none */
  readonly session: (sessionId: string) => Promise<SessionView> | SessionView;
  readonly lists: Pick<
    Handlers,
    'catalog/tools' | 'catalog/resources' | 'catalog/templates' | 'catalog/prompts'
  >;
  readonly validate: (schema: string, value: string) => Validation;
  /** @throws FaultError if the session is not ready */
  readonly readySession: (sessionId: string) => TestedSession;
  /** What the server of a session or an opened trace asked of the user. */
  readonly questions: (sessionId: string) => Promise<readonly InboxEntry[]> | readonly InboxEntry[];
  /** Calls back when a question comes or changes, until the function it returns is called. */
  readonly onQuestion: (listener: (entry: InboxEntry) => void) => () => void;
  readonly answer: (sessionId: string, entryId: string, answer: InboxAnswer) => void;
  readonly emit: Emit;
}

type ReplayCommand = Extract<keyof Handlers, `${'replay' | 'comparison'}/${string}`>;

/** Replays recordings, and compares sessions and traces. */
export function replayHandlers(options: ReplayOptions): Pick<Handlers, ReplayCommand> {
  /** The runs under way, by session. */
  const runs = new Map<string, { readonly stop: AbortController; step: (answer: StepAnswer) => void }>();
  return {
    'replay/run': async (params) => {
      const {
        recorded,
        sessionId,
        rows,
        allowWrites,
        speed,
        concurrency = 1,
        isStepped,
        variables = {},
      } = params;
      if (runs.has(sessionId)) throw new FaultError(isReplaying);
      const session = options.readySession(sessionId);
      const questions = await options.questions(recorded);
      const calls = await readAllCalls(recorded, options);
      const secrets = new RecordedSecrets(textsOf(calls, questions), variables, session.hideSecret);
      const stop = new AbortController();
      const run = { stop, step: (_: StepAnswer): void => undefined };
      runs.set(sessionId, run);
      const askBefore = ({ row, method, target }: TracedCall, text: string): Promise<StepAnswer> =>
        new Promise((resolve) => {
          run.step = resolve;
          stop.signal.addEventListener('abort', () => resolve('stop'), { once: true });
          options.emit('replay/waiting', { sessionId, recordedRow: row, method, target, params: text });
        });
      const answers = new RecordedAnswers(questions, secrets);
      const end = options.onQuestion((entry) => {
        if (entry.sessionId !== sessionId) return;
        const answer = answers.answerTo(entry);
        if (answer === null) return;
        try {
          options.answer(sessionId, entry.id, answer);
        } catch (error) {
          if (!(error instanceof FaultError)) throw error;
          // The recorded answer does not fit this question.
          options.answer(sessionId, entry.id, { kind: 'decline' });
        }
      });
      try {
        return await replayCalls({ calls, secrets }, session, answers, {
          rows,
          allowWrites,
          speed,
          concurrency,
          askBefore: isStepped === true ? askBefore : null,
          stop: stop.signal,
          onAdvance: (done, total) => options.emit('replay/advanced', { sessionId, done, total }),
        });
      } finally {
        end();
        runs.delete(sessionId);
      }
    },
    'replay/step': ({ sessionId, answer }) => {
      runs.get(sessionId)?.step(answer);
      return null;
    },
    'replay/stop': ({ sessionId }) => {
      runs.get(sessionId)?.stop.abort();
      return null;
    },
    'comparison/compare': async ({ recorded, other, rules, replay }) => {
      const bad = rules.find(({ path }) => parsePattern(path) === null);
      if (bad !== undefined) throw new FaultError(badPath(bad.path));
      const [left, right] = await Promise.all([readSide(recorded, options), readSide(other, options)]);
      // Everything compared was read from the trace, or redacted by the list it is from.
      return compareSessions(left, right, { rules, replay }, options.validate);
    },
  };
}

async function readSide(sessionId: string, options: ReplayOptions): Promise<ComparedSession> {
  const session = await options.session(sessionId);
  const calls = await readAllCalls(sessionId, options);
  return { calls, catalog: await readCatalog(sessionId, session, options.lists) };
}

async function readAllCalls(sessionId: string, options: ReplayOptions): Promise<TracedCall[]> {
  const calls: TracedCall[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page: Result<'trace/calls'> = await options.readCalls({ sessionId, from, count: MAX_TRACED_CALLS });
    calls.push(...page.calls);
    from = page.next;
  }
  return joinRounds(calls);
}

/** What a replay may send of a recording. */
const textsOf = (calls: readonly TracedCall[], questions: readonly InboxEntry[]): string[] => [
  ...calls.flatMap(({ direction, params }) => (direction === 'out' && params !== null ? [params] : [])),
  ...questions.flatMap(({ answer }) => (answer?.content.kind === 'result' ? [answer.content.json] : [])),
];

/** What is compared of a list. */
interface ReadList {
  readonly state: 'not-declared' | 'waiting' | 'loading' | 'ready' | 'failed';
  readonly nextCursor: string | null;
  readonly entries: readonly CatalogEntry[];
}

async function readCatalog(
  sessionId: string,
  { agreement, phase }: SessionView,
  lists: ReplayOptions['lists'],
): Promise<Catalog> {
  const capabilities = agreement?.serverCapabilities ?? null;
  const wholeOf = (capability: string, read: () => Promise<ReadList> | ReadList) =>
    readWhole(read, { isDeclared: isObject(capabilities?.[capability]), isReady: phase === 'ready' });
  const read: Record<ListedKind, readonly CatalogEntry[] | null> = {
    tool: await wholeOf('tools', () => lists['catalog/tools']({ sessionId })),
    resource: await wholeOf('resources', () => lists['catalog/resources']({ sessionId })),
    template: await wholeOf('resources', () => lists['catalog/templates']({ sessionId })),
    prompt: await wholeOf('prompts', () => lists['catalog/prompts']({ sessionId })),
  };
  return { revision: agreement?.revision ?? null, capabilities, lists: read };
}

/** Milliseconds to wait for a list that a session is reading, and between two looks. */
const MAX_LIST_WAIT = 30_000;
const LIST_POLL = 50;

/** The entries of a list; null if it was not read whole. Waits for a session that has just become ready. */
async function readWhole(
  read: () => Promise<ReadList> | ReadList,
  { isDeclared, isReady }: { readonly isDeclared: boolean; readonly isReady: boolean },
): Promise<readonly CatalogEntry[] | null> {
  for (let waited = 0; ; waited += LIST_POLL) {
    const { state, nextCursor, entries } = await read();
    // Before it is read, a list has the state of one that the server does not have.
    const isComing = state === 'loading' || state === 'waiting' || (state === 'not-declared' && isDeclared);
    if (isComing && isReady && waited < MAX_LIST_WAIT) await delay(LIST_POLL);
    else if (isComing || state === 'failed' || nextCursor !== null) return null;
    else return entries.filter((entry) => entryName(entry) !== null);
  }
}

const isReplaying = {
  code: 'already-replaying',
  what: 'A recording is being replayed in this session.',
  next: 'Wait for its end, or stop it.',
};

const badPath = (path: string) => ({
  code: 'bad-path',
  what: `${path} is not a JSON path.`,
  next: 'Write it like $.structuredContent.items[*].id, or $..id for every id.',
});
