import type { JsonLines } from '#ui/json-lines.ts';
import { keyOf } from './line-pointers.ts';

/** Encodings of a string value that can be decoded. */
export type EncodedKind = 'jwt' | 'image' | 'audio' | 'base64' | 'data-uri';

/** A value that can be decoded. */
export interface EncodedValue {
  readonly kind: EncodedKind;
  /** The text as JSON writes it, without quotes. */
  readonly text: string;
  /** The declared type of an image, a sound or a blob. Untrusted text. */
  readonly mimeType: string | null;
}

/** Shorter texts are more likely words. */
const MIN_LENGTH = 20;
/** Characters examined to detect the encoding. */
const SAMPLE = 400;

/** Guesses the encoding of a value from its first characters and its neighbours; null for plain text. */
export function encodedKindOf(lines: JsonLines, line: number): EncodedKind | null {
  const { kind, from, end, isPlain } = lines.line(line);
  if (kind !== 'string' || !isPlain || end - from < MIN_LENGTH + 2) return null;
  // Truncated.
  if (!lines.raw.endsWith('"', end)) return null;
  const start = lines.raw.slice(from + 1, Math.min(end - 1, from + 1 + SAMPLE));
  if (/^data:[\w.+-]+\/[\w.+-]+[;,]/.test(start)) return 'data-uri';
  if (/^eyJ[\w-]+\.[\w-]+(?:\.|$)/.test(start)) return 'jwt';
  if (!/^[\w+/-]+={0,2}$/.test(start)) return null;
  const key = keyOf(lines, line);
  if (key === 'data' || key === 'blob') return mediaKind(lines, line) ?? 'base64';
  return looksRandom(start) && (end - from - 2) % 4 !== 1 ? 'base64' : null;
}

export function encodedValueOf(lines: JsonLines, line: number, kind: EncodedKind): EncodedValue {
  const { from, end } = lines.line(line);
  const written = lines.raw.slice(from + 1, end - 1);
  // Some writers escape slashes.
  return { kind, text: written.replaceAll('\\/', '/'), mimeType: siblingText(lines, line, 'mimeType') };
}

/** Content blocks declare their data by type, resources by MIME type (MCP tools, resources). */
function mediaKind(lines: JsonLines, line: number): EncodedKind | null {
  const mimeType = siblingText(lines, line, 'mimeType') ?? '';
  const type = siblingText(lines, line, 'type');
  if (type === 'image' || mimeType.startsWith('image/')) return 'image';
  return type === 'audio' || mimeType.startsWith('audio/') ? 'audio' : null;
}

/** Ordinary words and names do not mix characters like this. */
const looksRandom = (text: string): boolean =>
  text.endsWith('=') || (/[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text) && !/[-_]/.test(text));

/** Members searched for a sibling. */
const MAX_SIBLINGS = 50;

function siblingText(lines: JsonLines, line: number, name: string): string | null {
  const parent = lines.parent(line);
  if (parent === null) return null;
  let sibling = parent + 1;
  for (let seen = 0; seen < MAX_SIBLINGS && sibling < lines.count; seen++) {
    if (lines.isClose(sibling) || lines.parent(sibling) !== parent) return null;
    const { kind, from, end } = lines.line(sibling);
    if (kind === 'string' && keyOf(lines, sibling) === name) return textOf(lines.raw.slice(from, end));
    sibling = lines.next(sibling);
  }
  return null;
}

function textOf(written: string): string | null {
  try {
    return String(JSON.parse(written));
  } catch {
    // Truncated.
    return null;
  }
}
