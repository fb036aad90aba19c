import { FaultError } from '#shared/contract/fault.ts';
import type { Handlers } from '#shared/contract/index.ts';
import { testFileFault } from '#shared/contract/saved-calls.ts';
import { convertAssertion } from './mcp-assert.ts';
import { convertCassette } from './mcp-recorder.ts';

/** Converts files of other tools. */
export const convertHandlers = (appVersion: string): Pick<Handlers, 'convert/text'> => ({
  'convert/text': ({ name, text }) => {
    // A cassette is JSON, an assertion YAML.
    const isCassette = /^\ufeff?\s*\{/.test(text);
    const read = isCassette ? convertCassette(text, appVersion) : convertAssertion(name, text);
    if (read.ok) return read.value;
    throw new FaultError({
      ...testFileFault(name, read.errors),
      code: 'bad-foreign-file',
      next: 'Only assertions of mcp-assert (YAML) and cassettes of mcp-recorder (JSON) can be converted.',
    });
  },
});
