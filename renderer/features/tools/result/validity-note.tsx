import { Check, CircleHelp, TriangleAlert } from 'lucide-react';
import type { Validity } from '#shared/contract/calls.ts';
import { formatQuantity } from '#shared/format.ts';
import { PlainText } from '#ui/plain-text.tsx';

/** Whether a value matches a schema of the tool, in one line that opens to the problems. */
export function ValidityNote({
  validity,
  schema,
}: {
  readonly validity: Validity;
  /** What to call the schema. */
  readonly schema: 'input schema' | 'output schema';
}) {
  switch (validity.verdict) {
    case 'valid':
      return (
        <span className="flex items-center gap-1 text-in">
          <Check aria-hidden className="size-3 shrink-0" /> matches the {schema}
        </span>
      );
    case 'unknown':
      return (
        <span className="flex items-start gap-1 text-warn">
          <CircleHelp aria-hidden className="mt-[3px] size-3 shrink-0" />
          <PlainText
            inline
            text={`Not validated against the ${schema}: ${validity.why}`}
            className="min-w-0"
          />
        </span>
      );
    case 'invalid':
      return (
        <details className="min-w-0 text-err">
          <summary className="flex items-center gap-1">
            <TriangleAlert aria-hidden className="size-3 shrink-0" />
            {formatQuantity(validity.problems.length, 'problem')} by the {schema}
          </summary>
          <ul>
            {validity.problems.map(({ pointer, message }, index) => (
              // The same may be wrong in the same place twice; a verdict never changes.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index}>
                <PlainText inline text={pointer || 'the whole'} className="mono" />{' '}
                <PlainText inline text={message} />
              </li>
            ))}
          </ul>
        </details>
      );
  }
}
