import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileFormats } from '#shared/client-formats/table.ts';
import { readConfiguration } from './read-configuration.ts';

const corpus = join(import.meta.dirname, '../../../fixtures/client-configurations');
const samples = fileFormats.flatMap(({ id }) =>
  readdirSync(join(corpus, id)).map((file) => ({
    format: id,
    text: readFileSync(join(corpus, id, file), 'utf8'),
  })),
);

/** A text with a part cut out, repeated, or replaced by characters that mean something. */
const damaged = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(30),
      fc.constantFrom(
        '',
        '"',
        "'",
        '"""',
        '[',
        ']]',
        '{',
        '}',
        '#',
        '\n',
        '\n[',
        ': ',
        '- ',
        '&a ',
        '*a',
        '|\n',
        '\t',
        '\\',
        '=',
        '.',
        '\u0000',
        '\ud800',
        'repeat',
      ),
    )
    .map(([from, length, by]) => {
      const part = text.slice(from, from + length);
      return text.slice(0, from) + (by === 'repeat' ? part + part : by) + text.slice(from + length);
    });

test('a damaged file of any client is read as far as it goes, and never throws', () => {
  const cases = fc
    .constantFrom(...samples)
    .chain(({ format, text }) => fc.tuple(fc.constant(format), damaged(text)));
  fc.assert(
    fc.property(cases, fc.boolean(), ([format, text], isKnown) => {
      const { servers, problems } = readConfiguration(text, { format: isKnown ? format : null });
      const lines = text.split(/\r\n|\n|\r/).length;
      for (const { line } of [...servers, ...problems]) expect(line).toBeLessThanOrEqual(lines);
    }),
    { numRuns: 1500 },
  );
});
