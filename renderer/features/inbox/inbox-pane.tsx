import { Inbox, Unplug } from 'lucide-react';
import { useCallback, useEffect, useRef, type Ref, useMemo, type ReactNode } from 'react';
import { type Command, useCommands } from '#model/commands.ts';
import {
  isOpenedAtEntry,
  leaveInbox,
  showEntry,
  showPanel,
  useInboxServer,
  useShownPanel,
  useEntries,
  useShownEntry,
  type InboxPanel,
} from '#model/inbox.ts';
import { useShownSession, openEditor, selectPane } from '#model/selection.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { AnswerColumn } from './answer-column.tsx';
import { EntryList } from './entry-list.tsx';
import type { AnswerHandle } from './form-answer.tsx';
import { QuestionColumn } from './question-column.tsx';
import { readQuestion } from './read-question.ts';
import { ModelPanel } from './model-panel.tsx';
import { RulesPanel } from './rules-panel.tsx';
import { secretsAskedFor } from './secrets.ts';
import { type AnswerDraft, useAnswerDraft } from './answer-draft.ts';

/** The questions of a server to the user: read them, answer them, review the answers. */
export function InboxPane() {
  const session = useShownSession();
  if (session === null) {
    return (
      <EmptyState icon={<Unplug />} title="Not connected">
        Connect to the server: its questions appear here.
      </EmptyState>
    );
  }
  return <Questions key={session.id} session={session} />;
}

function Questions({ session }: { readonly session: SessionStatus }) {
  const { entries, isCurrent, fault } = useEntries(session.id);
  const server = useInboxServer();
  const panel = useShownPanel();
  if (entries === null) {
    if (fault !== null) return <FaultCard fault={fault} className="m-4" />;
    return <div role="group" aria-busy aria-label="Questions are loading" />;
  }
  if (entries.length === 0) {
    if (panel !== null && server !== null) return <ShownPanel panel={panel} server={server} />;
    return <NoQuestions session={session} icon={<Inbox />} />;
  }
  return <QuestionsSplit session={session} entries={entries} isCurrent={isCurrent} />;
}

/** Explains the Inbox while it is empty. */
function NoQuestions({ session, icon }: { readonly session: SessionStatus; readonly icon: ReactNode }) {
  const server = useInboxServer();
  const capabilities = session.agreement?.clientCapabilities;
  if (server === null) {
    return (
      <EmptyState icon={icon} title="No questions from the server">
        The recording holds no request for sampling, elicitation or roots.
      </EmptyState>
    );
  }
  const isMute = capabilities !== undefined && asking.every((name) => capabilities[name] === undefined);
  return (
    <EmptyState
      icon={icon}
      title="No questions from the server"
      actions={
        isMute ? (
          <Button onClick={() => openEditor(server.id, 'client')}>Server settings</Button>
        ) : (
          <>
            <Button onClick={() => selectPane('tools')}>Show its tools</Button>
            <Button onClick={() => showPanel('rules')}>Rules…</Button>
            <Button onClick={() => showPanel('model')}>Model…</Button>
          </>
        )
      }
    >
      A server can ask you to fill in a form or open a page (elicitation), to let your model answer
      (sampling), or which folders it may work in (roots). Its questions wait here, and nothing is answered
      without you or one of your rules.{' '}
      {isMute ? (
        'This server may not ask: its settings declare none of the three capabilities.'
      ) : server.source === 'demo' ? (
        <>
          Run its tool <code className="mono">ask_user</code> or <code className="mono">ask_model</code> to
          see one.
        </>
      ) : (
        'Run a tool that asks for input to see one.'
      )}
    </EmptyState>
  );
}

/** Capabilities that let a server ask questions. */
const asking = ['sampling', 'elicitation', 'roots'] as const;

function QuestionsSplit({
  session,
  entries,
  isCurrent,
}: {
  readonly session: SessionStatus;
  readonly entries: readonly InboxEntry[];
  /** Whether the list was read again since the pane was opened. */
  readonly isCurrent: boolean;
}) {
  const server = useInboxServer();
  const panel = useShownPanel();
  const shownId = useShownEntry(session.id);
  const shown = entries.find(({ id }) => id === shownId) ?? null;
  const selected = shown ?? entries[0] ?? null;
  const list = useRef<HTMLDivElement>(null);
  const editor = useRef<AnswerHandle>(null);
  const select = useCallback(
    ({ id }: InboxEntry) => {
      showEntry(session.id, id);
      showPanel(null);
    },
    [session.id],
  );

  // Selects the first open question initially; after that only the user changes the selection.
  const first = entries[0];
  useEffect(() => {
    if (!isCurrent || first === undefined) return;
    const isBetter = shown === null || (shown.state !== 'waiting' && first.state === 'waiting');
    if (isBetter && !isOpenedAtEntry(session.id)) showEntry(session.id, first.id);
    return () => leaveInbox(session.id);
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the pane opens
  }, [session.id, isCurrent]);

  // Whatever closes the panel was focused in it, and is gone.
  const hadPanel = useRef(panel !== null);
  useEffect(() => {
    if (hadPanel.current && panel === null && document.activeElement === document.body) list.current?.focus();
    hadPanel.current = panel !== null;
  }, [panel]);

  const selectNext = (answered: InboxEntry) => {
    const next = entries.find(({ id, state }) => state === 'waiting' && id !== answered.id);
    if (next !== undefined) select(next);
    // Focus the list, not the editor: a double press must not answer a question nobody has read.
    list.current?.focus();
  };
  return (
    <Split id="inbox" direction="row" className="h-full">
      <SplitPanel id="inbox-list" size={listWidth()} min={180} max={520} keepsPixels>
        <EntryList
          ref={list}
          session={session}
          isLive={server !== null}
          limit={server?.client.requestsPerMinute}
          entries={entries}
          selected={selected}
          onSelect={select}
          onEnter={() => editor.current?.focus()}
        />
      </SplitPanel>
      <SplitHandle label="Width of the question list" />
      <SplitPanel id="inbox-entry" min={440}>
        {panel !== null && server !== null ? (
          <ShownPanel panel={panel} server={server} />
        ) : selected !== null ? (
          <SelectedEntry
            key={selected.id}
            session={session}
            entry={selected}
            editor={editor}
            onAnswered={() => selectNext(selected)}
            onEnded={() => list.current?.focus()}
          />
        ) : null}
      </SplitPanel>
    </Split>
  );
}

/** In a small window the question and its answer need the room. */
const listWidth = (): number => (window.innerWidth < 1200 ? 232 : 270);

const ShownPanel = ({ panel, server }: { readonly panel: InboxPanel; readonly server: Server }) =>
  panel === 'rules' ? <RulesPanel key={server.id} server={server} /> : <ModelPanel />;

export default InboxPane;

/** One question: the question at the left, the answer at the right. */
function SelectedEntry({
  session,
  entry,
  editor,
  onAnswered,
  onEnded,
}: {
  readonly session: SessionStatus;
  readonly entry: InboxEntry;
  readonly editor: Ref<AnswerHandle>;
  /** Called when the user has answered. */
  readonly onAnswered: () => void;
  /** Called when the question ends on its own and the focused element is gone. */
  readonly onEnded: () => void;
}) {
  const { method, params, state } = entry;
  const question = useMemo(() => readQuestion({ method, params }), [method, params]);
  const secrets = useMemo(() => secretsAskedFor(question), [question]);
  const draft = useAnswerDraft(entry, question, { mayContainSecrets: secrets.length > 0, onAnswered });
  const isWaiting = state === 'waiting';
  useAnswerCommands(entry, draft);
  const waited = useRef(isWaiting);
  useEffect(() => {
    if (waited.current && !isWaiting && document.activeElement === document.body) onEnded();
    waited.current = isWaiting;
    // oxlint-disable-next-line react/exhaustive-deps -- when its state changes, not the function
  }, [isWaiting]);
  return (
    <Split id="inbox-entry" direction="row" className="h-full">
      <SplitPanel id="inbox-question" size="45%" min={220}>
        <QuestionColumn session={session} entry={entry} question={question} secrets={secrets} />
      </SplitPanel>
      <SplitHandle label="Width of the question" />
      <SplitPanel id="inbox-answer" min={220}>
        <AnswerColumn entry={entry} question={question} draft={draft} editor={editor} />
      </SplitPanel>
    </Split>
  );
}

/** Adds commands to answer to the palette while the question waits. */
function useAnswerCommands({ state, suggestion, by }: InboxEntry, { say, send }: AnswerDraft): void {
  const inInbox = {
    group: 'Inbox',
    keywords: ['question', 'sampling', 'elicitation', 'roots'],
  } as const;
  const commands: readonly (Command | false)[] = [
    send !== null && by !== 'error' && { ...inInbox, id: 'inbox.send', title: 'Send the answer', run: send },
    suggestion !== null && {
      ...inInbox,
      id: 'inbox.defaults',
      title: 'Answer with defaults',
      run: () => say({ kind: 'defaults' }),
    },
    { ...inInbox, id: 'inbox.decline', title: 'Decline', run: () => say({ kind: 'decline' }) },
    { ...inInbox, id: 'inbox.cancel', title: 'Cancel the question', run: () => say({ kind: 'cancel' }) },
  ];
  useCommands(state === 'waiting' ? commands.filter((command) => command !== false) : []);
}
