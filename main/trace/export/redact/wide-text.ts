import { bigEndian, littleEndian } from '#trace/recorder/secret-forms.ts';
import { textOf } from '#transports/decode-body.ts';
import type { Span } from './spans.ts';

/** Text in UTF-16, which some programs write by mistake. */
interface WideText {
  readonly text: string;
  /** Maps a span of the text to the characters that are its bytes. */
  inWritten(span: Span): Span;
}

/** The text in characters that are the bytes of UTF-16; null if they are not. */
export function wideText(written: string): WideText | null {
  if (!written.includes('\0') || NOT_BYTES.test(written)) return null;
  const bytes = Buffer.from(written, 'latin1');
  // A line of UTF-16 is cut inside the two bytes of its line end.
  const even = bytes.length % 2 === 0 ? bytes : bytes.subarray(0, -1);
  const text = textOf(even, null);
  if (text === null || text.length * 2 !== even.length) return null;
  const isBig = even[0] === 0 || (even[0] === 0xfe && even[1] === 0xff);
  return {
    text,
    inWritten: ({ start, end, ...span }) => ({
      ...span,
      start: start * 2,
      end: end * 2,
      write: isBig ? bigEndian : littleEndian,
    }),
  };
}

const NOT_BYTES = /[^\0-\xff]/;
