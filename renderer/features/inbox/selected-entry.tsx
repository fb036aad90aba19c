import { type Ref, useEffect, useMemo, useRef } from 'react';
import { type Command, useCommands } from '#model/commands.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { JsonEditorHandle } from '#ui/json-editor/json-editor.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { AnswerColumn } from './answer/answer-column.tsx';
import { type Answering, useAnswering } from './answer/use-answering.ts';
import { QuestionColumn } from './question/question-column.tsx';
import { readQuestion } from './question/read-question.ts';
import { secretsAskedFor } from './question/secrets.ts';

/** One question: what is asked at the left, the answer at the right. */
export function SelectedEntry({
  session,
  entry,
  editor,
  onAnswered,
  onOver,
}: {
  readonly session: SessionView;
  readonly entry: InboxEntry;
  readonly editor: Ref<JsonEditorHandle>;
  /** The user has answered it. */
  readonly onAnswered: () => void;
  /** It ended while the user was at it, and what had the focus is gone. */
  readonly onOver: () => void;
}) {
  const { method, params, state } = entry;
  const question = useMemo(() => readQuestion({ method, params }), [method, params]);
  const secrets = useMemo(() => secretsAskedFor(question), [question]);
  const answering = useAnswering(entry, question, { mayGiveSecrets: secrets.length > 0, onAnswered });
  const isWaiting = state === 'waiting';
  useAnswerCommands(entry, answering);
  const waited = useRef(isWaiting);
  useEffect(() => {
    if (waited.current && !isWaiting && document.activeElement === document.body) onOver();
    waited.current = isWaiting;
    // oxlint-disable-next-line react/exhaustive-deps -- when its state changes, not the function
  }, [isWaiting]);
  return (
    <Split id="inbox-entry" direction="row" className="h-full">
      <SplitPanel id="inbox-question" size="50%" min={220}>
        <QuestionColumn session={session} entry={entry} question={question} secrets={secrets} />
      </SplitPanel>
      <SplitHandle label="Width of the question" />
      <SplitPanel id="inbox-answer" min={220}>
        <AnswerColumn entry={entry} question={question} answering={answering} editor={editor} />
      </SplitPanel>
    </Split>
  );
}

/** Lists the ways to answer in the palette as long as the question waits. */
function useAnswerCommands({ state, suggestion, by }: InboxEntry, { say, send }: Answering): void {
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
