import { describe, expect, test } from 'vitest';
import { base64Size, base64Text, firstBytes, hexDump, readMedia } from './media.ts';

const png = btoa('\x89PNG\r\n\x1a\n0000');

describe('media', () => {
  test('an image of a safe kind may be drawn', () => {
    expect(readMedia('image', png, 'image/PNG')).toEqual({
      size: 12,
      dataUrl: `data:image/png;base64,${png}`,
      problem: null,
    });
  });

  test.each([
    ['<svg onload=alert(1)>', 'image/svg+xml'],
    ['x', 'text/html'],
    ['x', 'image/png,<script>'],
    ['x', ''],
  ])('%s as %s is not drawn', (bytes, mime) => {
    expect(readMedia('image', btoa(bytes), mime)).toMatchObject({
      dataUrl: null,
      problem: expect.any(String),
    });
  });

  test.each(['a', 'a b=', 'ab=c', 'abcd"onerror=', '====', 'YQ'])('%j is no base64', (text) => {
    expect(base64Size(text)).toBeNull();
    expect(readMedia('audio', text, 'audio/wav')).toMatchObject({ dataUrl: null, size: null });
  });

  test('says when the bytes are of another kind than claimed', () => {
    expect(readMedia('image', png, 'image/jpeg').problem).toMatch(/image\/jpeg.*image\/png/);
  });

  test('counts decoded bytes', () => {
    for (const text of ['', 'a', 'ab', 'abc', 'abcd']) expect(base64Size(btoa(text))).toBe(text.length);
  });

  test('decodes text only when all of it is UTF-8', () => {
    expect(base64Text(btoa('{"a":1}'))).toBe('{"a":1}');
    expect(base64Text(btoa('\xff'))).toBeNull();
  });

  test('dumps bytes', () => {
    expect(hexDump(firstBytes(btoa('abc\x00defghijklmnopq'), 17))).toBe(
      '000000  61 62 63 00 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f  abc.defghijklmno\n' +
        `000010  ${'70'.padEnd(47)}  p`,
    );
  });
});
