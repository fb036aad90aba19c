/** Reads the size of an image from its header, without decoding it. */
interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Bytes of an image that are searched: profiles and previews can precede its size. */
export const HEADER_BYTES = 1024 * 1024;

/** The size of an image, by its bytes and not its MIME type; null if it cannot be determined. */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = readers.find(([signature, at]) => hasText(view, signature, at));
  try {
    const size = kind?.[2](view) ?? null;
    return size !== null && size.width > 0 && size.height > 0 ? size : null;
  } catch (error) {
    // The header is truncated.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

type Reader = (view: DataView) => ImageSize | null;

const readers: readonly (readonly [signature: string, at: number, read: Reader])[] = [
  ['\x89PNG\r\n\x1a\n', 0, (view) => pngSize(view, 0)],
  ['\xff\xd8\xff', 0, jpegSize],
  ['GIF8', 0, gifSize],
  ['WEBP', 8, webpSize],
  ['BM', 0, (view) => bitmapSize(view, 14)],
  ['\0\0\x01\0', 0, iconSize],
  ['ftyp', 4, avifSize],
];

function hasText(view: DataView, text: string, at: number): boolean {
  if (view.byteLength < at + text.length) return false;
  return [...text].every((character, index) => view.getUint8(at + index) === character.charCodeAt(0));
}

/** PNG (RFC 2083 section 4.1.1): the header is the first chunk. */
const pngSize = (view: DataView, from: number): ImageSize | null =>
  hasText(view, 'IHDR', from + 12)
    ? { width: view.getUint32(from + 16), height: view.getUint32(from + 20) }
    : null;

/** JPEG (ITU T.81 annex B): the frame header is one of the segments before the scan. */
function jpegSize(view: DataView): ImageSize | null {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    // Fill bytes may precede a marker.
    if (marker === 0xff) at++;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    } else if (marker === 0xda || marker === 0xd9) return null;
    else at += 2 + view.getUint16(at + 2);
  }
}

/** The canvas, or the first image if that is larger: browsers grow the canvas. */
function gifSize(view: DataView): ImageSize {
  const canvas = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  const flags = view.getUint8(10);
  let at = 13 + ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  while (view.getUint8(at) === 0x21) {
    at += 2;
    while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at);
    at++;
  }
  if (view.getUint8(at) !== 0x2c) return canvas;
  const [left = 0, top = 0, width = 0, height = 0] = [1, 3, 5, 7].map((by) => view.getUint16(at + by, true));
  return { width: Math.max(canvas.width, left + width), height: Math.max(canvas.height, top + height) };
}

/** WebP (RFC 9649): lossy, lossless and extended files store it differently. */
function webpSize(view: DataView): ImageSize | null {
  if (hasText(view, 'VP8X', 12)) {
    const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000 + 1;
    return { width: three(24), height: three(27) };
  }
  if (hasText(view, 'VP8L', 12)) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!hasText(view, 'VP8 ', 12)) return null;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** BMP: old headers use 16 bits per side; a negative height means top-down rows. */
function bitmapSize(view: DataView, header: number): ImageSize {
  if (view.getUint32(header, true) === 12) {
    return { width: view.getUint16(header + 4, true), height: view.getUint16(header + 6, true) };
  }
  const [width, height] = [view.getInt32(header + 4, true), view.getInt32(header + 8, true)];
  return { width: Math.abs(width), height: Math.abs(height) };
}

/** ICO: contains PNGs or bitmaps of different sizes; returns the largest. */
function iconSize(view: DataView): ImageSize | null {
  const sizes: (ImageSize | null)[] = [];
  for (let entry = 0; entry < view.getUint16(4, true); entry++) {
    const at = view.getUint32(6 + entry * 16 + 12, true);
    sizes.push(hasText(view, '\x89PNG', at) ? pngSize(view, at) : bitmapSize(view, at));
  }
  return sizes.includes(null) ? null : largest(sizes.filter((size) => size !== null));
}

/**
 * AVIF: the largest of the sizes that the properties in its `meta` box name (ISO 23008-12, `ispe`). Other boxes may
 * hold anything. The pictures of a sequence have sizes of their own elsewhere, which are not looked for.
 */
function avifSize(view: DataView): ImageSize | null {
  if (hasText(view, 'avis', 8)) return null;
  let meta = 0;
  while (!hasText(view, 'meta', meta + 4)) {
    const size = view.getUint32(meta);
    // A box that reaches to the end of the file, or has its size elsewhere (ISO 14496-12 section 4.2).
    if (size < 8) return null;
    meta += size;
  }
  const end = meta + view.getUint32(meta);
  // The size may be in the missing part.
  if (end > view.byteLength) return null;
  const sizes: ImageSize[] = [];
  for (let at = meta + 8; at + 16 <= end; at++) {
    if (view.getUint8(at) === 0x69 && hasText(view, 'ispe', at)) {
      sizes.push({ width: view.getUint32(at + 8), height: view.getUint32(at + 12) });
    }
  }
  return largest(sizes);
}

const largest = (sizes: readonly ImageSize[]): ImageSize | null =>
  sizes.reduce<ImageSize | null>(
    (best, size) => (best === null || size.width * size.height > best.width * best.height ? size : best),
    null,
  );
