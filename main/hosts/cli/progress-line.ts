import type { WriteStream } from 'node:tty';
import type { Progress } from '#shared/contract/calls.ts';
import { visibleText } from './visible-text.ts';

/** Where progress goes: on a terminal one line that is written over, else a line each. */
export type ProgressStream = Pick<WriteStream, 'write'> & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

/** Shows the progress of one call; `end` leaves a terminal's line empty again. */
export function progressLine(stream: ProgressStream): { show(progress: Progress | null): void; end(): void } {
  let shown = 0;
  return {
    show(progress) {
      // A call changes for other reasons too.
      if (progress === null || progress.count === shown) return;
      shown = progress.count;
      const text = describe(progress);
      // One column is left free, or a full line would move the cursor to the next.
      if (stream.isTTY) stream.write(`\r${text.slice(0, (stream.columns || 80) - 1)}\x1b[K`);
      else stream.write(`${text}\n`);
    },
    end() {
      if (shown > 0 && stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}

function describe({ progress, total, message }: Progress): string {
  const amount = total === null ? `${progress}` : `${progress}/${total}`;
  return visibleText(message === null ? `progress ${amount}` : `progress ${amount}  ${message}`);
}
