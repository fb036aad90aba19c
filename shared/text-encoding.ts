/**
 * Decodes the bytes of a text file that somebody wrote with any editor: UTF-8 or UTF-16, with a byte order mark or without.
 */
export interface DecodedText {
  /** With its byte order mark, so that it can be written back as it was. */
  readonly text: string;
  readonly encoding: TextEncoding;
}

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Bytes that are no text, and what they are instead. */
interface NoText {
  readonly what: string;
  readonly next: string;
}

/** Of the platform; browsers and Node have it (WHATWG Encoding Standard). */
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

/** Bytes at the beginning from which the encoding is told. */
const PROBE = 4096;

export function decodeText(bytes: Uint8Array): DecodedText | NoText {
  const binary = binaryKinds.find(({ start }) => start.every((byte, at) => bytes[at] === byte));
  if (binary !== undefined) return { what: binary.what, next: binary.next };
  const encoding = encodingOf(bytes);
  // Only the readers know what a byte order mark means to them.
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  try {
    const text = decoder.decode(bytes);
    return encoding === 'utf-8' && text.includes('\0') ? unknownBinary : { text, encoding };
  } catch {
    return encoding === 'utf-8' && !bytes.includes(0) ? otherEncoding : unknownBinary;
  }
}

/** Whether the bytes are a text. */
export const isText = (decoded: DecodedText | NoText): decoded is DecodedText => 'text' in decoded;

function encodingOf(bytes: Uint8Array): TextEncoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Without a mark: configurations are mostly ASCII, so every second byte of UTF-16 is 0.
  const zeros: [even: number, odd: number] = [0, 0];
  const probed = bytes.subarray(0, PROBE);
  for (const [at, byte] of probed.entries()) if (byte === 0) zeros[at % 2 === 0 ? 0 : 1]++;
  const most = probed.length / 2;
  if (zeros[1] > most / 2 && zeros[0] < most / 10) return 'utf-16le';
  if (zeros[0] > most / 2 && zeros[1] < most / 10) return 'utf-16be';
  return 'utf-8';
}

const codesOf = (ascii: string): number[] => Array.from(ascii, (character) => character.charCodeAt(0));

const utf32: NoText = {
  what: 'This text is encoded as UTF-32.',
  next: 'Save it as UTF-8 and import it again.',
};

/** Files of other kinds by their first bytes. */
const binaryKinds: readonly (NoText & { readonly start: readonly number[] })[] = [
  { start: [0xff, 0xfe, 0, 0], ...utf32 },
  { start: [0, 0, 0xfe, 0xff], ...utf32 },
  {
    start: [0x50, 0x4b, 3, 4],
    what: 'This is a ZIP archive, as bundles of MCP servers (.mcpb, .dxt) are.',
    next: 'Unpack it, and import the manifest.json in it.',
  },
  {
    start: [0x1f, 0x8b],
    what: 'This file is compressed with gzip.',
    next: 'Unpack it, and import what is in it.',
  },
  { start: [0x89, 0x50, 0x4e, 0x47], what: 'This is a PNG image.', next: 'Import the text that it shows.' },
  { start: [0xff, 0xd8, 0xff], what: 'This is a JPEG image.', next: 'Import the text that it shows.' },
  { start: [0x25, 0x50, 0x44, 0x46], what: 'This is a PDF file.', next: 'Copy the configuration from it.' },
  {
    start: codesOf('SQLite format 3'),
    what: 'This is an SQLite database.',
    next: 'Export the servers from the client that wrote it.',
  },
  {
    start: codesOf('bplist00'),
    what: 'This is a binary property list.',
    next: 'Choose the JSON file in which the client keeps its servers.',
  },
];

const otherEncoding: NoText = {
  what: 'This text is not UTF-8: it has bytes of another encoding, such as Windows-1252.',
  next: 'Save it as UTF-8 and import it again.',
};

const unknownBinary: NoText = {
  what: 'This file is no text: it has bytes that no text has.',
  next: 'Choose the file in which the client keeps its servers.',
};
