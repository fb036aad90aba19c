import { RotateCw, ScrollText, Square } from 'lucide-react';
import { useRef, useState } from 'react';
import { restartMock, stdioCommandOf, stopMock, useExchanges, useMock } from '#model/mocks.ts';
import { useCurrentServer } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { useAction } from '#model/use-query.ts';
import type { MockExchange, ServedMock } from '#shared/contract/mocks.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { StatusDot } from '#ui/status-dot.tsx';
import { visibleLine } from '#ui/visible.ts';
import { ExchangeDetail } from './exchange-detail.tsx';
import { ExchangeList } from './exchange-list.tsx';
import { matchLabels } from './mock-form.tsx';
import { isPlain } from './outcome-labels.tsx';

/** A mock that this app serves: its address, and what it was asked beside what it answered. */
export function MockPane() {
  const server = useCurrentServer();
  const mock = useMock(server?.id ?? null);
  if (mock === null) return <div role="group" aria-busy aria-label="The mock is loading" />;
  return <Mock key={mock.serverId} mock={mock} />;
}

function Mock({ mock }: { readonly mock: ServedMock }) {
  const { exchanges, fault } = useExchanges(mock);
  const [shows, setShows] = useState<'all' | 'other'>('all');
  const others = exchanges.filter((exchange) => !isPlain(exchange));
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Address mock={mock} />
      <div className="flex min-h-[34px] shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-1">
        <Segmented
          label="Requests to list"
          value={shows}
          onChange={setShows}
          options={[
            { id: 'all', label: 'All' },
            { id: 'other', label: `Not as recorded ${formatCount(others.length)}` },
          ]}
        />
        <p role="status" className="min-w-0 text-sm text-mute">
          {summaryOf(mock)}
        </p>
      </div>
      {fault !== null && <FaultCard fault={fault} className="m-3" />}
      {mock.total === 0 ? (
        <EmptyState icon={<ScrollText />} title="Nothing was asked yet">
          {mock.isRunning
            ? 'Connect a client to the URL, or connect to this server here: each request appears beside its answer.'
            : 'The mock is stopped.'}
        </EmptyState>
      ) : (
        <Exchanges mock={mock} exchanges={shows === 'all' ? exchanges : others} />
      )}
    </div>
  );
}

/** Where the mock listens, how it answers, and what ends it. */
function Address({ mock }: { readonly mock: ServedMock }) {
  const { serverId, url, isRunning, settings, path } = mock;
  const forwardedTo = useServers(({ servers }) => servers.find(({ id }) => id === settings.forwardTo)?.name);
  const stopping = useAction(() => stopMock(serverId));
  const starting = useAction(() => restartMock(serverId));
  const fault = stopping.fault ?? starting.fault;
  const isBusy = stopping.isRunning || starting.isRunning;
  return (
    <section aria-label="Address of the mock" className="shrink-0 border-b border-line px-3.5 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span className="flex items-center gap-2">
          <StatusDot tone={isRunning ? 'ok' : 'off'} />
          {isRunning ? 'serving' : 'stopped'}
        </span>
        <span className="flex min-w-0 items-center gap-1">
          <span className="mono min-w-0 truncate font-medium">{url}</span>
          <CopyButton text={url} label="Copy the URL" />
        </span>
        <span className="ml-auto flex flex-wrap gap-2">
          <CopyButton text={() => stdioCommandOf(mock)} label="Copy the stdio command" withWord />
          <Button
            size="small"
            icon={<Square aria-hidden className="size-3" />}
            // Not disabled, which would take its focus away.
            aria-disabled={isBusy || !isRunning}
            className={cx(!isRunning && 'opacity-50')}
            onClick={() => void (isBusy || !isRunning || stopping.run())}
          >
            Stop
          </Button>
          <Button
            size="small"
            icon={<RotateCw aria-hidden className="size-3.5" />}
            aria-disabled={isBusy}
            onClick={() => void (isBusy || starting.run())}
          >
            Start again
          </Button>
        </span>
      </div>
      <p className="mt-1 text-sm text-mute">
        <PlainText text={path} inline className="mono [overflow-wrap:anywhere]" /> ·{' '}
        {matchLabels[settings.match]} · latency {settings.latency}
        {settings.forwardTo !== null &&
          ` · misses forwarded to ${visibleLine(forwardedTo ?? 'a removed server')}`}
        {settings.faults !== null && (
          <>
            {' '}
            · faults{' '}
            <PlainText text={settings.faults.path} inline className="mono [overflow-wrap:anywhere]" />, seed{' '}
            {settings.faults.seed}
          </>
        )}
      </p>
      {fault !== null && <FaultCard fault={fault} className="mt-2" />}
    </section>
  );
}

function summaryOf({ total, inexact, misses, faults, clients, unused }: ServedMock): string {
  const parts = [
    formatQuantity(total, 'request'),
    `from ${formatQuantity(clients, 'client')}`,
    ...(misses > 0 ? [formatQuantity(misses, 'miss', 'misses')] : []),
    ...(inexact > 0 ? [`${formatCount(inexact)} inexact`] : []),
    ...(faults > 0 ? [`${formatQuantity(faults, 'fault')} injected`] : []),
    unused === 0
      ? 'every recorded call was requested'
      : `${formatQuantity(unused, 'recorded call')} not requested`,
  ];
  return parts.join(' · ');
}

function Exchanges({
  mock,
  exchanges,
}: {
  readonly mock: ServedMock;
  readonly exchanges: readonly MockExchange[];
}) {
  const [selected, setSelected] = useState<{ readonly run: number; readonly number: number } | null>(null);
  const number = selected?.run === mock.run ? selected.number : null;
  const list = useRef<HTMLDivElement>(null);
  const detail = useRef<HTMLElement>(null);
  return (
    <Split id="mock" direction="row" className="min-h-0 flex-1">
      <SplitPanel id="mock-requests" size="46%" min={220}>
        {exchanges.length === 0 ? (
          <p className="px-3.5 py-2 text-mute">Every request was answered as recorded.</p>
        ) : (
          <ExchangeList
            ref={list}
            exchanges={exchanges}
            selected={number}
            onSelect={(chosen) => setSelected(chosen === null ? null : { run: mock.run, number: chosen })}
            onEnter={() => detail.current?.focus()}
          />
        )}
      </SplitPanel>
      <SplitHandle label="Width of the requests" />
      <SplitPanel id="mock-exchange" min={240}>
        <ExchangeDetail ref={detail} mock={mock} number={number} onClose={() => list.current?.focus()} />
      </SplitPanel>
    </Split>
  );
}
