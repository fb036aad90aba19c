import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Emit, Handlers, Params } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { CallOutcome, RemovedCall, TestFile, UpdateChoice } from '#shared/contract/saved-calls.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import type { MatchesPattern, TestedSession, Validate } from '#testing/tested-session.ts';
import type { CompareResults } from './check-call.ts';
import type { FileEdit } from './edit-test-file.ts';
import { QuestionAnswers } from './question-answers.ts';
import { Wire, type WireOptions } from './raw-and-wait.ts';
import type { ReadTestFile } from './read-test-file.ts';
import { outcomeOf, type RanCall, runRounds } from './run-rounds.ts';
import { type Answered, assess } from './run-saved-call.ts';
import { notWritten, textOfFile, writeSnapshot } from './snapshot-files.ts';
import {
  absolutePath,
  expectedResult,
  keepTestFile,
  listTestFiles,
  mustBeObject,
  mustBeReadable,
  mustBeThere,
  mustBeUnique,
  mustEndAsTestFile,
  testFileView,
} from './test-files.ts';
import type { TestFileWork } from './test-file-work.ts';
import type { Updated } from './update-test-file.ts';

type SavedCallCommand = Exclude<Extract<keyof Handlers, `saved-calls/${string}`>, 'saved-calls/from-trace'>;

export interface SavedCallsOptions extends WireOptions {
  /** @throws FaultError if the session is not ready */
  readonly session: (sessionId: string) => TestedSession;
  readonly validate: Validate;
  readonly matches: MatchesPattern;
  readonly compareResults: CompareResults;
  /** Why a session failed; null if it did not. */
  readonly endFault: (sessionId: string) => Fault | null;
  /** Calls back when a question of a server comes or changes, until the function it returns is called. */
  readonly onQuestion: (listener: (entry: InboxEntry) => void) => () => void;
  readonly answer: (sessionId: string, entryId: string, answer: InboxAnswer) => void;
  /** The folder for test files that were dropped on a page. */
  readonly folder: string;
  readonly replaceFile: (path: string, text: string) => Promise<void>;
  /** Notes that a step is about to be removed from its file. */
  readonly noteRemoval: (name: string, removed: RemovedCall) => Promise<void>;
  readonly files: TestFileWork;
  readonly emit: Emit;
}

/**
 * Brings back a step that was removed from a test file: the whole text if nothing else has changed, else the step with its
 * comments in its place. @throws FaultError if the file cannot be written, or has a step of this name again
 */
export async function restoreCall(
  { path, index, name, before, after }: RemovedCall,
  { files, replaceFile }: Pick<SavedCallsOptions, 'files' | 'replaceFile'>,
): Promise<void> {
  const text = await textOfFile(path);
  if (text === before) return;
  if (text !== null) mustBeUnique(mustBeReadable(path, await files.read(text)), name, null);
  const restored =
    text === after ? before : await files.edit({ kind: 'restore', text, earlier: before, index });
  try {
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, restored);
  } catch (error) {
    throw new FaultError(notWritten(path, error));
  }
}

/** Reads, changes and runs test files. */
export function savedCallsHandlers(options: SavedCallsOptions): Pick<Handlers, SavedCallCommand> {
  const { files } = options;
  /** The last outcome of each call, by file and name: an index changes when the file is edited. */
  const outcomes = new Map<string, Map<string, Redacted<CallOutcome>>>();
  /** The last answer to each call, by file and name. */
  const answers = new Map<string, Map<string, Answered>>();
  /** What the calls of a file captured when they ran last, so that one of them can run alone. */
  const captured = new Map<string, ReadonlyMap<string, string>>();
  const questionAnswers = new QuestionAnswers(options);

  function note(path: string, outcome: Redacted<CallOutcome>): void {
    const ofFile = outcomes.get(path) ?? new Map<string, Redacted<CallOutcome>>();
    keepNewest(outcomes, path, ofFile.set(outcome.name, outcome));
    options.emit('saved-calls/ran', outcome);
  }

  /** The file as it is; null if there is none. */
  async function readAt(path: string): Promise<ReadTestFile | null> {
    const text = await textOfFile(path);
    return text === null ? null : files.read(text);
  }

  async function change(
    path: string,
    edit: (text: string | null, read: ReadTestFile | null) => FileEdit,
  ): Promise<TestFile> {
    mustEndAsTestFile(path);
    const text = await textOfFile(path);
    const read = text === null ? null : mustBeReadable(path, await files.read(text));
    const changed = await files.edit(edit(text, read));
    await replace(path, changed);
    return testFileView(path, await files.read(changed));
  }

  async function replace(path: string, text: string): Promise<void> {
    try {
      await mkdir(dirname(path), { recursive: true });
      await options.replaceFile(path, text);
    } catch (error) {
      throw new FaultError(notWritten(path, error));
    }
  }

  /** Writes what calls brought to the file; returns what was changed, and what was refused, by name of the call. */
  async function update(
    path: string,
    ran: readonly RanCall[],
    choice: UpdateChoice,
    learns: boolean,
  ): Promise<ReadonlyMap<string, Updated>> {
    const text = (await textOfFile(path)) ?? '';
    const read = mustBeReadable(path, await files.read(text));
    // Somebody may have edited the file while its calls ran.
    const known = ran.filter(({ index, call }) => read.calls[index]?.name === call.name);
    const currents = await Promise.all(known.map(({ call }) => expectedResult(path, call)));
    const updated = await files.update({
      path,
      text,
      ran: known.map(({ index, call, attempts }, place) => ({
        index,
        call,
        attempts: attempts.map(({ answered }) => ({ answered })),
        current: currents[place] ?? null,
      })),
      choice,
      learns,
    });
    for (const snapshot of updated.snapshots) await writeSnapshot(path, snapshot, replace);
    if (updated.text !== null) await replace(path, updated.text);
    return updated.updates;
  }

  async function run({
    path: given,
    sessionId,
    indexes,
    variables: set,
    secrets = [],
    allowWrites,
    repeat = 1,
    retries = 0,
    bail = false,
    update: choice = 'none',
    learns = false,
  }: Params<'saved-calls/run'>): Promise<Redacted<CallOutcome>[]> {
    const path = absolutePath(given);
    const read = mustBeReadable(path, await files.read((await textOfFile(path)) ?? ''));
    const session = options.session(sessionId);
    const ofAnswers = answers.get(path) ?? new Map<string, Answered>();
    keepNewest(answers, path, ofAnswers);
    // Calls that were renamed or removed since the last run.
    for (const kept of [ofAnswers, outcomes.get(path)]) forgetOthers(kept, read.calls);
    const earlier = indexes === null ? [] : (captured.get(`${sessionId} ${path}`) ?? []);
    const all = { path, sessionId };
    const variables = new Map([...Object.entries(read.variables), ...earlier, ...Object.entries(set)]);
    const rounds = await runRounds(session, read.calls, {
      ...all,
      indexes,
      allowWrites,
      repeat,
      retries,
      bail,
      keepsAnswers: choice !== 'none' || learns,
      variables,
      secrets,
      validate: options.validate,
      matches: options.matches,
      compareResults: options.compareResults,
      endFault: options.endFault,
      wire: new Wire(options, sessionId),
      answers: questionAnswers,
      expectedResult: (call) => expectedResult(path, call),
      onRan: (outcome) => note(path, outcome),
    });
    // All others come from the file, which may have changed by the next run.
    const names = new Set(read.calls.flatMap(({ capture }) => Object.keys(capture)));
    const ofRun = new Map([...rounds.variables].filter(([name]) => names.has(name)));
    keepNewest(captured, `${sessionId} ${path}`, ofRun);
    for (const { call, attempts } of rounds.ran) {
      const last = attempts.at(-1)?.answered ?? null;
      if (last !== null) ofAnswers.set(call.name, last);
    }
    const updated =
      choice === 'none' && !learns
        ? new Map<string, Updated>()
        : await update(path, rounds.ran, choice, learns);
    const ended = updated.size === 0 ? rounds.ran : await assessAgain(path, rounds.ran, options);
    return ended.map((one) => {
      const ofCall = updated.get(one.call.name);
      const outcome = outcomeOf(one, session, all, ofCall);
      if (ofCall !== undefined) note(path, outcome);
      return outcome;
    });
  }

  return {
    'saved-calls/receive': async ({ name, text }) => ({
      path: await keepTestFile(options.folder, name, text),
    }),
    'saved-calls/read': async ({ path }) =>
      testFileView(absolutePath(path), await readAt(absolutePath(path))),
    'saved-calls/files': ({ path }) => listTestFiles(dirname(absolutePath(path))),
    'saved-calls/save': ({ path, call, replaces }) => {
      mustBeObject(call);
      return change(absolutePath(path), (text, read) => {
        if (replaces !== null) mustBeThere(read, replaces);
        mustBeUnique(read, call.name, replaces?.index ?? null);
        return { kind: 'put', text, call, index: replaces?.index ?? null };
      });
    },
    'saved-calls/remove': async ({ path: given, ...call }) => {
      const path = absolutePath(given);
      mustEndAsTestFile(path);
      const before = (await textOfFile(path)) ?? '';
      mustBeThere(mustBeReadable(path, await files.read(before)), call);
      const after = await files.edit({ kind: 'remove', text: before, index: call.index });
      await options.noteRemoval(call.name, { path, ...call, before, after });
      await replace(path, after);
      return testFileView(path, await files.read(after));
    },
    'saved-calls/outcomes': ({ path }) => [...(outcomes.get(absolutePath(path))?.values() ?? [])],
    'saved-calls/run': run,
    'saved-calls/accept': async ({ path: given, ...known }) => {
      const path = absolutePath(given);
      mustEndAsTestFile(path);
      const call = mustBeThere(await readAt(path), known);
      const answered = answers.get(path)?.get(known.name);
      if (answered === undefined) throw new FaultError(noAnswer(known.name));
      const attempt = {
        state: 'failed',
        failures: [],
        warnings: [],
        ignored: [],
        reason: null,
        answered,
        round: 0,
        at: Date.now(),
      } as const;
      const accepted = { index: known.index, call, attempts: [attempt] };
      const updated = await update(path, [accepted], 'all', false);
      const [again] = await assessAgain(path, [accepted], options);
      const [now] = again?.attempts ?? [];
      const before = outcomes.get(path)?.get(known.name);
      if (before !== undefined && now !== undefined) {
        // Its session may have ended; the answer was kept without its secrets.
        const outcome = {
          ...before,
          state: now.state,
          failures: [...now.failures],
          ignored: [...now.ignored],
          updated: [...(updated.get(known.name)?.changes ?? [])],
          notUpdated: null,
          canAccept: now.state === 'failed',
        };
        note(path, outcome);
      }
      return testFileView(path, await readAt(path));
    },
  };
}

/** Test files of which the last run is kept. */
const MAX_KEPT = 100;

/** Keeps an entry as the newest, and forgets the oldest beyond the limit. */
function keepNewest<V>(entries: Map<string, V>, key: string, value: V): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > MAX_KEPT && oldest !== undefined) entries.delete(oldest);
}

/** Forgets what is known by the names of other calls than these. */
function forgetOthers(
  entries: Map<string, unknown> | undefined,
  calls: readonly { readonly name: string }[],
): void {
  const names = new Set(calls.map(({ name }) => name));
  for (const name of entries?.keys() ?? []) if (!names.has(name)) entries?.delete(name);
}

/** Compares what calls brought with the file as it is now. */
async function assessAgain(
  path: string,
  ran: readonly RanCall[],
  options: Pick<SavedCallsOptions, 'validate' | 'matches' | 'compareResults' | 'files'>,
): Promise<RanCall[]> {
  const read = mustBeReadable(path, await options.files.read((await textOfFile(path)) ?? ''));
  return Promise.all(
    ran.map(async (one) => {
      const call = read.calls[one.index];
      if (call?.name !== one.call.name) return one;
      const result = await expectedResult(path, call);
      const attempts = one.attempts.map(({ answered, ...attempt }) =>
        answered === null
          ? { ...attempt, answered }
          : {
              ...assess(call, answered, { ...options, expectedResult: result }),
              round: attempt.round,
              at: attempt.at,
            },
      );
      return { ...one, call, attempts };
    }),
  );
}

const noAnswer = (name: string): Fault => ({
  code: 'no-answer',
  what: `There is no answer to the call "${name}" that could be accepted.`,
  next: 'Run it first.',
});
