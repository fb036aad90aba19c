import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import { PlainText } from '../plain-text.tsx';
import type { Validation } from '#shared/contract/calls.ts';

const tones = { error: 'text-err', warn: 'text-warn', mute: 'text-mute' } as const;

/** A warning to read before sending. */
export function AdviceLine({
  tone,
  children,
}: {
  readonly tone: keyof typeof tones;
  readonly children: ReactNode;
}) {
  return (
    <p role="status" className={cx('flex items-start gap-1.5 text-sm', tones[tone])}>
      <TriangleAlert aria-hidden className="mt-[3px] size-3 shrink-0" />
      <span className="line-clamp-4 min-w-0">{children}</span>
    </p>
  );
}

/** The first validation error and the number of others. Renders nothing if there are none. */
export function ValidationLine({
  of,
  validation,
}: {
  /** What was validated, such as `The answer`. */
  readonly of: string;
  readonly validation: Validation | null;
}) {
  switch (validation?.state) {
    case undefined:
    case 'valid':
      return null;
    case 'unknown':
      return (
        <AdviceLine tone="warn">
          {of}: not validated. {validation.reason}
        </AdviceLine>
      );
    case 'invalid': {
      const [first] = validation.errors;
      const more = validation.errors.length - 1;
      return (
        <AdviceLine tone="warn">
          By the schema,{' '}
          {first?.pointer === '' ? (
            'it'
          ) : (
            <PlainText inline text={first?.pointer.slice(1) ?? ''} className="mono" />
          )}{' '}
          <PlainText inline text={first?.message ?? ''} />
          {more > 0 && ` · ${more} more`}
        </AdviceLine>
      );
    }
  }
}
