import { visibleJson, visibleLines } from './visible-text.ts';

/** Writes text to stdout, with nothing in it that a terminal would obey. Waits while the reader is behind. */
export const print = (text: string): Promise<void> => write(`${visibleLines(text)}\n`);

/** Writes JSON text to stdout: exactly as it is, but on a terminal without anything that it would obey. */
export const printJson = (json: string): Promise<void> =>
  write(`${process.stdout.isTTY ? visibleJson(json) : json}\n`);

/** Whether the reader has gone, as `head` does. The stream's own listener was told, and need not hear it again. */
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
