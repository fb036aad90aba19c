import { expect, test } from 'vitest';
import { pdfFacts, readContents } from './read-contents.ts';

const contents = (...list: readonly unknown[]) => readContents(JSON.stringify({ contents: list }))?.contents;

test('text and blobs are read with their size in bytes', () => {
  expect(
    contents({ uri: 'x://a', mimeType: 'text/plain', text: 'é' }, { uri: 'x://b', blob: 'AAEC' }),
  ).toMatchObject([
    { uri: 'x://a', mimeType: 'text/plain', body: { kind: 'text', text: 'é', size: 2 }, errors: [] },
    { uri: 'x://b', mimeType: null, body: { kind: 'blob', data: 'AAEC', size: 3 }, errors: [] },
  ]);
});

test('what is wrong with one part is said, and hides no other', () => {
  expect(
    contents(
      5,
      { text: 'a' },
      { uri: 'x://', text: 'a', blob: 'AA==' },
      { uri: 'x://' },
      { uri: 'x://', blob: '?' },
    )?.map(({ errors }) => errors),
  ).toEqual([
    ['It is not an object.'],
    ['It has no "uri", which is required.'],
    ['It has both "text" and "blob"; the text is shown.'],
    ['It has neither "text" nor "blob".'],
    ['The blob is not base64: the character "?" is not one of base64.'],
  ]);
});

test('a part is kept as it was written', () => {
  expect(readContents('{"contents":[{"uri":"x://a","text":"", "n":1.0}]}')?.contents[0]?.raw).toBe(
    '{"uri":"x://a","text":"", "n":1.0}',
  );
});

test('says what is wrong with the whole', () => {
  expect(readContents('{}')?.errors).toEqual(['It has no "contents", which is required.']);
  expect(readContents('{"contents":{}}')?.errors).toEqual(['"contents" is not a list.']);
  expect(readContents('{"contents":[]}')?.errors).toEqual(['The list of contents is empty.']);
  for (const text of ['', '[]', 'null']) expect(readContents(text)).toBeNull();
});

test('the facts of a PDF', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const pages = '<< /Type /Pages >> << /Type /Page >> << /Type/Page\n>>';
  expect(pdfFacts(bytes(`%PDF-1.7\n${pages}\n%%EOF`))).toEqual(['PDF 1.7', '2 pages']);
  expect(pdfFacts(bytes('%PDF-2.0 /Encrypt 5 /JS (x)'))).toEqual([
    'PDF 2.0',
    'pages in compressed objects',
    'encrypted',
    'contains JavaScript',
    'cut short: the end is missing',
  ]);
  expect(pdfFacts(bytes('plain'))).toEqual(['Its first bytes are not those of a PDF.']);
});
