import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { type Fault, FaultError, systemCodeOf } from '#shared/contract/fault.ts';
import {
  MAX_LISTED_FILES,
  type SavedCall,
  TEST_FILE_END,
  type TestFile,
  testFileFault,
} from '#shared/contract/saved-calls.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { ReadCall, ReadTestFile } from './read-test-file.ts';
import { notWritten, readSnapshot, snapshotPath, textOfFile } from './snapshot-files.ts';

/** The expected result, from the file or its snapshot; null if none is expected, or the snapshot is missing. */
export async function expectedResult(path: string, { expect }: ReadCall): Promise<string | null> {
  if (expect.snapshot === null) return expect.result;
  const text = await readSnapshot(path, expect.snapshot);
  if (text === null) return null;
  try {
    if (isObject(JSON.parse(text))) return text;
  } catch {
    // Reported below.
  }
  throw new FaultError({
    code: 'bad-test-file',
    what: `The snapshot ${snapshotPath(path, expect.snapshot)} is not a JSON object.`,
    next: 'Remove it, and run the test with --update.',
  });
}

/** The names of the test files in a folder; none if it cannot be read. */
export async function listTestFiles(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith(TEST_FILE_END))
      .sort()
      .slice(0, MAX_LISTED_FILES);
  } catch (error) {
    // The page names the folder of a file that need not exist yet.
    if (systemCodeOf(error) !== null) return [];
    throw error;
  }
}

/** Writes a file under its name, or a numbered one if another file has it; returns its path. @throws FaultError */
export async function keepTestFile(folder: string, name: string, text: string): Promise<string> {
  mustEndAsTestFile(name);
  // A name of a file, not a path.
  const stem = name.slice(0, -TEST_FILE_END.length).replaceAll(/[^\p{L}\p{N} ._-]+/gu, '-') || 'dropped';
  for (let number = 1; ; number++) {
    const path = join(folder, `${stem}${number === 1 ? '' : ` ${number}`}${TEST_FILE_END}`);
    try {
      if ((await textOfFile(path)) === text) return path;
      await mkdir(folder, { recursive: true });
      await writeFile(path, text, { flag: 'wx' });
      return path;
    } catch (error) {
      if (error instanceof FaultError) throw error;
      if (systemCodeOf(error) !== 'EEXIST') throw new FaultError(notWritten(path, error));
    }
  }
}

export function testFileView(path: string, read: ReadTestFile | null): TestFile {
  if (read === null) return { path, exists: false, variables: {}, target: null, calls: [], errors: [] };
  if (!read.ok)
    return { path, exists: true, variables: {}, target: null, calls: [], errors: [...read.errors] };
  const calls = read.calls.map(({ places: _, variableUses: __, ...call }) => call);
  return { path, exists: true, variables: { ...read.variables }, target: read.target, calls, errors: [] };
}

export function mustBeReadable(path: string, read: ReadTestFile): ReadTestFile & { ok: true } {
  if (!read.ok) throw new FaultError(testFileFault(path, read.errors));
  return read;
}

export function absolutePath(path: string): string {
  if (isAbsolute(path)) return normalize(path);
  throw new FaultError({
    code: 'bad-test-file-path',
    what: `The path ${path} is not absolute.`,
    next: 'Name the file by its full path.',
  });
}

/** The page may write test files only. */
export function mustEndAsTestFile(path: string): void {
  if (path.endsWith(TEST_FILE_END)) return;
  throw new FaultError({
    code: 'bad-test-file-path',
    what: `The name of a test file ends with ${TEST_FILE_END}; ${path} does not.`,
    next: `Add ${TEST_FILE_END} to the name.`,
  });
}

/** Returns the call. @param read null if there is no file */
export function mustBeThere(
  read: ReadTestFile | null,
  { index, name }: { readonly index: number; readonly name: string },
): ReadCall {
  const call = read?.ok === true ? read.calls[index] : undefined;
  if (call?.name === name) return call;
  throw new FaultError(notThere(name));
}

/** @param read null if there is no file */
export function mustBeUnique(read: ReadTestFile | null, name: string, index: number | null): void {
  if (read?.ok !== true || !read.calls.some((one, at) => one.name === name && at !== index)) return;
  throw new FaultError({
    code: 'saved-call-exists',
    what: `The file already has a call named "${name}".`,
    next: 'Choose another name.',
  });
}

export function mustBeObject({ arguments: args }: SavedCall): void {
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
