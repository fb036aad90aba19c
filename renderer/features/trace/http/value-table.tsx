import type { ReactNode } from 'react';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { MaskedText } from '#ui/masked-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { RedactedText } from './redacted-text.tsx';

export interface ValueLine {
  /** Untrusted text. */
  readonly name: string;
  /** Untrusted text; what is copied. */
  readonly value: string;
  /** Shown after the value, or instead of it when there is none to copy. */
  readonly note?: ReactNode;
  /** It gives access to something: shown by a click only. */
  readonly isMasked?: boolean;
}

const nameClasses = { wire: 'text-key', words: 'font-sans text-base leading-[19px] text-mute' } as const;

/** Names and values, one below the other, each value with a button that copies it. */
export function ValueTable({
  names,
  lines,
}: {
  /** Whether the names were on the wire, or are words of ours. */
  readonly names: 'wire' | 'words';
  readonly lines: readonly ValueLine[];
}) {
  return (
    <dl className="mono grid grid-cols-[fit-content(42%)_minmax(0,1fr)]">
      {lines.map(({ name, value, note, isMasked = false }, place) => (
        <div
          // Lines may be equal, and never change their order.
          key={place}
          className="group relative col-span-2 grid min-h-row grid-cols-subgrid items-baseline gap-x-3 px-3 py-[2.5px] leading-[19px] hover:bg-hover"
        >
          <dt className={cx('[overflow-wrap:anywhere]', nameClasses[names])}>{visibleLine(name)}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-wrap">
            {value === '' && note === undefined ? (
              <span className="text-faint">empty</span>
            ) : isMasked ? (
              <MaskedText name={visibleLine(name)} text={value} />
            ) : (
              <RedactedText text={value} />
            )}
            {note !== undefined && (
              <span className="font-sans text-base leading-[19px] text-mute">
                {value !== '' && ' '}
                {note}
              </span>
            )}
            {value !== '' && !isMasked && (
              <span className="absolute top-0 right-1.5 rounded-ui bg-hover opacity-0 group-hover:opacity-100 focus-within:opacity-100">
                <CopyButton text={value} label={`Copy ${visibleLine(name)}`} />
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
