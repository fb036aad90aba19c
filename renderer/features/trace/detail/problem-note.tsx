import { TriangleAlert } from 'lucide-react';
import type { RowDetail } from '#shared/contract/trace.ts';
import type { NoiseReason, TraceRow } from '#shared/trace/row.ts';
import { PlainText } from '#ui/plain-text.tsx';

/** What to do about noise on standard output (MCP 2025-06-18 transports, stdio: only messages may be written there). */
const stdoutHints: Readonly<Record<NoiseReason, string>> = {
  'not-json':
    'print() in Python, console.log() in Node and fmt.Println() in Go write to standard output. Send such text to standard error: print(…, file=sys.stderr), console.error(), fmt.Fprintln(os.Stderr, …).',
  'half-json': 'Write each message whole on one line: no line breaks inside, one line break after it.',
  'several-values': 'Write a line break after every message.',
  'not-utf8': 'Set the encoding of standard output to UTF-8 where the server writes it.',
  blank: 'Write nothing between messages: a println() after a text that ends its line makes such a line.',
  'too-large': 'Hex shows its bytes.',
};

/** What to do about noise in the body of a request or response, or in an event of a stream. */
const httpHints: Readonly<Record<NoiseReason, string>> = {
  'not-json': 'The HTTP tab shows the status and the content type it came with.',
  'half-json': 'The HTTP tab shows how the exchange ended, and how long its body was said to be.',
  'several-values': 'Send each message as a body or an event of its own.',
  'not-utf8': 'Encode bodies and events in UTF-8.',
  blank:
    'A response without a message has no body at all (202 Accepted), and a stream is kept open by comments, not by empty events.',
  'too-large': 'Hex shows its bytes.',
};

const hintOf = ({ exchange }: TraceRow, noise: NoiseReason): string =>
  (exchange === null ? stdoutHints : httpHints)[noise];

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
        {row.noise !== null && <p className="mt-0.5 text-mute">{hintOf(row, row.noise)}</p>}
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
