import { ShieldAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { cx } from '#ui/cx.ts';

/** A column of the pane with a heading, a scrolling part and a fixed bar. */
export function Column({
  label,
  heading,
  bar,
  children,
}: {
  readonly label: string;
  readonly heading: ReactNode;
  readonly bar?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={label} className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1 overflow-y-auto px-4 pt-3 pb-3">
        {heading}
        {children}
      </div>
      {bar}
    </section>
  );
}

/** A named part of the question. */
export function Part({
  name,
  note,
  ref,
  children,
}: {
  readonly name: ReactNode;
  readonly note?: ReactNode;
  readonly ref?: Ref<HTMLElement>;
  readonly children: ReactNode;
}) {
  return (
    <section ref={ref} className="mt-3">
      <h3 className="caption mb-1">
        {name}
        {note !== undefined && <span className="font-normal tracking-normal normal-case"> {note}</span>}
      </h3>
      {children}
    </section>
  );
}

/** The frame around text of the server. Nothing of Sightglass itself is framed like this. */
export const serverTextFrame =
  'rounded-ui border border-line border-l-2 border-l-info bg-raise px-2.5 py-1.5 leading-[1.5]';

/** A warning to read before answering. */
export function Warning({
  tone,
  children,
}: {
  readonly tone: 'warn' | 'danger';
  readonly children: ReactNode;
}) {
  const Icon = tone === 'danger' ? ShieldAlert : TriangleAlert;
  return (
    <div
      role="note"
      className={cx(
        'mt-2 flex items-start gap-1.5 rounded-ui border border-l-2 bg-panel px-2.5 py-1.5 text-sm',
        tone === 'danger' ? 'border-err text-err' : 'border-line border-l-warn',
      )}
    >
      <Icon aria-hidden className={cx('mt-[3px] size-3 shrink-0', tone === 'warn' && 'text-warn')} />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
