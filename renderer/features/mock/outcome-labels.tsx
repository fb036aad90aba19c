import type { MockExchange, MockMatch } from '#shared/contract/mocks.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { Chip, type Tone } from '#ui/chip.tsx';

const tones: Readonly<Record<MockMatch, Tone>> = {
  exact: 'ok',
  inexact: 'warn',
  miss: 'error',
  forwarded: 'info',
  silent: 'neutral',
  cancelled: 'neutral',
  own: 'neutral',
};

/** What became of a request, with the recorded row that answered it, and the faults that were injected. */
export function OutcomeChips({ exchange }: { readonly exchange: MockExchange }) {
  return (
    <span className="flex min-w-0 gap-1">
      <Chip tone={tones[exchange.match]}>{outcomeText(exchange)}</Chip>
      {exchange.faults.map((fault, place) => (
        // The order of the faults of one exchange never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <Chip key={place} tone="warn">
          {fault.do}, line {fault.line}
        </Chip>
      ))}
    </span>
  );
}

function outcomeText({ match, recordedRow }: MockExchange): string {
  const row = recordedRow === null ? '' : rowNumber(recordedRow);
  switch (match) {
    case 'exact':
      return `from ${row}`;
    case 'inexact':
      return `inexact, from ${row}`;
    case 'miss':
      return row === '' ? 'no match' : `no match, nearest ${row}`;
    case 'forwarded':
      return 'forwarded';
    case 'silent':
      return `no answer in ${row}`;
    case 'cancelled':
      return 'cancelled by the client';
    case 'own':
      return 'by the mock itself';
  }
}

/** Whether an exchange is as it was recorded, without a fault. */
export const isPlain = ({ match, faults }: MockExchange): boolean =>
  match !== 'miss' && match !== 'inexact' && match !== 'forwarded' && faults.length === 0;
