import type { Ref } from 'react';
import { useAnswerFault } from '#model/inbox.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { InboxEntry, InboxAnswer } from '#shared/contract/inbox.ts';
import { refusalError } from '#shared/protocol/refusals.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonEditor, type JsonEditorHandle } from '#ui/json-editor/json-editor.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { AnswerBar } from './answer-bar.tsx';
import type { AnswerDraft } from './answer-draft.ts';
import { Column } from './pane-layout.tsx';
import type { Question } from './read-question.ts';

/** The answer to a question: to be written while it waits, as it was sent afterwards. */
export function AnswerColumn({
  entry,
  question,
  draft,
  editor,
}: {
  readonly entry: InboxEntry;
  readonly question: Question;
  readonly draft: AnswerDraft;
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
      bar={<AnswerBar entry={entry} question={question} draft={draft} />}
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
            value={draft.text}
            schema={draft.schema}
            onChange={draft.write}
            onSubmit={draft.send ?? undefined}
          />
        </div>
      )}
    </Column>
  );
}

/** Why nothing was answered. */
const ends: Readonly<Partial<Record<InboxEntry['state'], string>>> = {
  withdrawn: 'Nothing was answered: the server took the question back, or what it was asked for is over.',
  lost: 'Nothing was answered: the session ended first.',
};

/** What became of a question that does not wait any more. */
function Outcome({ entry }: { readonly entry: InboxEntry }) {
  const { sessionId, state, answer, answerRow } = entry;
  if (answer === null) return <p className="mt-1 text-mute">{ends[state]}</p>;
  const sent = sentJson(entry);
  return (
    <>
      <p role="status" className="mt-1">
        {speakers[answer.by]} {saidWords[answer.said.kind]}
        {answerRow !== null && (
          <>
            , in row <RowLink row={answerRow} onOpen={() => selectTraceRow(sessionId, answerRow)} />
          </>
        )}
        .
      </p>
      {sent === null ? (
        <p className="mt-1 text-mute">
          {entry.by === 'error'
            ? 'Nothing was sent. Run the call again when you are done.'
            : 'The call was not sent again.'}
        </p>
      ) : (
        <JsonText raw={sent} className="mt-2 rounded-ui border border-line bg-raise px-2.5 py-1.5" />
      )}
    </>
  );
}

/** The answer as a sentence that says who gave it. */
const saidWords: Readonly<Record<InboxAnswer['kind'], string>> = {
  result: 'answered',
  defaults: 'answered automatically',
  error: 'answered with an error',
  decline: 'declined',
  cancel: 'cancelled',
};

const speakers: Readonly<Record<NonNullable<InboxEntry['answer']>['by'], string>> = {
  user: 'You',
  rule: 'A rule of this server’s settings',
  closing: 'Sightglass, on leaving the session,',
  limit: 'Sightglass, because too many questions waited already,',
};

/** The result or error that an answer was, as JSON text; null when nothing was sent. */
function sentJson(entry: InboxEntry): string | null {
  const said = entry.answer?.said;
  const { method, by } = entry;
  if (said === undefined || by === 'error') return null;
  switch (said.kind) {
    case 'result':
      return said.json;
    case 'defaults':
      return entry.suggestion;
    case 'error':
      return by === 'input' ? null : errorJson({ code: said.code, message: said.message });
    case 'decline':
    case 'cancel': {
      const error = refusalError(method, said.kind);
      if (error === null) return JSON.stringify({ action: said.kind });
      return by === 'input' ? null : errorJson(error);
    }
  }
}

const errorJson = (error: { readonly code: number; readonly message: string }): string =>
  JSON.stringify({ error });
