import type { RowDetail } from '#shared/contract/trace.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { eventFacts } from './event-facts.ts';

/** A row without a text of its own, as a table to read. */
export function EventDetails({ detail }: { readonly detail: RowDetail }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 p-3">
      {eventFacts(detail).map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="text-faint">{label}</dt>
          <dd className={label === 'what' ? '' : 'mono leading-[1.6]'}>
            {(typeof value === 'string' ? [value] : value).map((line, place) => (
              <PlainText key={place} text={line} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
