import type { ExchangeDetail } from '#shared/contract/trace.ts';
import { formatQuantity } from '#shared/format.ts';
import { RowList } from '../detail/related-rows.tsx';
import { Section } from './section.tsx';

/** The rows an exchange carried, in both directions; each leads to its place in the table. */
export function CarriedRows({
  sessionId,
  exchange: { row, request, carried, carriedCount },
  shown,
}: {
  readonly sessionId: string;
  readonly exchange: ExchangeDetail;
  /** The row that is shown already. */
  readonly shown: number;
}) {
  return (
    <Section title="Carried" says={formatQuantity(carriedCount, 'row')}>
      {carriedCount === 0 && <p className="px-3 text-mute">Nothing was on its bodies.</p>}
      <RowList
        sessionId={sessionId}
        label="Rows it carried"
        of={row}
        by="exchange"
        rows={carried}
        total={carriedCount}
        shown={shown}
        since={request.at}
      />
    </Section>
  );
}
