import { TriangleAlert } from 'lucide-react';
import type { RowDetail } from '#shared/contract/trace.ts';
import type { NoiseReason } from '#shared/trace/row.ts';
import { PlainText } from '#ui/plain-text.tsx';

/** What to do about noise (MCP 2025-06-18 transports, stdio: only messages may be written to stdout). */
const noiseHints: Readonly<Record<NoiseReason, string>> = {
  'not-json':
    'print() in Python, console.log() in Node and fmt.Println() in Go write to standard output. Send such text to standard error: print(…, file=sys.stderr), console.error(), fmt.Fprintln(os.Stderr, …).',
  'half-json': 'Write each message whole on one line: no line breaks inside, one line break after it.',
  'several-values': 'Write a line break after every message.',
  'not-utf8': 'Set the encoding of standard output to UTF-8 where the server writes it.',
  blank: 'Write nothing between messages: a println() after a text that ends its line makes such a line.',
  'too-large': 'Hex shows its bytes.',
};

/** Why the row is not what it should be, and what to do about it. */
export function ProblemNote({
  detail: { row, problem, badByteAt },
  onShowByte,
}: {
  readonly detail: RowDetail;
  readonly onShowByte: () => void;
}) {
  if (problem === null) return null;
  return (
    <div role="note" className="flex gap-2 border-b border-line bg-warn/10 px-3 py-2">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warn" />
      <div className="min-w-0">
        <PlainText text={problem} />
        {row.noise !== null && <p className="mt-0.5 text-mute">{noiseHints[row.noise]}</p>}
        {badByteAt !== null && (
          <p className="mt-0.5 text-mute">
            The first bad byte is{' '}
            <button
              type="button"
              onClick={onShowByte}
              className="text-key underline-offset-2 hover:underline"
            >
              byte {badByteAt}
            </button>
            , counted from 0.
          </p>
        )}
      </div>
    </div>
  );
}
