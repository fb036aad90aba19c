import { ChevronDown, MessageSquareText } from 'lucide-react';
import { useMemo } from 'react';
import { cancelCall, resultOf } from '#model/calls.ts';
import { useShowInTrace } from '#model/message-panes.ts';
import { selectTraceRow } from '#model/selection.ts';
import { useQuery } from '#model/use-query.ts';
import { isUnderWay, type Call } from '#shared/contract/calls.ts';
import { formatBytes, formatClock, formatDuration } from '#shared/format.ts';
import { errorCodeName } from '#shared/protocol/jsonrpc.ts';
import { Button } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { ForAudience } from '#ui/content/annotations.tsx';
import { BlockView } from '#ui/content/block-view.tsx';
import { OtherMembers } from '#ui/content/other-members.tsx';
import { annotationsOf } from '#ui/content/read-content.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { Menu } from '#ui/menu.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { visibleLine } from '#ui/visible.ts';
import { promptText, readPrompt } from './read-prompt.ts';
import { showPromptCall, usePromptCalls, usePromptsState } from './prompts-state.ts';

/** The messages of a prompt, and a menu of the requests before. */
export function PromptResultColumn({
  sessionId,
  prompt,
}: {
  readonly sessionId: string;
  readonly prompt: string;
}) {
  const { calls, shown, fault } = usePromptCalls(sessionId, prompt);
  const view = usePromptsState((state) => state.view);
  const isOver = shown !== null && !isUnderWay(shown);
  const { result } = useQuery(isOver ? `${sessionId} ${shown.id}` : null, () =>
    shown === null ? Promise.resolve({ text: null, isCut: false }) : resultOf(shown),
  );
  useShowInTrace(sessionId, shown?.requestRow ?? null);
  const text = result?.text ?? null;
  const isCut = result?.isCut ?? false;
  const read = useMemo(() => (text === null || isCut ? null : readPrompt(text)), [text, isCut]);
  if (shown === null) {
    if (fault !== null) return <FaultCard fault={fault} className="m-4" />;
    return (
      <EmptyState icon={<MessageSquareText />} title="Not requested yet">
        Get the prompt: its messages appear here, and both messages of the protocol in the trace below.
      </EmptyState>
    );
  }
  return (
    <section aria-label="Messages" className="flex h-full min-h-0 flex-col overflow-y-auto px-4 pt-3 pb-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="text-lg font-semibold">Messages</h2>
        <span role="status" className="mono text-mute">
          {measuresOf(shown)}
        </span>
        <RowLink row={shown.requestRow} onOpen={(row) => selectTraceRow(sessionId, row)} />
        <span className="ml-auto flex items-center gap-1">
          {text !== null && (
            <>
              {read !== null && (
                <CopyButton text={() => promptText(read)} label="Copy the messages as text" />
              )}
              <Segmented
                label="Show the prompt as"
                value={view}
                onChange={(chosen) => usePromptsState.setState({ view: chosen })}
                options={[
                  { id: 'messages', label: 'Messages' },
                  { id: 'raw', label: 'Raw' },
                ]}
              />
            </>
          )}
          <Menu
            trigger={
              <Button size="small" variant="quiet" aria-label={`id ${shown.requestId}, show another`}>
                <span className="mono">id {shown.requestId}</span>
                <ChevronDown aria-hidden className="size-3" />
              </Button>
            }
            entries={calls.map((one) => ({
              label: `id ${one.requestId}  ${formatClock(one.startedAt).slice(0, 8)}  ${measuresOf(one)}`,
              onSelect: () => showPromptCall(sessionId, prompt, one.id),
            }))}
          />
        </span>
      </div>
      {fault !== null && <FaultCard fault={fault} className="mt-2" />}
      <div className="mt-2 flex flex-col gap-2">
        {isUnderWay(shown) ? (
          <div className="flex items-center gap-2 text-mute">
            Waiting for the response…
            <Button size="small" onClick={() => void cancelCall(shown)}>
              Cancel
            </Button>
          </div>
        ) : shown.state !== 'ok' ? (
          <Failure call={shown} />
        ) : text === null ? (
          <div role="group" aria-busy aria-label="The messages are loading" className="h-8" />
        ) : read === null || view === 'raw' ? (
          <JsonText raw={text} isCut={isCut} className="rounded-ui border border-line bg-raise px-2.5 py-2" />
        ) : (
          <>
            {read.description !== null && <PlainText text={read.description} className="text-mute" />}
            {read.errors.map((error) => (
              <p key={error} className="text-sm text-err">
                {error}
              </p>
            ))}
            <ForAudience items={read.messages} annotationsOf={({ block }) => annotationsOf(block)}>
              {({ role, block, error }, index) => (
                <article key={index} aria-label={`Message ${index + 1}, ${visibleLine(role ?? 'no role')}`}>
                  <div className="mb-1 flex items-center gap-2">
                    <Chip tone={role === 'assistant' ? 'accent' : role === 'user' ? 'info' : 'warn'}>
                      {visibleLine(role ?? 'no role')}
                    </Chip>
                    {error !== null && <span className="text-sm text-warn">{error}</span>}
                  </div>
                  <BlockView block={block} />
                </article>
              )}
            </ForAudience>
            {read.messages.length === 0 && read.errors.length === 0 && (
              <p className="text-mute">The prompt has no messages.</p>
            )}
            <OtherMembers text={text} rendered={RENDERED} />
          </>
        )}
      </div>
    </section>
  );
}

/** Members that the messages view shows, or that only say which kind of result it is. */
const RENDERED = ['description', 'messages', 'resultType'];

/** `ok · 5.0 ms · 214 B` */
const measuresOf = ({ state, duration, size }: Call): string =>
  [
    state.replace('-', ' '),
    duration === null ? null : formatDuration(duration),
    size === null ? null : formatBytes(size),
  ]
    .filter((part) => part !== null)
    .join(' · ');

/** Why there are no messages. */
function Failure({ call: { error, fault, state } }: { readonly call: Call }) {
  if (error === null) {
    if (fault !== null) return <FaultCard fault={fault} />;
    return <p className="text-mute">{state === 'cancelled' ? 'Cancelled.' : 'There is no response.'}</p>;
  }
  return (
    <section
      aria-label="Protocol error"
      className="rounded-ui border border-line border-l-2 border-l-err bg-panel px-3 py-2.5"
    >
      <code className="mono text-err">{error.code}</code>{' '}
      <span className="font-medium">{errorCodeName(error.code)}</span>
      <PlainText text={error.message} className="mt-1" />
      {error.data != null && <JsonText raw={JSON.stringify(error.data)} className="mt-1" />}
    </section>
  );
}
