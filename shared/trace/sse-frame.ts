import type { SseEvent } from './record.ts';

/**
 * The unit of an event is the values of its `data` lines joined by line feeds; the frame is the text around
 * them. No value holds a line end, so the values are the unit split at its line feeds.
 */

const LINE_FEED = 0x0a;

/** Bytes of the framing: a Latin-1 character is a byte. */
export const frameBytes = ({ frame }: SseEvent): number =>
  frame.reduce((bytes, part) => bytes + part.length, 0);

/** The exact bytes of an event in its stream; null when part of its framing is on the record apart. */
export function wireBytesOf(data: Uint8Array, sse: SseEvent): Uint8Array | null {
  if (sse.unframed !== undefined) return null;
  const bytes = new Uint8Array(frameBytes(sse) + data.length);
  let end = 0;
  let from = 0;
  for (const [place, part] of sse.frame.entries()) {
    for (let at = 0; at < part.length; at++) bytes[end++] = part.charCodeAt(at);
    if (place === sse.frame.length - 1) break;
    const lineFeed = data.indexOf(LINE_FEED, from);
    const value = data.subarray(from, lineFeed === -1 ? data.length : lineFeed);
    bytes.set(value, end);
    end += value.length;
    from += value.length + 1;
  }
  return bytes.subarray(0, end);
}
