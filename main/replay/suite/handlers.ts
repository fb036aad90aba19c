import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { type Fault, FaultError, systemCodeOf } from '#shared/contract/fault.ts';
import type { Handlers, Params, Result } from '#shared/contract/index.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { TEST_FILE_END } from '#shared/contract/saved-calls.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { newTestFile } from '#testing/saved-calls/edit-test-file.ts';
import { notWritten, textOfFile, writeSnapshot } from '#testing/saved-calls/snapshot-files.ts';
import { absolutePath, mustEndAsTestFile } from '#testing/saved-calls/test-files.ts';
import { snapshotNameOf, snapshotTextOf, needsSnapshot } from '#testing/saved-calls/update-test-file.ts';
import { type RecordedSession, suiteOf, withFinalResults } from './suite-of-calls.ts';

interface SuiteOptions {
  /** The requests of a session or an opened trace. */
  readonly readCalls: (sessionId: string) => Promise<readonly TracedCall[]>;
  /** What the server of a session or an opened trace asked of the user. */
  readonly questions: (sessionId: string) => Promise<readonly InboxEntry[]> | readonly InboxEntry[];
  /** Replaces secrets in JSON texts, which stay JSON. */
  readonly redact: (texts: readonly string[]) => {
    readonly texts: readonly string[];
    readonly replaced: number;
  };
  /** The final result of a recorded call. */
  readonly result: (
    params: Params<'calls/result'>,
  ) => Promise<Result<'calls/result'>> | Result<'calls/result'>;
}

/** Writes test files of recordings. */
export function suiteHandlers(options: SuiteOptions): Pick<Handlers, 'saved-calls/from-trace'> {
  return {
    'saved-calls/from-trace': async ({ path: given, sessionId }) => {
      const path = absolutePath(given);
      mustEndAsTestFile(path);
      await mustNotExist(path);
      const recorded = {
        calls: await options.readCalls(sessionId),
        questions: await options.questions(sessionId),
      };
      const ended = await withFinalResults(recorded, (row) => finalResult(options, sessionId, row));
      const { session, replaced } = withoutSecrets(ended, options.redact);
      const { calls, variables, leftOut } = suiteOf(session);
      const snapshots: { name: string; text: string }[] = [];
      const written = calls.map((call) => {
        const { result } = call.expect;
        if (result === null || !needsSnapshot(result)) return call;
        const name = snapshotNameOf(path, call.name);
        snapshots.push({ name, text: snapshotTextOf(result) });
        return { ...call, expect: { ...call.expect, result: null, snapshot: name } };
      });
      const text = newTestFile(written, commentOf(path, variables));
      await writeNew(path, text);
      try {
        for (const snapshot of snapshots) await writeSnapshot(path, snapshot, writeNew);
      } catch (error) {
        // With the snapshots of others, the file would expect what was never recorded.
        await rm(path);
        throw error;
      }
      return { calls: calls.length, variables: [...variables], replaced, leftOut: [...leftOut] };
    },
  };
}

/** A session in whose texts secrets are replaced by placeholders. */
function withoutSecrets(
  { calls, questions }: RecordedSession,
  redact: SuiteOptions['redact'],
): { readonly session: RecordedSession; readonly replaced: number } {
  const texts = [
    ...calls.flatMap(({ params, response, target }) => [
      params ?? 'null',
      response ?? 'null',
      JSON.stringify(target),
    ]),
    ...questions.map(({ answer }) => (answer?.content.kind === 'result' ? answer.content.json : 'null')),
  ];
  const redacted = redact(texts);
  const next = redacted.texts.values();
  const take = (): string => next.next().value ?? 'null';
  const taken = (before: string | null): string | null => {
    const text = take();
    return before === null ? null : text;
  };
  return {
    session: {
      calls: calls.map((call) => ({
        ...call,
        params: taken(call.params),
        response: taken(call.response),
        target: z.string().nullable().parse(JSON.parse(take())),
      })),
      questions: questions.map((entry) => {
        const json = take();
        const content = entry.answer?.content;
        return entry.answer === null || content?.kind !== 'result'
          ? entry
          : { ...entry, answer: { ...entry.answer, content: { ...content, json } } };
      }),
    },
    replaced: redacted.replaced,
  };
}

/** The result of a call with all its rounds, or of its task; null if there is none. */
async function finalResult(options: SuiteOptions, sessionId: string, row: number): Promise<string | null> {
  try {
    let whole = '';
    for (;;) {
      const part = await options.result({ sessionId, callId: `row-${row}`, from: whole.length });
      if (part.text === null) return whole === '' ? null : whole;
      whole += part.text;
      if (!part.truncated) return whole;
    }
  } catch (error) {
    // It is not among the calls that are read with their results.
    if (error instanceof FaultError) return null;
    throw error;
  }
}

const commentOf = (path: string, variables: readonly string[]): string =>
  [
    `Calls of a recorded session. Run them with: sightglass test ${basename(path)} -- COMMAND`,
    ...(variables.length === 0
      ? []
      : [
          `The recording does not have these secrets; set each with --var NAME, which takes the variable of the environment: ${variables.join(', ')}`,
        ]),
  ].join('\n');

async function mustNotExist(path: string): Promise<void> {
  try {
    await access(path);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return;
    throw new FaultError(notWritten(path, error));
  }
  throw new FaultError(fileExists(path));
}

/** Writes a file that does not exist, or that has this text already. @throws FaultError */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw new FaultError(notWritten(path, error));
    if ((await textOfFile(path)) !== text) throw new FaultError(fileExists(path));
  }
}

const fileExists = (path: string): Fault => ({
  code: 'test-file-exists',
  what: `The file ${path} exists already.`,
  next: `Name another file that ends with ${TEST_FILE_END}.`,
});
