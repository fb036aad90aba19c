import type { Ref } from 'react';
import { useAnswerFault } from '#model/inbox.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonEditor, type JsonEditorHandle } from '#ui/json-editor/json-editor.tsx';
import { Column } from '../pane-layout.tsx';
import type { Question } from '../question/read-question.ts';
import { AnswerBar } from './answer-bar.tsx';
import { Outcome } from './outcome.tsx';
import type { Answering } from './use-answering.ts';

/** The answer to a question: to be written while it waits, as it was sent afterwards. */
export function AnswerColumn({
  entry,
  question,
  answering,
  editor,
}: {
  readonly entry: InboxEntry;
  readonly question: Question;
  readonly answering: Answering;
  readonly editor: Ref<JsonEditorHandle>;
}) {
  const fault = useAnswerFault(entry.id);
  if (entry.state !== 'waiting') {
    return (
      <Column label="Answer" heading={<h2 className="text-lg font-semibold">Answer</h2>}>
        <Outcome entry={entry} />
      </Column>
    );
  }
  return (
    <Column
      label="Answer"
      heading={
        <div className="flex items-baseline justify-between gap-3">
          <h2 className="text-lg font-semibold">Your answer</h2>
          {entry.by !== 'error' && (
            <span className="min-w-0 truncate text-xs text-faint">
              {question.kind === 'form' && entry.suggestion !== null ? 'filled with the defaults' : 'as JSON'}
            </span>
          )}
        </div>
      }
      bar={<AnswerBar entry={entry} question={question} answering={answering} />}
    >
      {entry.by === 'error' && (
        <p className="mt-1 text-sm text-mute">
          This came with an error, so nothing is sent for it. When you are done, say so and run the call
          again.
        </p>
      )}
      {fault !== null && <FaultCard fault={fault} className="mt-2" />}
      {entry.by !== 'error' && (
        <div className="mt-2">
          <JsonEditor
            ref={editor}
            label="Answer as JSON"
            value={answering.text}
            schema={answering.schema}
            onChange={answering.write}
            onSubmit={answering.send ?? undefined}
          />
        </div>
      )}
    </Column>
  );
}
