import { KeyRound, PencilLine, SquareArrowOutUpRight, TriangleAlert } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { editAndResend, resendableRow } from '#model/composer.ts';
import { OPEN_KEYS, openInPane, openInPaneLabel, paneOfMessage } from '#model/message-panes.ts';
import { selectPane, selectTraceRow, useSelection } from '#model/selection.ts';
import type { RowDetail, ServerEnd } from '#shared/contract/trace.ts';
import type { RowKind, NoiseReason, TraceRow } from '#shared/trace/row.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { CopyMenu } from '../copy/copy-menu.tsx';
import { HttpView } from '../http/http-view.tsx';
import type { RevealRequest } from '#ui/json-view/json-view.tsx';
import type { Clock } from '#model/trace-clock.ts';
import { EventDetails } from './event-details.tsx';
import { FindingsList, FindingsLabel, useFindings } from './findings.tsx';
import { HexView } from './hex-view.tsx';
import { useUnknownKeys } from './unknown-keys.ts';
import { MessageText, TruncatedNote, prettyText, RawText, useUnitText, useWireText } from './unit-text.tsx';
import { NoteLine } from '../selection/marks.tsx';
import { Relations } from './related-rows.tsx';
import { RowFacts } from './row-facts.tsx';

/** What the panel of a row does not decide itself. */
export interface PanelState {
  /** The one chosen for all rows, or the one that a link in this row leads to. */
  readonly tab: TabId;
  /** Whether the search bar of the message is open. */
  readonly isFinding: boolean;
}

/** Tabs that scroll their own content. */
const scrollsItself: ReadonlySet<TabId> = new Set<TabId>(['message', 'hex']);

/** The tabs of one row. Their content is reset with the row; the chosen tab and the search bar stay. */
export function RowPanel({
  sessionId,
  clock,
  detail,
  panel,
  onTab,
  onLink,
  onFind,
  halfSwitch,
  close,
}: {
  readonly sessionId: string;
  readonly clock: Clock | null;
  readonly detail: RowDetail;
  readonly panel: PanelState;
  readonly onTab: (tab: TabId) => void;
  /** Shows a tab that something in this row leads to, without choosing it for other rows. */
  readonly onLink: (tab: TabId) => void;
  readonly onFind: (isFinding: boolean) => void;
  readonly halfSwitch: ReactNode;
  readonly close: ReactNode;
}) {
  const { row, exchange } = detail;
  const unit = useUnitText(sessionId, detail);
  const wire = useWireText(unit, detail);
  const found = useFindings(sessionId, detail);
  const unknown = useUnknownKeys(sessionId, detail.row, unit);
  const [revealed, setRevealed] = useState<RevealRequest | null>(null);
  // A finding may concern several rows; its pointer is into the first of them.
  const notes = useMemo(
    () =>
      found.findings.flatMap(({ pointer, severity, text, rows }) =>
        pointer === null || rows[0] !== row.row ? [] : [{ pointer, severity, text }],
      ),
    [found, row.row],
  );
  const tabs = tabsOf(detail);
  const tab = tabs.includes(panel.tab) ? panel.tab : tabs[0];
  const showValue = (pointer: string) => {
    setRevealed({ pointer });
    onLink('message');
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
      onChange={onTab}
      trailing={
        <>
          {tab === 'message' && <CopyButton label="Copy, pretty-printed" text={() => prettyText(unit)} />}
          {tab === 'raw' && <CopyButton label="Copy, as it was sent" text={wire.text} />}
          <RowActions sessionId={sessionId} row={row} />
          <CopyMenu sessionId={sessionId} detail={detail} />
          {close}
        </>
      }
      className="flex-1"
    >
      <RowFacts sessionId={sessionId} detail={detail} clock={clock} halfSwitch={halfSwitch} />
      <NoteLine sessionId={sessionId} row={row} />
      <Relations sessionId={sessionId} detail={detail} />
      <InvalidNote sessionId={sessionId} detail={detail} onShowByte={() => onLink('hex')} />
      <AuthorizationNote detail={detail} />
      {unit.isTruncated && showsText.has(tab) && <TruncatedNote unit={unit} size={row.size} />}
      {tabs.map((id) => (
        <TabPanel key={id} id={id} className={scrollsItself.has(id) ? 'overflow-hidden' : 'overflow-auto'}>
          {id === 'message' && (
            <MessageText
              unit={unit}
              notes={notes}
              unknown={unknown}
              isFinding={panel.isFinding}
              onFind={onFind}
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

/** Opens the message of a row in its pane, and what was sent in the composer; of a response, its request. */
function RowActions({ sessionId, row }: { readonly sessionId: string; readonly row: TraceRow }) {
  const inPane = paneOfMessage(row);
  const resendable = resendableRow(row);
  return (
    <>
      {inPane !== null && (
        <IconButton
          size="small"
          label={openInPaneLabel(inPane)}
          shortcut={OPEN_KEYS}
          onClick={() => reportFault(openInPane(sessionId, inPane))}
        >
          <SquareArrowOutUpRight aria-hidden className="size-3.5" />
        </IconButton>
      )}
      {resendable !== null && (
        <IconButton
          size="small"
          label="Edit and resend"
          shortcut="Alt+Shift+R"
          onClick={() => reportFault(editAndResend(sessionId, resendable))}
        >
          <PencilLine aria-hidden className="size-3.5" />
        </IconButton>
      )}
    </>
  );
}

export const tabIds = ['message', 'raw', 'hex', 'details', 'http', 'findings'] as const;
export type TabId = (typeof tabIds)[number];

const tabLabels: Readonly<Record<TabId, string>> = {
  message: 'Message',
  raw: 'Raw',
  hex: 'Hex',
  details: 'Details',
  http: 'HTTP',
  findings: 'Findings',
};

/** The tabs of each kind of row, the default one first. */
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
  authorization: ['details'],
  definitions: ['details'],
  'held-back': ['raw', 'hex'],
};

/** Tabs that show the text of the row, which may be truncated. */
const showsText: ReadonlySet<TabId> = new Set<TabId>(['message', 'raw', 'details']);

/** Rows carried over HTTP also have the tab of their exchange. */
function tabsOf({ row, exchange }: RowDetail): readonly [TabId, ...TabId[]] {
  const own = ownTabs[row.kind];
  const withExchange = exchange === null || own.includes('http') ? own : ([...own, 'http'] as const);
  return row.finding === null ? withExchange : [...withExchange, 'findings'];
}

/** How to fix noise on standard output (MCP 2025-06-18 transports, stdio: only messages may be written there). */
const stdoutHints: Readonly<Record<NoiseReason, string>> = {
  'not-json':
    'print() in Python, console.log() in Node and fmt.Println() in Go write to standard output. Log to standard error instead: print(…, file=sys.stderr), console.error(), fmt.Fprintln(os.Stderr, …).',
  'half-json': 'Write each message on one line: no line breaks inside, one line break after it.',
  'several-values': 'Write a line break after every message.',
  'not-utf8': 'Set the encoding of standard output to UTF-8 in the server.',
  blank:
    'Write nothing between messages: a println() of a text that already ends with a line break makes such a line.',
  'too-large': 'The Hex tab shows its bytes.',
};

/** How to fix noise in the body of a request or response, or in an event of a stream. */
const httpHints: Readonly<Record<NoiseReason, string>> = {
  'not-json': 'The HTTP tab shows its status and content type.',
  'half-json': 'The HTTP tab shows how the exchange ended, and the declared length of its body.',
  'several-values': 'Send each message in its own body or event.',
  'not-utf8': 'Encode bodies and events in UTF-8.',
  blank:
    'A response without a message has no body (202 Accepted). Keep a stream open with comments, not with empty events.',
  'too-large': 'The Hex tab shows its bytes.',
};

const hintOf = ({ exchange }: TraceRow, noise: NoiseReason): string =>
  (exchange === null ? stdoutHints : httpHints)[noise];

/** Why the row is invalid, and how to fix it. */
function InvalidNote({
  sessionId,
  detail: { row, error, badByteAt, serverEnd },
  onShowByte,
}: {
  readonly sessionId: string;
  readonly detail: RowDetail;
  readonly onShowByte: () => void;
}) {
  if (error === null) return null;
  return (
    <div role="note" className="flex gap-2 border-b border-line bg-warn/10 px-3 py-2">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warn" />
      <div className="min-w-0">
        <PlainText text={error} />
        {serverEnd !== null && <ServerEndOf sessionId={sessionId} end={serverEnd} />}
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

/** Quotes what the server printed before it ended. */
const ServerEndOf = ({ sessionId, end }: { readonly sessionId: string; readonly end: ServerEnd }) => (
  <>
    <p className="mt-0.5 text-mute">
      The server {visibleLine(end.what)}, as row{' '}
      <RowLink row={end.row} onOpen={() => selectTraceRow(sessionId, end.row)} /> shows.
    </p>
    {end.quote !== null && (
      <PlainText text={end.quote} className="mono mt-1 border-l-2 border-line pl-2 text-xs" />
    )}
  </>
);

/** Leads from a response that demands authorization to its pane (RFC 6750 section 3). */
function AuthorizationNote({ detail: { exchange } }: { readonly detail: RowDetail }) {
  const isRecorded = useSelection(({ openedId }) => openedId !== null);
  const status = exchange?.responses.at(-1)?.status;
  if (status !== 401 && status !== 403) return null;
  return (
    <div role="note" className="flex items-center gap-2 border-b border-line bg-warn/10 px-3 py-1">
      <KeyRound aria-hidden className="size-3.5 shrink-0 text-warn" />
      <p className="min-w-0 flex-1">
        {status === 401 ? 'The server wants authorization.' : 'The authorization is not enough for this.'}
      </p>
      <Button size="small" onClick={() => selectPane('authorization')}>
        {isRecorded ? 'Show authorization' : 'Authorize…'}
      </Button>
    </div>
  );
}
