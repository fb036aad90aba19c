import { Inbox, Unplug } from 'lucide-react';
import { useCallback, useEffect, useRef } from 'react';
import { showEntry, useEntries, useShownEntry } from '#model/inbox.ts';
import { useCurrentServer, useCurrentSession } from '#model/selection.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import type { JsonEditorHandle } from '#ui/json-editor/json-editor.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { NothingAsked } from './nothing-asked.tsx';
import { EntryList } from './entry-list.tsx';
import { SelectedEntry } from './selected-entry.tsx';

/** What servers ask of the user: read it, answer it, see what was answered. */
export function InboxPane() {
  const session = useCurrentSession();
  const server = useCurrentServer();
  if (session === null || server === null) {
    return (
      <EmptyState icon={<Unplug />} title="Not connected">
        Connect to the server: what it asks of you comes here.
      </EmptyState>
    );
  }
  return <Questions key={session.id} session={session} />;
}

export default InboxPane;

function Questions({ session }: { readonly session: SessionView }) {
  const { entries, fault } = useEntries(session.id);
  if (entries === null) {
    if (fault !== null) return <FaultCard fault={fault} className="m-4" />;
    return <div aria-busy aria-label="Questions are loading" />;
  }
  if (entries.length === 0) return <NothingAsked session={session} icon={<Inbox />} />;
  return <Answering session={session} entries={entries} />;
}

function Answering({
  session,
  entries,
}: {
  readonly session: SessionView;
  readonly entries: readonly InboxEntry[];
}) {
  const shownId = useShownEntry(session.id);
  const shown = entries.find(({ id }) => id === shownId) ?? null;
  const selected = shown ?? entries[0] ?? null;
  const list = useRef<HTMLDivElement>(null);
  const editor = useRef<JsonEditorHandle>(null);
  const select = useCallback(({ id }: InboxEntry) => showEntry(session.id, id), [session.id]);

  // The pane opens on the first open request; from then on only the user changes the selection.
  const first = entries[0];
  useEffect(() => {
    if (first !== undefined && (shown === null || (shown.state !== 'waiting' && first.state === 'waiting')))
      showEntry(session.id, first.id);
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the pane opens
  }, [session.id]);

  const goOn = (answered: InboxEntry) => {
    const next = entries.find(({ id, state }) => state === 'waiting' && id !== answered.id);
    if (next !== undefined) select(next);
    // Not the editor: what is pressed twice must not answer a question that was not read.
    list.current?.focus();
  };
  return (
    <Split id="inbox" direction="row" className="h-full">
      <SplitPanel id="inbox-list" size={270} min={180} max={520} keepsPixels>
        <EntryList
          ref={list}
          serverName={session.serverName}
          entries={entries}
          selected={selected}
          onSelect={select}
          onEnter={() => editor.current?.focus()}
        />
      </SplitPanel>
      <SplitHandle label="Width of the list of questions" />
      <SplitPanel id="inbox-entry" min={440}>
        {selected !== null && (
          <SelectedEntry
            key={selected.id}
            session={session}
            entry={selected}
            editor={editor}
            onAnswered={() => goOn(selected)}
            onOver={() => list.current?.focus()}
          />
        )}
      </SplitPanel>
    </Split>
  );
}
