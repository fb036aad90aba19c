import { History, TriangleAlert, Unplug } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useRef } from 'react';
import { call } from '#bridge';
import { usePromptList, useResourceList, useTemplateList, useToolList } from '#model/catalog.ts';
import {
  bytesOf,
  changeMessage,
  newMessageContext,
  type ComposerMessage,
  useComposition,
} from '#model/composer.ts';
import { type ReadyMessage, useSentGroups } from '#model/sent-messages.ts';
import { connect } from '#model/connection.ts';
import { selectPane, useCurrentServer, useShownSession } from '#model/selection.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { useQuery } from '#model/use-query.ts';
import { switchesOff } from '#shared/client-switches/switches.ts';
import { newestLegacyRevision } from '#shared/protocol/revisions.ts';
import { formatQuantity } from '#shared/format.ts';
import type { JsonSchema } from './message-schema.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { Popover } from '#ui/popover.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { useIsWide } from '#ui/use-is-wide.ts';
import { type ComposerCatalog, useAssistant } from './assistant.ts';
import { isSerious, isWarnedNow, useMessageCheck } from './message-check.ts';
import { MessageEditor, type MessageEditorHandle } from './message-editor.tsx';
import { MessageList } from './message-list.tsx';
import { SaveButton, useSavedMessages } from './saved-messages.tsx';
import { MessageTabs } from './message-tabs.tsx';
import { Outcomes } from './outcomes.tsx';
import { SendBar, useSending } from './send-bar.tsx';
import { TemplateMenu } from './template-menu.tsx';
import { Warnings } from './warnings.tsx';

/** Composes messages by hand, correct ones and others, sends them, and shows what comes back. */
export function ComposerPane() {
  const session = useShownSession();
  const server = useCurrentServer();
  if (session === null) {
    return (
      <EmptyState
        icon={<Unplug />}
        title="Not connected"
        actions={server !== null && <Button onClick={() => void connect(server.id)}>Connect</Button>}
      >
        Connect to the server to send it any message you like: correct ones, wrong ones, raw bytes.
      </EmptyState>
    );
  }
  return <ComposerOf key={session.serverId} session={session} />;
}

function ComposerOf({ session }: { readonly session: SessionStatus }) {
  const { id: sessionId, serverId } = session;
  const composition = useComposition(serverId);
  const message = composition.messages.find(({ id }) => id === composition.selected);
  const [frameRef, isWide] = useIsWide(WIDE_ENOUGH);
  const list = <MessageList session={session} />;
  return (
    <div ref={frameRef} className="h-full">
      <Split key={String(isWide)} id="composer" direction="row" className="h-full">
        {isWide && (
          <SplitPanel id="composer-list" size={190} min={120} max={360} keepsPixels>
            {list}
          </SplitPanel>
        )}
        {isWide && <SplitHandle label="Width of the list" />}
        <SplitPanel id="composer-message" min={300}>
          {message !== undefined && (
            <Message session={session} message={message} list={isWide ? null : list} />
          )}
        </SplitPanel>
        <SplitHandle label="Width of the outcomes" />
        <SplitPanel id="composer-outcome" size={isWide ? '36%' : '42%'} min={220}>
          <Outcomes sessionId={sessionId} messageId={composition.selected} />
        </SplitPanel>
      </Split>
    </div>
  );
}

/** Below this width the list opens from a button instead of standing beside the message; pixels. */
const WIDE_ENOUGH = 960;

function Message({
  session,
  message,
  list,
}: {
  readonly session: SessionStatus;
  readonly message: ComposerMessage;
  /** The list of messages, if it has no room beside this one. */
  readonly list: ReactNode;
}) {
  const { id: sessionId, serverId } = session;
  const composition = useComposition(serverId);
  const catalog = useComposerCatalog(session);
  const inputSchemaOf = useCallback(
    (name: string): JsonSchema | undefined =>
      catalog.tools.flatMap((entry) =>
        entry.usable && entry.tool.name === name ? [entry.tool.inputSchema] : [],
      )[0],
    [catalog],
  );
  const savedMessages = useSavedMessages(serverId);
  const { variables } = savedMessages;
  const sentCount = useSentGroups(sessionId).length;
  const check = useMessageCheck(sessionId, message, inputSchemaOf, variables, sentCount);
  const editor = useRef<MessageEditorHandle>(null);
  const isWarned = check.warnings.some(isSerious);
  const ready = async (ids: readonly number[]): Promise<readonly ReadyMessage[]> =>
    Promise.all(
      composition.messages
        .filter(({ id }) => ids.includes(id))
        .map(async (one) => {
          const bytes = bytesOf(one, variables);
          const breaksRule = await isWarnedNow(sessionId, bytes, inputSchemaOf);
          return { message: one, bytes, composed: breaksRule ? 'anyway' : 'sent' };
        }),
    );
  const sending = useSending(session, composition, ready);
  const assistant = useAssistant(session, catalog);
  return (
    <div
      id="composed-message"
      role="group"
      aria-label="Message"
      tabIndex={-1}
      className="flex h-full min-h-0 flex-col outline-none"
    >
      <MessageTabs serverId={serverId} composition={composition}>
        <TemplateMenu session={session} catalog={catalog} />
        {list !== null && (
          <Popover
            label="Saved and sent messages"
            align="end"
            className="h-80 w-64 p-0!"
            trigger={
              <IconButton size="small" label="Saved and sent messages">
                <History aria-hidden className="size-3.5" />
              </IconButton>
            }
          >
            {list}
          </Popover>
        )}
        <SaveButton message={message} saved={savedMessages} />
      </MessageTabs>
      <SwitchesOn session={session} />
      <MessageEditor
        key={message.id}
        ref={editor}
        session={session}
        message={message}
        check={check}
        assistant={assistant}
        onSubmit={() => sending.sendOne?.()}
      />
      <Warnings
        sessionId={sessionId}
        text={message.text}
        warnings={check.warnings}
        onShow={(start, end) => editor.current?.select(start, end)}
        onNewId={(start, end) => {
          const { text } = message;
          const renew = async () => {
            const { nextId } = await newMessageContext(sessionId, serverId);
            changeMessage(serverId, message.id, { text: text.slice(0, start) + nextId + text.slice(end) });
          };
          reportFault(renew());
        }}
      />
      <SendBar
        session={session}
        composition={composition}
        message={message}
        isWarned={isWarned}
        sending={sending}
      />
    </div>
  );
}

/** The lists of the server, as far as they are read. */
function useComposerCatalog(session: SessionStatus): ComposerCatalog {
  const tools = useToolList(session).list?.entries;
  const prompts = usePromptList(session).list?.entries;
  const resources = useResourceList(session).list?.entries;
  const templates = useTemplateList(session).list?.entries;
  const { revision } = session.agreement ?? { revision: newestLegacyRevision };
  const { latest: params } = useQuery(revision, () => call('composer/schemas', { revision }));
  return useMemo(
    () => ({
      tools: tools ?? [],
      prompts: prompts ?? [],
      resources: resources ?? [],
      templates: templates ?? [],
      params: params ?? {},
    }),
    [tools, prompts, resources, templates, params],
  );
}

/** Reminds of the client switches that are active, which change what is sent. */
function SwitchesOn({ session: { serverId, switchesOn } }: { readonly session: SessionStatus }) {
  if (switchesOn.length === 0) return null;
  return (
    <div
      role="note"
      className="flex shrink-0 items-center gap-2 border-b border-line bg-warn/10 px-3 py-0.5 text-sm"
    >
      <TriangleAlert aria-hidden className="size-3.5 shrink-0 text-warn" />
      <span className="min-w-0 flex-1 truncate" title={switchesOn.join(', ')}>
        {formatQuantity(switchesOn.length, 'client switch', 'client switches')} on: {switchesOn.join(', ')}
      </span>
      <Button size="small" variant="quiet" onClick={() => selectPane('overview')}>
        Change
      </Button>
      <Button
        size="small"
        variant="quiet"
        onClick={() => reportFault(call('sessions/set-switches', { serverId, switches: switchesOff }))}
      >
        Turn off
      </Button>
    </div>
  );
}
