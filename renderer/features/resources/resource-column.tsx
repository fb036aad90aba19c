import { Bell, BellOff, Download, type LucideIcon, RefreshCw, WrapText } from 'lucide-react';
import { type ComponentProps, useMemo, useState } from 'react';
import { cancelCall, resultOf } from '#model/calls.ts';
import { useShowInTrace } from '#model/message-panes.ts';
import { selectTraceRow } from '#model/selection.ts';
import { canSend, type SessionStatus } from '#model/sessions.ts';
import { canSubscribe, subscribe, unsubscribe } from '#model/subscriptions.ts';
import { useQuery } from '#model/use-query.ts';
import { isUnderWay, type Call } from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Subscription } from '#shared/contract/subscriptions.ts';
import { formatBytes, formatClock, formatDuration } from '#shared/format.ts';
import { errorCodeName } from '#shared/protocol/jsonrpc.ts';
import { OpenInBrowser } from '#ui/address-view.tsx';
import { Button, IconButton } from '#ui/button.tsx';
import { OtherMembers } from '#ui/content/other-members.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { DetailHeading } from '#ui/detail-heading.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { bytesOfBase64 } from '#ui/media/media.ts';
import { PlainText, VisibleText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { saveFile } from '#ui/save-file.ts';
import { Segmented } from '#ui/segmented.tsx';
import { visibleLine } from '#ui/visible.ts';
import { ContentsView } from './contents-view.tsx';
import { type Contents, readContents, type ReadContents } from './read-contents.ts';
import { readResource, type ResourceLine, useResourcesState } from './resources-state.ts';

interface ResourceColumnProps {
  readonly session: SessionStatus;
  readonly uri: string;
  /** Its entry in the list; null if it is not listed. */
  readonly line: ResourceLine | null;
  readonly shown: Call | null;
  readonly fault: Fault | null;
  readonly subscription: Subscription | null;
  /** Lines that differ from the read before; null if they are not known. */
  readonly changed: ReadonlySet<number> | null;
}

/** One resource: what it is, and what reading it returned. */
export function ResourceColumn(props: ResourceColumnProps) {
  const { session, uri, line, shown, fault, subscription, changed } = props;
  const result = useReadResult(shown);
  useShowInTrace(session.id, shown?.requestRow ?? null);
  return (
    <section aria-label="Resource" className="flex h-full min-h-0 flex-col">
      <Head
        session={session}
        uri={uri}
        line={line}
        shown={shown}
        result={result}
        subscription={subscription}
      />
      {fault !== null && <FaultCard fault={fault} className="mx-4 mb-2" />}
      {shown === null ? (
        <EmptyState title="Not read yet">Read the resource: its contents appear here.</EmptyState>
      ) : (
        <Outcome key={shown.id} call={shown} result={result} changed={changed} />
      )}
    </section>
  );
}

/** The result of a read that has ended. */
export interface ReadResult {
  readonly text: string;
  readonly isCut: boolean;
  /** Null if the result is not a JSON object, or is truncated. */
  readonly read: ReadContents | null;
}

/** The result of a read; null while there is none. */
export function useReadResult(call: Call | null): ReadResult | null {
  const isOver = call !== null && !isUnderWay(call);
  const { result } = useQuery(isOver ? `${call.sessionId} ${call.id}` : null, () =>
    call === null ? Promise.resolve({ text: null, isCut: false }) : resultOf(call),
  );
  return useMemo(() => {
    if (result === null || result.text === null) return null;
    const { text, isCut } = result;
    return { text, isCut, read: isCut ? null : readContents(text) };
  }, [result]);
}

function Head({
  session,
  uri,
  line,
  shown,
  result,
  subscription,
}: Pick<ResourceColumnProps, 'session' | 'uri' | 'line' | 'shown' | 'subscription'> & {
  readonly result: ReadResult | null;
}) {
  const isConnected = canSend(session);
  const first = result?.read?.contents[0];
  return (
    <div className="@container shrink-0 px-4 pt-3 pb-2">
      <DetailHeading
        title={line?.title ?? lastSegment(uri)}
        raw={line?.entry.raw ?? null}
        actions={
          <>
            {shown !== null && isUnderWay(shown) ? (
              <Button size="small" onClick={() => void cancelCall(shown)}>
                Cancel
              </Button>
            ) : (
              <Button
                size="small"
                variant={shown === null ? 'primary' : 'plain'}
                icon={<RefreshCw aria-hidden className="size-3.5" />}
                disabled={!isConnected}
                onClick={() => void readResource(session.id, uri)}
              >
                {shown === null ? 'Read' : 'Read again'}
              </Button>
            )}
            {(subscription !== null || canSubscribe(session)) && (
              <FoldingButton
                label={subscription === null ? 'Subscribe' : 'Unsubscribe'}
                Icon={subscription === null ? Bell : BellOff}
                disabled={!isConnected}
                onClick={() =>
                  void (subscription === null ? subscribe(session, uri) : unsubscribe(subscription))
                }
              />
            )}
            {first !== undefined && first.body.kind !== 'none' && (
              <FoldingButton label="Save" Icon={Download} onClick={() => save(uri, first)} />
            )}
          </>
        }
      >
        <div className="flex items-center gap-x-3">
          <span className="flex min-w-0 items-center gap-1">
            <span className="mono min-w-0 truncate text-mute">
              <VisibleText text={visibleLine(uri)} />
            </span>
            <CopyButton text={uri} label="Copy the URI" className="shrink-0" />
            <OpenInBrowser uri={uri} />
          </span>
          <p className="flex min-w-[min(40%,130px)] shrink-[100] gap-x-2 text-sm text-mute empty:hidden">
            <span className="truncate empty:hidden">{factsOf(shown, first)}</span>
            {shown !== null && (
              <RowLink row={shown.requestRow} onOpen={(row) => selectTraceRow(shown.sessionId, row)} />
            )}
          </p>
        </div>
      </DetailHeading>
    </div>
  );
}

/** A button that shows its icon only where the head is narrow. */
function FoldingButton({
  label,
  Icon,
  ...rest
}: { readonly label: string; readonly Icon: LucideIcon } & Pick<
  ComponentProps<'button'>,
  'disabled' | 'onClick'
>) {
  return (
    <Button size="small" title={label} icon={<Icon aria-hidden className="size-3.5" />} {...rest}>
      <span className="@max-[480px]:sr-only">{label}</span>
    </Button>
  );
}

/** `text/markdown · 2,951 B · read 14:22:07 in 8.2 ms` */
function factsOf(call: Call | null, contents: Contents | undefined): string {
  const body = contents?.body ?? null;
  return [
    contents?.mimeType == null ? null : visibleLine(contents.mimeType),
    body === null || body.kind === 'none' ? null : body.size === null ? 'not base64' : formatBytes(body.size),
    call === null ? null : `read ${formatClock(call.startedAt).slice(0, 8)}`,
    call === null || call.duration === null ? null : formatDuration(call.duration),
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

/** The last segment of a URI, or all of it. */
function lastSegment(uri: string): string {
  const path = uri.endsWith('/') ? uri.slice(0, -1) : uri;
  return path.slice(path.lastIndexOf('/') + 1) || uri;
}

function save(uri: string, { body }: Contents): void {
  if (body.kind === 'text') saveFile(lastSegment(uri), body.text);
  if (body.kind !== 'blob') return;
  // What is not base64 has no bytes of its own, so it is saved as it was sent.
  saveFile(lastSegment(uri), body.size === null ? body.data : bytesOfBase64(body.data));
}

function Outcome({
  call,
  result,
  changed,
}: {
  readonly call: Call;
  readonly result: ReadResult | null;
  readonly changed: ReadonlySet<number> | null;
}) {
  const view = useResourcesState((state) => state.view);
  const [wraps, setWraps] = useState(true);
  if (isUnderWay(call)) return <p className="px-4 text-mute">Reading…</p>;
  if (call.state !== 'ok') return <Failure call={call} />;
  if (result === null)
    return <div role="group" aria-busy aria-label="The contents are loading" className="h-8" />;
  const { text, isCut, read } = result;
  return (
    <>
      <div className="flex shrink-0 items-center gap-2 border-y border-line px-4 py-1">
        <Segmented
          label="Show the contents as"
          value={view}
          onChange={(chosen) => useResourcesState.setState({ view: chosen })}
          options={[
            { id: 'preview', label: 'Preview' },
            { id: 'hex', label: 'Hex' },
            { id: 'message', label: 'Result' },
          ]}
        />
        {changed !== null && changed.size > 0 && (
          <span
            title="changed since the read before"
            className="min-w-0 truncate border-l-2 border-in pl-1.5 text-sm text-mute"
          >
            changed since the read before
          </span>
        )}
        <IconButton
          label="Wrap long lines"
          size="small"
          pressed={wraps}
          className="ml-auto shrink-0"
          onClick={() => setWraps(!wraps)}
        >
          <WrapText aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      <div
        role="region"
        aria-label="Contents"
        // A scrolling region must be reachable by keyboard.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto px-4 py-2"
      >
        {read?.errors.map((error) => (
          <p key={error} className="mb-2 text-sm text-warn">
            {error}
          </p>
        ))}
        {isCut && (
          <p className="mb-2 text-sm text-warn">
            The result is too long to show here. This is its beginning; the trace has all of it.
          </p>
        )}
        {view === 'message' || read === null ? (
          <JsonText raw={text} isCut={isCut} />
        ) : (
          <>
            <ContentsView contents={read.contents} view={view} changed={changed} wraps={wraps} />
            <div className="mt-2 empty:hidden">
              <OtherMembers text={text} rendered={RENDERED} />
            </div>
          </>
        )}
      </div>
    </>
  );
}

/** Members that the preview shows, or that only say which kind of result it is. */
const RENDERED = ['contents', 'resultType'];

/** Why a read has no contents. */
function Failure({ call: { error, fault, state } }: { readonly call: Call }) {
  if (error === null) {
    if (fault !== null) return <FaultCard fault={fault} className="mx-4" />;
    return <p className="px-4 text-mute">{state === 'cancelled' ? 'Cancelled.' : 'There is no response.'}</p>;
  }
  return (
    <section
      aria-label="Error"
      className="mx-4 rounded-ui border border-line border-l-2 border-l-err bg-panel px-3 py-2.5"
    >
      <code className="mono text-err">{error.code}</code>{' '}
      <span className="font-medium">{errorCodeName(error.code)}</span>
      <PlainText text={error.message} className="mt-1" />
      {error.data != null && <JsonText raw={JSON.stringify(error.data)} className="mt-1" />}
    </section>
  );
}
