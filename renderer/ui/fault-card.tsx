import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Fault } from '#shared/contract/fault.ts';
import { CopyButton } from './copy-button.tsx';
import { cx } from './cx.ts';
import { PlainText } from './plain-text.tsx';
import { RowLink } from './row-link.tsx';

/** A fault: what happened, a quote of the other side, the probable reason, what to try, and collapsed evidence. */
export function FaultCard({
  fault,
  onRow,
  actions,
  className,
}: {
  readonly fault: Fault;
  /** Shows the row of the trace that the fault names. */
  readonly onRow?: (row: number) => void;
  readonly actions?: ReactNode;
  readonly className?: string;
}) {
  return (
    <section
      role="alert"
      className={cx('rounded-ui border border-line border-l-2 border-l-err bg-panel px-3 py-2.5', className)}
    >
      <div className="flex gap-2">
        <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-err" />
        <div className="flex min-w-0 flex-1 flex-wrap gap-x-2">
          <div className="min-w-0 flex-[1_1_14rem]">
            <PlainText text={fault.what} className="font-medium" />
            {fault.quote !== undefined && (
              <PlainText
                text={fault.quote}
                className="mono my-1 max-h-40 overflow-auto border-l-2 border-line pl-2 text-xs"
              />
            )}
            {fault.why !== undefined && <PlainText text={fault.why} className="mt-0.5 text-mute" />}
            {fault.row !== undefined && onRow !== undefined && (
              <p className="mt-0.5 text-mute">
                In row <RowLink row={fault.row} onOpen={onRow} /> of the trace.
              </p>
            )}
            {fault.next !== undefined && <PlainText text={fault.next} className="mt-0.5" />}
            {fault.evidence !== undefined && (
              <details className="mt-1.5" open={fault.showsEvidence === true}>
                <summary className="w-fit text-mute hover:text-text">Evidence</summary>
                <div className="relative mt-1 max-h-64 overflow-auto rounded-ui border border-line bg-raise px-2.5 py-2">
                  <CopyButton
                    text={fault.evidence}
                    label="Copy the evidence"
                    className="absolute top-1 right-1"
                  />
                  <PlainText text={fault.evidence} className="mono pr-6" />
                </div>
              </details>
            )}
            {actions && <div className="mt-2.5 flex flex-wrap gap-2">{actions}</div>}
          </div>
          <code className="mono shrink-0 text-xs text-faint">{fault.code}</code>
        </div>
      </div>
    </section>
  );
}
