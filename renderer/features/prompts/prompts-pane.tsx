import { MessageSquareText, MousePointerClick, Unplug } from 'lucide-react';
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react';
import { promptOf } from '#model/calls.ts';
import { catalogLines, type CatalogView, searchLines, usePromptList } from '#model/catalog.ts';
import { useCommands } from '#model/commands.ts';
import { useOpenedCall } from '#model/message-panes.ts';
import { useShownSession } from '#model/selection.ts';
import { canSend, isOpen, type SessionStatus } from '#model/sessions.ts';
import type { PromptList as PromptListState } from '#shared/contract/catalog.ts';
import { formatQuantity } from '#shared/format.ts';
import { PROMPTS_GET } from '#shared/protocol/methods.ts';
import { Chip } from '#ui/chip.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { ListHead, listStatus } from '#ui/list-head.tsx';
import { mainControlOf } from '#ui/main-control.ts';
import { moveSelection, OptionList } from '#ui/option-list.tsx';
import { PageBar, pageBorders } from '#ui/page-bar.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { visibleLine } from '#ui/visible.ts';
import { PROMPT_FORM, PromptColumn } from './prompt-column.tsx';
import { PromptResultColumn } from './prompt-result.tsx';
import { type PromptLine, selectPrompt, showPromptOfCall, usePromptsState } from './prompts-state.ts';

/** The server's prompts: select one, fill in its arguments, read the messages. */
export function PromptsPane() {
  const session = useShownSession();
  if (session === null) return <NotConnected />;
  return <PromptsOf key={session.serverId} session={session} />;
}

function PromptsOf({ session }: { readonly session: SessionStatus }) {
  const view = usePromptList(session);
  const { list, fault } = view;
  const lines = useMemo(() => catalogLines(list?.entries ?? []), [list]);
  const selectedKey = usePromptsState(({ selected }) => selected[session.serverId]);
  const selected = selectedKey === undefined ? lines[0] : lines.find(({ key }) => key === selectedKey);

  useOpenedCall(session.id, PROMPTS_GET, (opened) => {
    const line = lines.find(({ name }) => name === promptOf(opened));
    if (line !== undefined) showPromptOfCall(opened, session.serverId, line);
    return line !== undefined;
  });

  if (list === null) {
    if (fault !== null) return <FaultCard fault={fault} className="m-4" />;
    return <div role="group" aria-busy aria-label="Prompts are loading" />;
  }
  if (list.state === 'not-declared') return <NotDeclared session={session} />;
  return (
    <Split id="prompts" direction="row" className="h-full">
      <SplitPanel id="prompt-list" size={250} min={160} max={520} keepsPixels>
        <PromptList session={session} view={view} list={list} lines={lines} selected={selected ?? null} />
      </SplitPanel>
      <SplitHandle label="Width of the prompt list" />
      <SplitPanel id="prompt" min={320}>
        {selected !== undefined ? (
          <SelectedPrompt key={selected.key} session={session} line={selected} />
        ) : selectedKey === undefined ? null : (
          <EmptyState icon={<MousePointerClick />} title="This prompt is no longer listed">
            The server removed it from its list. Your arguments are kept. Select another prompt.
          </EmptyState>
        )}
      </SplitPanel>
    </Split>
  );
}

function SelectedPrompt({ session, line }: { readonly session: SessionStatus; readonly line: PromptLine }) {
  const column = <PromptColumn session={session} line={line} />;
  // A prompt without a name cannot be requested.
  if (line.name === null) return column;
  return (
    <Split id="prompt" direction="row" className="h-full">
      <SplitPanel id="prompt-arguments" size="48%" min={220}>
        {column}
      </SplitPanel>
      <SplitHandle label="Width of the arguments" />
      <SplitPanel id="prompt-messages" min={220}>
        <PromptResultColumn sessionId={session.id} prompt={line.name} />
      </SplitPanel>
    </Split>
  );
}

function PromptList({
  session,
  view,
  list,
  lines,
  selected,
}: {
  readonly session: SessionStatus;
  readonly view: CatalogView<PromptListState>;
  readonly list: PromptListState;
  readonly lines: readonly PromptLine[];
  readonly selected: PromptLine | null;
}) {
  const { serverId } = session;
  const [search, setSearch] = useState('');
  const shown = useMemo(() => searchLines(lines, search), [lines, search]);
  const borders = useMemo(() => pageBorders(list), [list]);
  const borderOf = search.trim() === '' ? ({ index }: PromptLine) => borders.get(index) ?? null : undefined;
  const select = useCallback((line: PromptLine) => selectPrompt(serverId, line.key), [serverId]);
  const searchField = useRef<HTMLInputElement>(null);
  const enterPrompt = (press: KeyboardEvent, found: PromptLine | undefined) => {
    if (found === undefined) return;
    press.preventDefault();
    select(found);
    // The form of another prompt is drawn first.
    requestAnimationFrame(enterForm);
  };
  useCommands(
    useMemo(
      () => [
        {
          id: 'prompts.find',
          title: 'Find a prompt',
          group: 'Prompts',
          shortcut: 'Mod+Shift+F',
          run: () => searchField.current?.focus(),
        },
      ],
      [],
    ),
  );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <ListHead
        of="prompt"
        search={search}
        onSearch={setSearch}
        onKeyDown={(press) => {
          // Home and End move the caret in the search field.
          if (press.key.startsWith('Arrow')) moveSelection(press, shown, selected, select);
          if (press.key === 'Enter') enterPrompt(press, shown.find((line) => line === selected) ?? shown[0]);
        }}
        fieldRef={searchField}
        isLoading={list.state === 'loading'}
        isConnected={canSend(session)}
        onReload={view.refresh}
        changes={view.changes}
        onDismissChanges={view.acknowledge}
        fault={view.fault ?? list.fault}
      />
      <OptionList
        label="Prompts"
        options={lines}
        matches={shown}
        idOf={idOf}
        nameOf={nameOf}
        selected={selected}
        onSelect={select}
        onEnter={enterForm}
        folds
        borderOf={borderOf}
      >
        {drawPrompt}
      </OptionList>
      <p role="status" className="flex h-6 shrink-0 items-center px-3.5 text-xs text-faint">
        {listStatus('prompt', list, shown.length)}
      </p>
      <PageBar of="prompt" list={list} isConnected={canSend(session)} {...view.paging} />
    </div>
  );
}

/** Moves the focus to the form of the selected prompt. */
function enterForm(): void {
  const form = document.getElementById(PROMPT_FORM);
  if (form !== null) mainControlOf(form).focus();
}

const idOf = ({ index }: PromptLine): string => String(index);

/** The accessible name of a line. */
const nameOf = ({ title, name, entry }: PromptLine): string =>
  visibleLine(
    [title, name !== title && name, !entry.usable && 'bad', entry.usable && entry.duplicate && 'duplicate']
      .filter(Boolean)
      .join(', '),
  );

const drawPrompt = ({ title, name, entry }: PromptLine) => (
  <>
    <div className="flex items-center gap-1.5">
      <span className="min-w-0 flex-1 truncate">{visibleLine(title)}</span>
      {!entry.usable && <Chip tone="warn">bad</Chip>}
      {entry.usable && entry.duplicate && <Chip tone="warn">duplicate</Chip>}
      {entry.usable && (entry.prompt.arguments?.length ?? 0) > 0 && (
        <span className="text-xs text-faint">
          {formatQuantity(entry.prompt.arguments?.length ?? 0, 'argument')}
        </span>
      )}
    </div>
    <div className="unfolds truncate text-sm text-faint">
      {visibleLine(beneath(title, name, entry).slice(0, 200))}
    </div>
  </>
);

/** The prompt's name, or its description if the title is the name. */
function beneath(title: string, name: string | null, entry: PromptLine['entry']): string {
  if (!entry.usable) return entry.error;
  return name !== title ? (name ?? '') : (entry.prompt.description ?? '');
}

/** Explains why there are no prompts: the server has none, or is not connected. */
function NotDeclared({ session }: { readonly session: SessionStatus }) {
  if (session.agreement !== null) {
    return (
      <EmptyState icon={<MessageSquareText />} title="This server offers no prompts">
        It did not declare the <code className="mono">prompts</code> capability.
      </EmptyState>
    );
  }
  if (isOpen(session)) {
    return (
      <EmptyState icon={<MessageSquareText />} title="No prompts yet">
        Prompts are listed when the connection is ready.
      </EmptyState>
    );
  }
  if (session.fault !== null) return <FaultCard fault={session.fault} className="m-4" />;
  return <NotConnected />;
}

function NotConnected() {
  return (
    <EmptyState icon={<Unplug />} title="Not connected">
      Connect to the server to see its prompts.
    </EmptyState>
  );
}
