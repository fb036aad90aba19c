import { type Ref, useEffect, useMemo, useRef } from 'react';
import { useCommands } from '#model/commands.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { JsonEditorHandle } from '#ui/json-editor/json-editor.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { AnswerColumn } from './answer/answer-column.tsx';
import { useAnswering } from './answer/use-answering.ts';
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
function useAnswerCommands(
  { id, state, suggestion, by }: InboxEntry,
  { say, send }: Pick<ReturnType<typeof useAnswering>, 'say' | 'send'>,
): void {
  useCommands(
    useMemo(() => {
      if (state !== 'waiting') return [];
      const group = 'Inbox';
      const keywords = ['question', 'sampling', 'elicitation', 'roots'];
      return [
        ...(send !== null && by !== 'error'
          ? [
              {
                id: 'inbox.send',
                title: 'Send the answer',
                group,
                keywords,
                run: send,
              } as const,
            ]
          : []),
        ...(suggestion !== null
          ? [
              {
                id: 'inbox.defaults',
                title: 'Answer with defaults',
                group,
                keywords,
                run: () => say({ kind: 'defaults' }),
              } as const,
            ]
          : []),
        { id: 'inbox.decline', title: 'Decline', group, keywords, run: () => say({ kind: 'decline' }) },
        {
          id: 'inbox.cancel',
          title: 'Cancel the question',
          group,
          keywords,
          run: () => say({ kind: 'cancel' }),
        },
      ];
      // oxlint-disable-next-line react/exhaustive-deps
    }, [id, state, suggestion, by, say, send]),
  );
}
