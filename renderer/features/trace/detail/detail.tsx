import { X } from 'lucide-react';
import { type ReactNode, type Ref, useState } from 'react';
import { faultOf } from '#model/connection.ts';
import type { RowDetail } from '#shared/contract/trace.ts';
import { type RowKind, rowNumber } from '#shared/trace/row.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import { useSignal } from '../frame-signal.ts';
import type { TraceView } from '../trace-view.ts';
import { FindingsLabel } from './findings-tab.tsx';
import { FindingsList } from './findings-list.tsx';
import { HappeningTable } from './happening-table.tsx';
import { HexView } from './hex-view.tsx';
import { HttpView } from '../http/http-view.tsx';
import { ProblemNote } from './problem-note.tsx';
import { RowFacts } from './row-facts.tsx';
import { CutNote, MessageText, prettyText, RawText } from './unit-text.tsx';
import { useFindings } from './use-findings.ts';
import { useUnitText } from './use-unit-text.ts';
import { useWireText } from './wire-text.ts';

type TabId = 'message' | 'raw' | 'hex' | 'details' | 'http' | 'findings';

const labels: Readonly<Record<TabId, string>> = {
  message: 'Message',
  raw: 'Raw',
  hex: 'Hex',
  details: 'Details',
  http: 'HTTP',
  findings: 'Findings',
};

/** The ways to look at a row for itself, the best one first. */
const ownTabs: Readonly<Record<RowKind, readonly [TabId, ...TabId[]]>> = {
  request: ['message', 'raw', 'hex'],
  notification: ['message', 'raw', 'hex'],
  result: ['message', 'raw', 'hex'],
  error: ['message', 'raw', 'hex'],
  invalid: ['message', 'raw', 'hex'],
  noise: ['raw', 'hex'],
  http: ['http'],
  body: ['raw', 'hex'],
  sse: ['raw', 'hex'],
  stderr: ['raw', 'hex'],
  process: ['details'],
  phase: ['details'],
  switches: ['details'],
};

const showsText: ReadonlySet<TabId> = new Set<TabId>(['message', 'raw', 'details']);

/** What an HTTP exchange carried can be looked at together with that exchange. */
function tabsOf({ row, exchange }: RowDetail): readonly [TabId, ...TabId[]] {
  const own = ownTabs[row.kind];
  const withExchange = exchange === null || own.includes('http') ? own : ([...own, 'http'] as const);
  return row.finding === null ? withExchange : [...withExchange, 'findings'];
}

/** Everything about the selected row. */
export function Detail({
  view,
  ref,
  onClose,
}: {
  readonly view: TraceView;
  readonly ref: Ref<HTMLElement>;
  readonly onClose: () => void;
}) {
  useSignal(view.signal);
  const [wanted, setWanted] = useState<TabId>('message');
  const { detail, failure } = view.detail;
  const close = (
    <IconButton label="Close the detail" shortcut="Escape" size="small" onClick={onClose}>
      <X aria-hidden className="size-3.5" />
    </IconButton>
  );
  return (
    <section
      ref={ref}
      aria-label={view.selected === null ? 'Row' : `Row ${rowNumber(view.selected)}`}
      tabIndex={-1}
      onKeyDown={(press) => {
        if (press.key !== 'Escape') return;
        press.stopPropagation();
        onClose();
      }}
      className="flex min-h-0 flex-1 flex-col outline-none"
    >
      {failure !== null ? (
        <FaultCard
          fault={faultOf(failure)}
          actions={
            <>
              <Button onClick={() => view.detail.retry()}>Try again</Button>
              <Button onClick={onClose}>Close</Button>
            </>
          }
          className="m-2"
        />
      ) : (
        detail && (
          <RowPanel
            key={detail.row.row}
            view={view}
            detail={detail}
            wanted={wanted}
            onWant={setWanted}
            close={close}
          />
        )
      )}
    </section>
  );
}

/** The tabs over one row; what they show is forgotten with the row, which tab was wanted is not. */
function RowPanel({
  view: { sessionId, clock },
  detail,
  wanted,
  onWant,
  close,
}: {
  readonly view: TraceView;
  readonly detail: RowDetail;
  readonly wanted: TabId;
  readonly onWant: (tab: TabId) => void;
  readonly close: ReactNode;
}) {
  const { row, exchange } = detail;
  const unit = useUnitText(sessionId, detail);
  const wire = useWireText(unit, detail);
  const found = useFindings(sessionId, detail);
  const tabs = tabsOf(detail);
  const tab = tabs.includes(wanted) ? wanted : tabs[0];
  return (
    <Tabs
      label="Ways to look at the row"
      size="detail"
      tabs={tabs.map((id) => ({
        id,
        label: id === 'findings' ? <FindingsLabel detail={detail} found={found} /> : labels[id],
      }))}
      value={tab}
      onChange={onWant}
      trailing={
        <>
          {tab === 'message' && <CopyButton label="Copy, pretty-printed" text={() => prettyText(unit)} />}
          {tab === 'raw' && <CopyButton label="Copy, as it was sent" text={wire.text} />}
          {close}
        </>
      }
      className="flex-1"
    >
      <RowFacts sessionId={sessionId} detail={detail} clock={clock} />
      <ProblemNote detail={detail} onShowByte={() => onWant('hex')} />
      {unit.isCut && showsText.has(tab) && <CutNote unit={unit} size={row.size} />}
      {tabs.map((id) => (
        <TabPanel key={id} id={id} className={id === 'hex' ? 'overflow-hidden' : 'overflow-auto'}>
          {id === 'message' && <MessageText unit={unit} />}
          {id === 'raw' && <RawText unit={wire} />}
          {id === 'hex' && (
            <HexView sessionId={sessionId} row={row.row} size={row.size} badByteAt={detail.badByteAt} />
          )}
          {id === 'details' && <HappeningTable detail={detail} />}
          {id === 'findings' && <FindingsList sessionId={sessionId} row={row.row} found={found} />}
          {id === 'http' && exchange && (
            <HttpView sessionId={sessionId} exchange={exchange} shown={row.row} clock={clock} />
          )}
        </TabPanel>
      ))}
    </Tabs>
  );
}
