import { describe, expect, test } from 'vitest';
import { base64Text, firstBytes, hexDump, readMedia } from './media.ts';

const be = (...sides: number[]) =>
  sides.map((n) => String.fromCharCode(n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255)).join('');
const le = (...sides: number[]) =>
  sides.map((n) => String.fromCharCode(n & 255, (n >>> 8) & 255, (n >>> 16) & 255, n >>> 24)).join('');
const be16 = (...sides: number[]) => sides.map((n) => String.fromCharCode(n >>> 8, n & 255)).join('');
const le16 = (...sides: number[]) => sides.map((n) => String.fromCharCode(n & 255, n >>> 8)).join('');

const PNG = '\x89PNG\r\n\x1a\n';
const pngOf = (width: number, height: number) => `${PNG}${be(13)}IHDR${be(width, height)}`;
const png = btoa(pngOf(4, 4));

const avifType = (brand: string) => `${be(24)}ftyp${brand}${'\0'.repeat(12)}`;
const avifMeta = (width: number, height: number) =>
  `${be(32)}meta${be(0)}${be(20)}ispe${be(0, width, height)}`;
/** A box that readers skip, which holds the properties of a small image. */
const avifFree = (size: number) =>
  `${be(size)}free${avifMeta(4, 4)}${'\0'.repeat(size - 8 - avifMeta(4, 4).length)}`;

/** The beginning of an image of each kind, of this size. */
const headers: Readonly<Record<string, (width: number, height: number) => string>> = {
  'image/png': pngOf,
  'image/jpeg': (w, h) =>
    `\xff\xd8\xff\xe1${be16(300)}${'e'.repeat(298)}\xff\xff\xc2${be16(17)}\x08${be16(h, w)}`,
  'image/gif': (w, h) => `GIF89a${le16(w, h)}\0\0\0\x21\xf9\x04aaaa\0\x2c${le16(0, 0, 1, 1)}`,
  'image/webp': (w, h) => `RIFF${le(30)}WEBPVP8X${le(10, 0)}${le(w - 1).slice(0, 3)}${le(h - 1).slice(0, 3)}`,
  'image/bmp': (w, h) => `BM${'\0'.repeat(12)}${le(40, w, -h)}`,
  'image/x-icon': (w, h) => `\0\0\x01\0${le16(1)}${'\0'.repeat(12)}${le(22)}${pngOf(w, h)}`,
  'image/avif': (w, h) => `${avifType('avif')}${avifMeta(w, h)}`,
};
const other: Readonly<Record<string, (width: number, height: number) => string>> = {
  'a GIF whose picture is larger than its canvas': (w, h) =>
    `GIF89a${le16(1, 1)}\x81\0\0${'c'.repeat(12)}\x2c${le16(0, 0, w, h)}`,
  'a lossless WebP': (w, h) => `RIFF${le(30)}WEBPVP8L${le(9)}\x2f${le((w - 1) | ((h - 1) << 14))}`,
  'a lossy WebP': (w, h) => `RIFF${le(30)}WEBPVP8 ${le(9)}\0\0\0\x9d\x01\x2a${le16(w, h)}`,
  'a BMP with an old header': (w, h) => `BM${'\0'.repeat(12)}${le(12)}${le16(w, h)}`,
  'an AVIF behind what names another size': (w, h) =>
    `${avifType('avif')}${avifFree(100_000)}${avifMeta(w, h)}`,
  'an icon with a bitmap': (w, h) => `\0\0\x01\0${le16(1)}${'\0'.repeat(12)}${le(22)}${le(40, w, h)}`,
};

describe('an image above 16 megapixels is not drawn unasked', () => {
  test.each(Object.keys(headers))('%s', (mime) => {
    const costly = (w: number, h: number) => readMedia('image', btoa(headers[mime]!(w, h)), mime).costly;
    expect(costly(12_000, 12_000)).toContain('12,000 × 12,000 pixels');
    expect(costly(16_001, 1_000)).toContain('16,001 × 1,000 pixels');
    expect(costly(4_000, 4_000)).toBeNull();
  });

  test.each(Object.keys(other))('%s', (name) => {
    const bytes = (w: number, h: number) => btoa(other[name]!(w, h));
    expect(readMedia('image', bytes(12_000, 12_000), 'image/png').costly).toContain('12,000 × 12,000');
    expect(readMedia('image', bytes(4_000, 3_999), 'image/png').costly).toBeNull();
  });

  test('by what its bytes are, not by what it is called', () => {
    for (const mime of Object.keys(headers)) {
      expect(readMedia('image', btoa(pngOf(12_000, 12_000)), mime).costly).toContain('12,000 × 12,000');
    }
  });

  test.each([PNG, `${PNG}${be(13)}IHDR${be(4)}`, pngOf(0, 4), '\xff\xd8\xff\xda\0\0', 'GIF8', 'unheard of'])(
    'nor is one whose size cannot be read: %j',
    (bytes) => {
      expect(readMedia('image', btoa(bytes), 'image/png').costly).toMatch(/size cannot be read/);
    },
  );

  test.each([
    ['a sequence', `${avifType('avis')}${avifMeta(4, 4)}`],
    ['one whose properties come late', `${avifType('avif')}${avifFree(1_100_000)}${avifMeta(4, 4)}`],
    ['one whose properties are cut', `${avifType('avif')}${be(99)}${avifMeta(4, 4).slice(4)}`],
    ['one with a box that has no end', `${avifType('avif')}${be(0)}free${avifMeta(4, 4)}`],
  ])('nor is an AVIF whose size is not known: %s', (_, bytes) => {
    expect(readMedia('image', btoa(bytes), 'image/avif').costly).toMatch(/size cannot be read/);
  });
});

describe('media', () => {
  test('an image of a safe kind may be drawn', () => {
    expect(readMedia('image', png, 'image/PNG')).toEqual({
      size: 24,
      dataUrl: `data:image/png;base64,${png}`,
      fault: null,
      costly: null,
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
      fault: expect.any(String),
    });
  });

  test.each(['a', 'a b=', 'ab=c', 'abcd"onerror=', '====', 'YQ'])('%j is no base64', (text) => {
    expect(readMedia('audio', text, 'audio/wav')).toMatchObject({
      dataUrl: null,
      size: null,
      fault: expect.stringMatching(/^The data is not base64: /),
    });
  });

  test('says when the bytes are of another kind than claimed', () => {
    expect(readMedia('image', png, 'image/jpeg').fault).toMatch(/image\/jpeg.*image\/png/);
  });

  test('counts decoded bytes', () => {
    for (const text of ['', 'a', 'ab', 'abc', 'abcd']) {
      expect(readMedia('image', btoa(text), 'image/png').size).toBe(text.length);
    }
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
