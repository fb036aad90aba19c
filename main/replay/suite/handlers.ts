import { access, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { FaultError, systemCodeOf } from '#shared/contract/fault.ts';
import type { Handlers, Params, Result } from '#shared/contract/index.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { TEST_FILE_END } from '#shared/contract/saved-calls.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { newTestFile } from '#testing/saved-calls/edit-test-file.ts';
import {
  absolutePath,
  mustEndAsTestFile,
  notWritten,
  snapshotPath,
} from '#testing/saved-calls/test-files.ts';
import { snapshotNameOf, snapshotTextOf, needsSnapshot } from '#testing/saved-calls/update-test-file.ts';
import { suiteOf } from './suite-of-calls.ts';

interface SuiteOptions {
  /** The requests of a session or an opened trace. */
  readonly readCalls: (sessionId: string) => Promise<readonly TracedCall[]>;
  /** What the server of a session or an opened trace asked of the user. */
  readonly questions: (sessionId: string) => Promise<readonly InboxEntry[]> | readonly InboxEntry[];
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
      const session = {
        calls: await options.readCalls(sessionId),
        questions: await options.questions(sessionId),
      };
      const { calls, variables, leftOut } = await suiteOf(session, (row) =>
        finalResult(options, sessionId, row),
      );
      const snapshots: { name: string; text: string }[] = [];
      const written = calls.map((call) => {
        const { result } = call.expect;
        if (result === null || !needsSnapshot(result)) return call;
        const name = snapshotNameOf(path, call.name);
        snapshots.push({ name, text: snapshotTextOf(result) });
        return { ...call, expect: { ...call.expect, result: null, snapshot: name } };
      });
      const text = newTestFile(written, commentOf(path, variables));
      try {
        await mkdir(dirname(path), { recursive: true });
        for (const snapshot of snapshots) {
          const to = snapshotPath(path, snapshot.name);
          await mkdir(dirname(to), { recursive: true });
          await writeFile(to, snapshot.text);
        }
        await writeFile(path, text, { flag: 'wx' });
      } catch (error) {
        throw new FaultError(notWritten(path, error));
      }
      return { calls: calls.length, variables: [...variables], leftOut: [...leftOut] };
    },
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
  throw new FaultError({
    code: 'test-file-exists',
    what: `The file ${path} exists already.`,
    next: `Name another file that ends with ${TEST_FILE_END}.`,
  });
}
