import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { RowDetail } from '#shared/contract/trace.ts';
import type { RowKind, NoiseReason, TraceRow } from '#shared/trace/row.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import { CopyMenu } from '../copy/copy-menu.tsx';
import { HttpView } from '../http/http-view.tsx';
import type { RevealRequest } from '../json/json-view.tsx';
import type { Clock } from '../table/row-times.ts';
import { EventDetails } from './event-details.tsx';
import { FindingsList, FindingsLabel, useFindings } from './findings.tsx';
import { HexView } from './hex-view.tsx';
import { MessageText, CutNote, prettyText, RawText, useUnitText, useWireText } from './unit-text.tsx';
import { NoteLine } from '../selection/marks.tsx';
import { Relations } from './related-rows.tsx';
import { RowFacts } from './row-facts.tsx';

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

type TabId = 'message' | 'raw' | 'hex' | 'details' | 'http' | 'findings';

const tabLabels: Readonly<Record<TabId, string>> = {
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
  'held-back': ['raw', 'hex'],
};

/** Where the text of the row is shown, of which the end may be missing. */
const showsText: ReadonlySet<TabId> = new Set<TabId>(['message', 'raw', 'details']);

/** What an HTTP exchange carried can be looked at together with that exchange. */
function tabsOf({ row, exchange }: RowDetail): readonly [TabId, ...TabId[]] {
  const own = ownTabs[row.kind];
  const withExchange = exchange === null || own.includes('http') ? own : ([...own, 'http'] as const);
  return row.finding === null ? withExchange : [...withExchange, 'findings'];
}

/** What to do about noise on standard output (MCP 2025-06-18 transports, stdio: only messages may be written there). */
const stdoutHints: Readonly<Record<NoiseReason, string>> = {
  'not-json':
    'print() in Python, console.log() in Node and fmt.Println() in Go write to standard output. Send such text to standard error: print(…, file=sys.stderr), console.error(), fmt.Fprintln(os.Stderr, …).',
  'half-json': 'Write each message whole on one line: no line breaks inside, one line break after it.',
  'several-values': 'Write a line break after every message.',
  'not-utf8': 'Set the encoding of standard output to UTF-8 where the server writes it.',
  blank: 'Write nothing between messages: a println() after a text that ends its line makes such a line.',
  'too-large': 'Hex shows its bytes.',
};

/** What to do about noise in the body of a request or response, or in an event of a stream. */
const httpHints: Readonly<Record<NoiseReason, string>> = {
  'not-json': 'The HTTP tab shows the status and the content type it came with.',
  'half-json': 'The HTTP tab shows how the exchange ended, and how long its body was said to be.',
  'several-values': 'Send each message as a body or an event of its own.',
  'not-utf8': 'Encode bodies and events in UTF-8.',
  blank:
    'A response without a message has no body at all (202 Accepted), and a stream is kept open by comments, not by empty events.',
  'too-large': 'Hex shows its bytes.',
};

const hintOf = ({ exchange }: TraceRow, noise: NoiseReason): string =>
  (exchange === null ? stdoutHints : httpHints)[noise];

/** Why the row is not what it should be, and what to do about it. */
function ProblemNote({
  detail: { row, problem, badByteAt },
  onShowByte,
}: {
  readonly detail: RowDetail;
  readonly onShowByte: () => void;
}) {
  if (problem === null) return null;
  return (
    <div role="note" className="flex gap-2 border-b border-line bg-warn/10 px-3 py-2">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warn" />
      <div className="min-w-0">
        <PlainText text={problem} />
        {row.noise !== null && <p className="mt-0.5 text-mute">{hintOf(row, row.noise)}</p>}
        {badByteAt !== null && (
          <p className="mt-0.5 text-mute">
            The first bad byte is{' '}
            <button
              type="button"
              onClick={onShowByte}
              className="text-key underline-offset-2 hover:underline"
            >
              byte {badByteAt}
            </button>
            , counted from 0.
          </p>
        )}
      </div>
    </div>
  );
}
