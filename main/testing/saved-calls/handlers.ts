import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { Emit, Handlers } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import {
  type CallOutcome,
  type SavedCall,
  TEST_FILE_END,
  type TestFile,
  testFileFault,
} from '#shared/contract/saved-calls.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { TestedSession, Validate } from '#testing/tested-session.ts';
import { withCall, withoutCall } from './edit-test-file.ts';
import { type ReadTestFile, readTestFile } from './read-test-file.ts';
import { runSavedCall } from './run-test-file.ts';

type SavedCallCommand = Extract<keyof Handlers, `saved-calls/${string}`>;

interface SavedCallsOptions {
  /** @throws FaultError if the session is not ready */
  readonly session: (sessionId: string) => TestedSession;
  readonly validate: Validate;
  /** The folder for test files that were dropped on a page. */
  readonly folder: string;
  readonly replaceFile: (path: string, text: string) => Promise<void>;
  readonly emit: Emit;
}

/** Limit of bytes of a test file. */
const MAX_FILE_SIZE = 16 * 1024 * 1024;

/** Reads, changes and runs test files. */
export function savedCallsHandlers(options: SavedCallsOptions): Pick<Handlers, SavedCallCommand> {
  /** The last outcome of each call, by file and name: an index changes when the file is edited. */
  const outcomes = new Map<string, Map<string, Redacted<CallOutcome>>>();

  async function change(path: string, edit: (text: string | null) => string): Promise<TestFile> {
    mustEndAsTestFile(path);
    const text = await textOf(path);
    if (text !== null) mustBeReadable(path, readTestFile(text));
    const changed = edit(text);
    try {
      await mkdir(dirname(path), { recursive: true });
      await options.replaceFile(path, changed);
    } catch (error) {
      throw new FaultError(notWritten(path, error));
    }
    return view(path, changed);
  }

  return {
    'saved-calls/receive': async ({ name, text }) => ({ path: await keep(options.folder, name, text) }),
    'saved-calls/read': async ({ path }) => view(absolute(path), await textOf(absolute(path))),
    'saved-calls/save': ({ path, call, replaces }) => {
      mustBeObject(call);
      return change(absolute(path), (text) => {
        if (replaces !== null) mustBeThere(text, replaces);
        mustBeUnique(text, call.name, replaces?.index ?? null);
        return withCall(text, call, replaces?.index ?? null);
      });
    },
    'saved-calls/remove': ({ path, ...call }) =>
      change(absolute(path), (text) => withoutCall(mustBeThere(text, call), call.index)),
    'saved-calls/outcomes': ({ path }) => [...(outcomes.get(absolute(path))?.values() ?? [])],
    'saved-calls/run': async ({ path: given, sessionId, indexes, variables, allowWrites }) => {
      const path = absolute(given);
      const read = mustBeReadable(path, readTestFile((await textOf(path)) ?? ''));
      const session = options.session(sessionId);
      const values = new Map(Object.entries({ ...read.variables, ...variables }));
      const ofFile = outcomes.get(path) ?? new Map<string, Redacted<CallOutcome>>();
      outcomes.set(path, ofFile);
      const ran: Redacted<CallOutcome>[] = [];
      for (const [index, call] of read.calls.entries()) {
        if (indexes !== null && !indexes.includes(index)) continue;
        const run = { path, sessionId, allowWrites, variables: values, validate: options.validate };
        const outcome = await runSavedCall(session, call, index, run);
        ofFile.set(call.name, outcome);
        ran.push(outcome);
        options.emit('saved-calls/ran', outcome);
      }
      return ran;
    },
  };
}

/** Writes a file under its name, or a numbered one if another file has it; returns its path. @throws FaultError */
async function keep(folder: string, name: string, text: string): Promise<string> {
  mustEndAsTestFile(name);
  // A name of a file, not a path.
  const stem = name.slice(0, -TEST_FILE_END.length).replaceAll(/[^\p{L}\p{N} ._-]+/gu, '-') || 'dropped';
  for (let number = 1; ; number++) {
    const path = join(folder, `${stem}${number === 1 ? '' : ` ${number}`}${TEST_FILE_END}`);
    try {
      if ((await textOf(path)) === text) return path;
      await mkdir(folder, { recursive: true });
      await writeFile(path, text, { flag: 'wx' });
      return path;
    } catch (error) {
      if (error instanceof FaultError) throw error;
      if (systemCodeOf(error) !== 'EEXIST') throw new FaultError(notWritten(path, error));
    }
  }
}

function view(path: string, text: string | null): TestFile {
  if (text === null) return { path, exists: false, variables: {}, calls: [], errors: [] };
  const read = readTestFile(text);
  if (!read.ok) return { path, exists: true, variables: {}, calls: [], errors: [...read.errors] };
  const calls = read.calls.map(({ places: _, variableUses: __, ...call }) => call);
  return { path, exists: true, variables: { ...read.variables }, calls, errors: [] };
}

/** The text of a file; null if it does not exist. @throws FaultError */
async function textOf(path: string): Promise<string | null> {
  try {
    const bytes = await readFile(path);
    if (bytes.length <= MAX_FILE_SIZE) return bytes.toString('utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw new FaultError({
      code: 'test-file-not-read',
      what: `The file ${path} cannot be read.`,
      why: messageOf(error),
    });
  }
  throw new FaultError({ code: 'test-file-not-read', what: `The file ${path} is larger than 16 MB.` });
}

function mustBeReadable(path: string, read: ReadTestFile): ReadTestFile & { ok: true } {
  if (!read.ok) throw new FaultError(testFileFault(path, read.errors));
  return read;
}

function absolute(path: string): string {
  if (isAbsolute(path)) return normalize(path);
  throw new FaultError({
    code: 'bad-test-file-path',
    what: `The path ${path} is not absolute.`,
    next: 'Name the file by its full path.',
  });
}

/** The page may write test files only. */
function mustEndAsTestFile(path: string): void {
  if (path.endsWith(TEST_FILE_END)) return;
  throw new FaultError({
    code: 'bad-test-file-path',
    what: `The name of a test file ends with ${TEST_FILE_END}; ${path} does not.`,
    next: `Add ${TEST_FILE_END} to the name.`,
  });
}

/** Returns the text of the file. */
function mustBeThere(
  text: string | null,
  { index, name }: { readonly index: number; readonly name: string },
): string {
  const read = readTestFile(text ?? '');
  if (text !== null && read.ok && read.calls[index]?.name === name) return text;
  throw new FaultError(notThere(name));
}

function mustBeUnique(text: string | null, name: string, index: number | null): void {
  const read = readTestFile(text ?? '');
  if (!read.ok || !read.calls.some((one, at) => one.name === name && at !== index)) return;
  throw new FaultError({
    code: 'saved-call-exists',
    what: `The file already has a call named "${name}".`,
    next: 'Choose another name.',
  });
}

function mustBeObject({ arguments: args }: SavedCall): void {
  try {
    if (isObject(JSON.parse(args))) return;
  } catch {
    // Reported below.
  }
  throw new FaultError({
    code: 'bad-arguments',
    what: 'The arguments are not a JSON object, so the call is not saved.',
  });
}

const notThere = (name: string): Fault => ({
  code: 'no-such-saved-call',
  what: `The file no longer has the call "${name}" at this place.`,
  why: 'It was changed since it was read.',
  next: 'Read it again.',
});

const notWritten = (path: string, error: unknown): Fault => ({
  code: 'test-file-not-written',
  what: `The file ${path} cannot be written.`,
  why: messageOf(error),
  next: 'Choose another file.',
});
