import type { ReactNode, Ref } from 'react';
import { call } from '#bridge';
import { showRecordedRow } from '#model/mocks.ts';
import { useQuery } from '#model/use-query.ts';
import type { ValueDifference } from '#shared/contract/comparison.ts';
import { differenceTexts } from '#shared/contract/comparison.ts';
import type { MockExchangeDetail, ServedMock, ShownText } from '#shared/contract/mocks.ts';
import { formatClock, formatCount } from '#shared/format.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { clientText } from './exchange-list.tsx';
import { OutcomeChips } from './outcome-labels.tsx';

/** Limit of differing paths that are listed. */
const MAX_PATHS = 20;

/** One exchange of a mock: what was asked beside what was answered, why, and what the recording has. */
export function ExchangeDetail({
  mock,
  number,
  onClose,
  ref,
}: {
  readonly mock: ServedMock;
  /** Of the exchange; null if none is selected. */
  readonly number: number | null;
  /** Puts the focus back on the list. */
  readonly onClose: () => void;
  readonly ref: Ref<HTMLElement>;
}) {
  const { serverId, run } = mock;
  const key = number === null ? null : JSON.stringify([serverId, run, number]);
  const { result, fault } = useQuery(key, () =>
    call('mocks/exchange', { serverId, run, number: number ?? 1 }),
  );
  return (
    <section
      ref={ref}
      tabIndex={-1}
      aria-label="Exchange"
      aria-busy={key !== null && result === null && fault === null}
      onKeyDown={(press) => {
        if (press.key === 'Escape' && !press.defaultPrevented) onClose();
      }}
      className="@container h-full min-h-0 overflow-y-auto outline-none"
    >
      {number === null && (
        <EmptyState title="No request selected">
          Select a request to see it beside what was answered.
        </EmptyState>
      )}
      {fault !== null && <FaultCard fault={fault} className="m-3" />}
      {result !== null && number !== null && <Exchange mock={mock} exchange={result} />}
    </section>
  );
}

function Exchange({ mock, exchange }: { readonly mock: ServedMock; readonly exchange: MockExchangeDetail }) {
  const { at, method, target, match, why, differences, recordedRow, recorded, params, response } = exchange;
  const isAsRecorded = (match === 'exact' || match === 'silent') && exchange.faults.length === 0;
  return (
    <div className="flex flex-col gap-3 px-3.5 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="mono min-w-0 truncate font-semibold">
          {visibleLine(method)}
          {target !== null && <span className="font-normal text-mute"> {visibleLine(target)}</span>}
        </h3>
        <OutcomeChips exchange={exchange} />
        <span className="text-sm text-mute">
          client {visibleLine(clientText(exchange))} · <span className="tabular-nums">{formatClock(at)}</span>
        </span>
      </div>
      {why !== '' && (
        <p className="border-l-2 border-l-warn pl-2.5 [overflow-wrap:anywhere]">
          <VisibleText text={why} />
        </p>
      )}
      <div className="grid items-start gap-3 @min-[400px]:grid-cols-2">
        <Text title="Asked" none="The request has no params." text={params} />
        <Text title="Answered" none="Nothing was answered." text={response} />
      </div>
      {recordedRow !== null && !isAsRecorded && recorded !== null && (
        <>
          <h4 className="caption -mb-1.5 flex gap-2">
            {match === 'miss' ? 'The nearest recording' : 'The recording'}
            <RowLink row={recordedRow} onOpen={(row) => reportFault(showRecordedRow(mock, row))} />
          </h4>
          <div className="grid items-start gap-3 @min-[400px]:grid-cols-2">
            <Text title="Recorded request" none="It has no params." text={recorded.params} />
            <Text title="Recorded response" none="No response was recorded." text={recorded.response} />
          </div>
        </>
      )}
      {differences.length > 0 && <Differences differences={differences} />}
      {recordedRow !== null && isAsRecorded && (
        <p className="text-sm text-mute">
          Recorded in row{' '}
          <RowLink row={recordedRow} onOpen={(row) => reportFault(showRecordedRow(mock, row))} /> of the
          trace.
        </p>
      )}
    </div>
  );
}

function Differences({ differences }: { readonly differences: readonly ValueDifference[] }) {
  return (
    <ul aria-label="Paths that differ" className="flex flex-col">
      {differences.slice(0, MAX_PATHS).map((difference) => (
        <li key={difference.path} className="flex min-w-0 flex-wrap gap-x-2 leading-6">
          <span className="mono text-key">{visibleLine(difference.path)}</span>
          <DifferenceText difference={difference} />
        </li>
      ))}
      {differences.length > MAX_PATHS && (
        <li className="text-mute">{formatCount(differences.length - MAX_PATHS)} more</li>
      )}
    </ul>
  );
}

function DifferenceText({ difference: { kind, recorded, other } }: { readonly difference: ValueDifference }) {
  if (recorded === null) return <span className="text-mute">not in the recording</span>;
  if (other === null) return <span className="text-mute">missing in the request</span>;
  return (
    <span className="mono min-w-0 [overflow-wrap:anywhere]">
      <span className="text-mute">{differenceTexts[kind]}: recorded </span>
      <VisibleText text={recorded} />
      <span className="text-mute">, now </span>
      <VisibleText text={other} />
    </span>
  );
}

/** A JSON text under its title. @param none is said where there is no text */
function Text({
  title,
  none,
  text,
}: {
  readonly title: string;
  readonly none: ReactNode;
  readonly text: ShownText | null;
}) {
  return (
    <section aria-label={title} className="min-w-0 rounded-ui border border-line bg-panel">
      <div className="flex h-7 items-center justify-between border-b border-line pr-1 pl-2.5">
        <h4 className="text-sm font-medium text-mute">{title}</h4>
        {text !== null && <CopyButton text={text.text} label={`Copy: ${title}`} />}
      </div>
      <div className="px-2.5 py-1.5">
        {text === null ? (
          <p className="text-mute">{none}</p>
        ) : (
          <JsonText raw={text.text} isCut={text.isCut} />
        )}
      </div>
    </section>
  );
}
