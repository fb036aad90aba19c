import type { WriteStream } from 'node:tty';
import type { Progress } from '#shared/contract/calls.ts';
import { visibleText } from './visible-text.ts';

/** Where progress goes: on a terminal one line that is written over, else a line each. */
export type ProgressStream = Pick<WriteStream, 'write'> & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

export interface ProgressLine {
  show(progress: Progress | null): void;
  /** Shows anything else that tells how far it is; the same twice in a row only once. */
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
