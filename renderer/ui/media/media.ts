import { formatBytes, formatCount } from '#shared/format.ts';
import { HEADER_BYTES, imageSize } from './image-size.ts';

/** Bytes a server sent as base64: what they are, and whether the page may draw or play them. */

export interface Media {
  /** Bytes once decoded; null when the text is no base64. */
  readonly size: number | null;
  /** For `src`: only from a list of kinds that hold no scripts, and only when the bytes are what they claim. */
  readonly dataUrl: string | null;
  /** Why it is not shown, or what is odd about it. */
  readonly fault: string | null;
  /** Why it is drawn on demand only; null when nothing speaks against drawing it at once. */
  readonly costly: string | null;
}

/** Pixels of an image that is drawn unasked: a drawn one takes four bytes for each, however few the file has. */
const MOST_PIXELS = 16_000_000;

/** Kinds that a browser draws without running anything in them. SVG is none: it is a document. */
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

/** Validates an image or audio block before anything of it is drawn or played. */
export function readMedia(kind: keyof typeof kinds, data: string, mimeType: string): Media {
  const size = base64Size(data);
  if (size === null) return { ...nothing, fault: 'The data is not base64.' };
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

/** By the bytes, whatever they are called: the browser goes by them too. */
function whyCostly(data: string): string | null {
  const size = imageSize(firstBytes(data, HEADER_BYTES));
  if (size === null) return 'Its size cannot be read from its first bytes, so it is drawn only on request.';
  const { width, height } = size;
  if (width * height <= MOST_PIXELS) return null;
  const memory = formatBytes(width * height * 4);
  return `It has ${formatCount(width)} × ${formatCount(height)} pixels. Drawing it takes up to ${memory} of memory.`;
}

/** How many bytes base64 text (RFC 4648 section 4) stands for; null when it is none. */
export function base64Size(text: string): number | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  return (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
}

/** The first bytes of base64 text. */
export function firstBytes(text: string, count: number): Uint8Array {
  const binary = atob(text.slice(0, Math.ceil(count / 3) * 4));
  return Uint8Array.from(binary.slice(0, count), (character) => character.charCodeAt(0));
}

/** Bytes that open a file of a kind; the second number is where they stand. */
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

/** Base64 as text, when its bytes are UTF-8 throughout; null when they are not. */
export function base64Text(data: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Bytes as a hex dump of sixteen a line. */
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
