import type { OpenedTrace } from '#shared/contract/traces.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { Contents } from './overview/contents.tsx';
import { Origin } from './overview/origin.tsx';
import { TraceActions } from './overview/trace-actions.tsx';
import { Reading } from './overview/reading.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The opened trace on screen: what it is a record of, what is in it, and what is wrong with its file. */
export function OpenedPane({ trace }: { readonly trace: OpenedTrace }) {
  return (
    <div className="flex h-full flex-col gap-4 overflow-auto px-4 py-3.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="min-w-0 truncate text-lg font-semibold">{visibleLine(trace.name)}</h2>
        <TraceActions trace={trace} />
      </div>
      <Reading trace={trace} />
      {trace.faults.map((fault) => (
        <FaultCard key={fault.code} fault={fault} />
      ))}
      <div className="grid items-start gap-x-8 gap-y-5 min-[1000px]:grid-cols-[minmax(280px,8fr)_minmax(260px,5fr)]">
        <Origin trace={trace} />
        <Contents trace={trace} />
      </div>
    </div>
  );
}
