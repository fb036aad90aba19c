import { type ReactNode, useMemo, useState } from 'react';
import type { RowDetail } from '#shared/contract/trace.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import { CopyMenu } from '../copy/copy-menu.tsx';
import { HttpView } from '../http/http-view.tsx';
import type { RevealRequest } from '../json/json-view.tsx';
import type { Clock } from '../table/trace-clock.ts';
import { FindingsLabel } from './findings-tab.tsx';
import { FindingsList } from './findings-list.tsx';
import { EventDetails } from './event-details.tsx';
import { HexView } from './hex-view.tsx';
import { MessageText } from './message-text.tsx';
import { NoteLine } from './note-line.tsx';
import { ProblemNote } from './problem-note.tsx';
import { Relations } from './relations.tsx';
import { RowFacts } from './row-facts.tsx';
import { showsText, type TabId, tabLabels, tabsOf } from './row-tabs.ts';
import { CutNote, prettyText, RawText } from './unit-text.tsx';
import { useFindings } from './use-findings.ts';
import { useUnitText } from './use-unit-text.ts';
import { useWireText } from './wire-text.ts';

/** What stays open from row to row. */
export interface Wanted {
  readonly tab: TabId;
  /** The search in the message is open. */
  readonly isFinding: boolean;
}

/** Tabs that scroll what they hold by themselves. */
const scrollsItself: ReadonlySet<TabId> = new Set<TabId>(['message', 'hex']);

/** The tabs over one row; what they show is forgotten with the row, what the user wants is not. */
export function RowPanel({
  sessionId,
  clock,
  detail,
  wanted,
  onWant,
  halfSwitch,
  close,
}: {
  readonly sessionId: string;
  readonly clock: Clock | null;
  readonly detail: RowDetail;
  readonly wanted: Wanted;
  readonly onWant: (wanted: Wanted) => void;
  readonly halfSwitch: ReactNode;
  readonly close: ReactNode;
}) {
  const { row, exchange } = detail;
  const unit = useUnitText(sessionId, detail);
  const wire = useWireText(unit, detail);
  const found = useFindings(sessionId, detail);
  const [revealed, setRevealed] = useState<RevealRequest | null>(null);
  // A finding may rest on several rows; its pointer is into the first of them.
  const notes = useMemo(
    () =>
      found.findings.flatMap(({ pointer, severity, text, rows }) =>
        pointer === null || rows[0] !== row.row ? [] : [{ pointer, severity, text }],
      ),
    [found, row.row],
  );
  const tabs = tabsOf(detail);
  const tab = tabs.includes(wanted.tab) ? wanted.tab : tabs[0];
  const showTab = (id: TabId) => onWant({ ...wanted, tab: id });
  const showValue = (pointer: string) => {
    setRevealed({ pointer });
    showTab('message');
  };
  return (
    <Tabs
      label="Ways to look at the row"
      size="detail"
      tabs={tabs.map((id) => ({
        id,
        label: id === 'findings' ? <FindingsLabel detail={detail} found={found} /> : tabLabels[id],
      }))}
      value={tab}
      onChange={showTab}
      trailing={
        <>
          {tab === 'message' && <CopyButton label="Copy, pretty-printed" text={() => prettyText(unit)} />}
          {tab === 'raw' && <CopyButton label="Copy, as it was sent" text={wire.text} />}
          <CopyMenu sessionId={sessionId} detail={detail} />
          {close}
        </>
      }
      className="flex-1"
    >
      <RowFacts sessionId={sessionId} detail={detail} clock={clock} halfSwitch={halfSwitch} />
      <NoteLine sessionId={sessionId} row={row} />
      <Relations sessionId={sessionId} detail={detail} />
      <ProblemNote detail={detail} onShowByte={() => showTab('hex')} />
      {unit.isCut && showsText.has(tab) && <CutNote unit={unit} size={row.size} />}
      {tabs.map((id) => (
        <TabPanel key={id} id={id} className={scrollsItself.has(id) ? 'overflow-hidden' : 'overflow-auto'}>
          {id === 'message' && (
            <MessageText
              unit={unit}
              notes={notes}
              isFinding={wanted.isFinding}
              onFind={(isFinding) => onWant({ ...wanted, isFinding })}
              revealed={revealed}
            />
          )}
          {id === 'raw' && <RawText unit={wire} />}
          {id === 'hex' && (
            <HexView sessionId={sessionId} row={row.row} size={row.size} badByteAt={detail.badByteAt} />
          )}
          {id === 'details' && <EventDetails detail={detail} />}
          {id === 'findings' && (
            <FindingsList
              sessionId={sessionId}
              row={row.row}
              found={found}
              onShow={tabs.includes('message') ? showValue : null}
            />
          )}
          {id === 'http' && exchange && (
            <HttpView sessionId={sessionId} exchange={exchange} shown={row.row} clock={clock} />
          )}
        </TabPanel>
      ))}
    </Tabs>
  );
}
