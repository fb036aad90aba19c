import { readBase64 } from '#shared/base64.ts';
import { formatBytes, formatCount } from '#shared/format.ts';
import { HEADER_BYTES, imageSize } from './image-size.ts';

/** Base64 media of a server: what it is, and whether the page may show it. */

export interface Media {
  /** Decoded size in bytes; null if the text is not base64. */
  readonly size: number | null;
  /** The value of `src`. Set only for types without scripts, and only if the bytes match the claimed type. */
  readonly dataUrl: string | null;
  /** Why it is not shown, or a warning about it. */
  readonly fault: string | null;
  /** Why it is drawn only on demand; null if it is drawn immediately. */
  readonly costly: string | null;
}

/** Pixels of an image drawn without a click: each takes four bytes of memory. */
const MAX_PIXELS = 16_000_000;

/** Image types without scripts. SVG is a document and not among them. */
const safeImages = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
  'image/vnd.microsoft.icon',
]);

const safeAudio = new Set([
  'audio/wav',
  'audio/x-wav',
  'audio/wave',
  'audio/mpeg',
  'audio/mp3',
  'audio/mp4',
  'audio/aac',
  'audio/ogg',
  'audio/opus',
  'audio/webm',
  'audio/flac',
]);

const kinds = { image: safeImages, audio: safeAudio } as const;

/** Checks an image or audio block before it is shown. */
export function readMedia(kind: keyof typeof kinds, data: string, mimeType: string): Media {
  const { size, fault: encodingFault } = readBase64(data);
  if (encodingFault !== null) return { ...nothing, fault: `The data is not base64: ${encodingFault}.` };
  if (size === 0) return { ...nothing, size, fault: 'The data is empty.' };
  const mime = mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!kinds[kind].has(mime)) {
    return { ...nothing, size, fault: `"${mimeType}" is not an ${kind} type that is shown here.` };
  }
  const found = magicType(data);
  const fault =
    found === null || found === mime ? null : `It says ${mime}, but its first bytes are those of ${found}.`;
  const costly = kind === 'image' ? whyCostly(data) : null;
  return { size, dataUrl: `data:${mime};base64,${data}`, fault, costly };
}

const nothing: Media = { size: null, dataUrl: null, fault: null, costly: null };

/** The type by magic bytes, which browsers use too. */
function whyCostly(data: string): string | null {
  const size = imageSize(firstBytes(data, HEADER_BYTES));
  if (size === null) return 'Its size cannot be read from its first bytes, so it is drawn only on request.';
  const { width, height } = size;
  if (width * height <= MAX_PIXELS) return null;
  const memory = formatBytes(width * height * 4);
  return `It has ${formatCount(width)} × ${formatCount(height)} pixels. Drawing it takes up to ${memory} of memory.`;
}

/** The first bytes of base64 text. */
export const firstBytes = (text: string, count: number): Uint8Array<ArrayBuffer> =>
  bytesOfBase64(text.slice(0, Math.ceil(count / 3) * 4)).subarray(0, count);

/** The bytes of valid base64 text. */
export const bytesOfBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Magic bytes of file types, with their offset. */
const signatures: readonly (readonly [type: string, bytes: string, at: number])[] = [
  ['image/png', '\x89PNG', 0],
  ['image/jpeg', '\xff\xd8\xff', 0],
  ['image/gif', 'GIF8', 0],
  ['image/webp', 'WEBP', 8],
  ['image/bmp', 'BM', 0],
  ['audio/flac', 'fLaC', 0],
];

function magicType(data: string): string | null {
  const head = String.fromCharCode(...firstBytes(data, 16));
  return signatures.find(([, bytes, at]) => head.startsWith(bytes, at))?.[0] ?? null;
}

/** Decodes base64 as UTF-8; null if it is not valid UTF-8. */
export function base64Text(data: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A hex dump with 16 bytes per line. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const line = [...bytes.subarray(at, at + 16)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${text}`);
  }
  return lines.join('\n');
}
