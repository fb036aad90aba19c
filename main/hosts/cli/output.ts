import type { WriteStream } from 'node:tty';
import type { Progress } from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { writeCommands } from '#hosts/runner-commands.ts';
import { replaceHidden } from '#shared/hidden-characters.ts';

/** Writes text to stdout, with nothing in it that a terminal would obey. Waits while the reader is behind. */
export const print = (text: string): Promise<void> => write(`${visibleLines(text)}\n`);

/** Writes JSON text to stdout: exactly as it is, but on a terminal without anything that it would obey. */
export const printJson = (json: string): Promise<void> =>
  write(`${process.stdout.isTTY ? visibleJson(json) : json}\n`);

/** Whether the reader has closed the pipe, as `head` does. The stream's own listener handles that. */
let isReaderGone = false;

/** Writes bytes to stdout that no terminal sees. */
export const printBytes = (bytes: Uint8Array): Promise<void> => write(bytes);

function write(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (isReaderGone) return resolve();
    process.stdout.write(text, (error) => {
      isReaderGone ||= error instanceof Error;
      resolve();
    });
  });
}

/**
 * Prints commands of the runner, such as annotations, on stdout.
 *
 * @param lines whose properties and messages are encoded
 */
export const printCommands = (lines: string): Promise<void> =>
  new Promise((resolve) => {
    if (isReaderGone) resolve();
    else writeCommands(`${visibleLines(lines)}\n`, () => resolve());
  });

/** Prints a message on stderr; stdout is for the output of a command. */
export const say = (text: string): void => {
  process.stderr.write(`sightglass: ${visibleLines(text)}\n`);
};

/**
 * Untrusted text as one line that is safe on a terminal: characters that could move the cursor, or reorder or hide what a
 * person reads, are shown as escapes.
 */
export const visibleText = (text: string): string => replaceHidden(text, escapeOf);

/** Makes control characters visible, except line breaks and tabs. */
export const visibleLines = (text: string): string =>
  replaceHidden(text, (character) =>
    character === '\n' || character === '\t' ? character : escapeOf(character),
  );

/**
 * JSON text that is safe on a terminal and still means the same: hidden characters in strings become escapes,
 * and the carriage return, the only other one that JSON allows, becomes a space.
 */
export const visibleJson = (json: string): string =>
  replaceHidden(json, (character) => {
    if (character === '\n' || character === '\t') return character;
    return character === '\r' ? ' ' : character.replace(/[^]/g, jsonEscapeOf);
  });

const jsonEscapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/** A fault as lines for a person: what happened, what the server said, why, what to try, and the evidence. */
export function faultText({ what, quote, why, next, evidence }: Fault): string {
  return [
    what,
    ...quoteLines(quote),
    ...(why === undefined ? [] : [`  why: ${why}`]),
    ...(next === undefined ? [] : [`  next: ${next}`]),
    ...(evidence === undefined ? [] : ['  evidence:', ...evidence.split('\n').map((line) => `    ${line}`)]),
  ].join('\n');
}

/** What the server said, as lines to stand below what happened. */
export const quoteLines = (quote: string | undefined): string[] =>
  quote === undefined ? [] : ['  it said:', ...quote.split('\n').map((line) => `    ${line}`)];

/** Where progress goes: on a terminal one line that is written over, else a line each. */
type ProgressStream = Pick<WriteStream, 'write'> & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

interface ProgressLine {
  show(progress: Progress | null): void;
  /** Shows other progress; omits repetitions. */
  note(text: string): void;
  end(): void;
}

/** Shows the progress of one call; `end` leaves a terminal's line empty again. */
export function progressLine(stream: ProgressStream): ProgressLine {
  let count = 0;
  let shown = '';
  const note = (text: string): void => {
    if (text === shown) return;
    shown = text;
    const line = visibleText(text);
    // One column is left free, or a full line would move the cursor to the next.
    if (stream.isTTY) stream.write(`\r${line.slice(0, (stream.columns || 80) - 1)}\x1b[K`);
    else stream.write(`${line}\n`);
  };
  return {
    show(progress) {
      // A call changes for other reasons too.
      if (progress === null || progress.count === count) return;
      count = progress.count;
      shown = '';
      note(describe(progress));
    },
    note,
    end() {
      if (shown !== '' && stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}

function describe({ progress, total, message }: Progress): string {
  const amount = total === null ? `${progress}` : `${progress}/${total}`;
  return message === null ? `progress ${amount}` : `progress ${amount}  ${message}`;
}
