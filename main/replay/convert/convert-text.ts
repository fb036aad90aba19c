import type { Converted } from '#shared/contract/convert.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { testFileFault } from '#shared/contract/saved-calls.ts';
import { convertAssertion } from './mcp-assert.ts';
import { convertCassette } from './mcp-recorder.ts';

export interface TextToConvert {
  /** Of the file, for its errors. */
  readonly name: string;
  readonly text: string;
  readonly appVersion: string;
}

/** Converts a file of another tool. @throws FaultError if it is not such a file */
export function convertText({ name, text, appVersion }: TextToConvert): Converted {
  // A cassette is JSON, an assertion YAML.
  const isCassette = /^\ufeff?\s*\{/.test(text);
  const read = isCassette ? convertCassette(text, appVersion) : convertAssertion(name, text);
  if (read.ok) return read.value;
  throw new FaultError({
    ...testFileFault(name, read.errors),
    code: 'bad-foreign-file',
    next: 'Only assertions of mcp-assert (YAML) and cassettes of mcp-recorder (JSON) can be converted.',
  });
}
