import type { FileEdit } from './edit-test-file.ts';
import type { ReadTestFile } from './read-test-file.ts';
import type { FileUpdate, UpdatedFile } from './update-test-file.ts';

/** Work on the text of a test file, done where it holds up nothing else. @throws FaultError if that takes too long */
export interface TestFileWork {
  readonly read: (text: string) => Promise<ReadTestFile>;
  readonly edit: (edit: FileEdit) => Promise<string>;
  readonly update: (update: FileUpdate) => Promise<UpdatedFile>;
}
