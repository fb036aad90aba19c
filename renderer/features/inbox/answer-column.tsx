import type { Ref } from 'react';
import { useAnswerFault } from '#model/inbox.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { InboxEntry, InboxAnswer } from '#shared/contract/inbox.ts';
import { rejectionError } from '#shared/protocol/rejections.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonEditor, type JsonEditorHandle } from '#ui/json-editor/json-editor.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { AnswerBar } from './answer-bar.tsx';
import type { AnswerDraft } from './answer-draft.ts';
import { Column } from './pane-layout.tsx';
import type { Question } from './read-question.ts';

/** The answer to a question: an editor while it waits, then the answer that was sent. */
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
              {question.kind === 'form' && entry.suggestion !== null
                ? 'filled in with the defaults'
                : 'as JSON'}
            </span>
          )}
        </div>
      }
      bar={<AnswerBar entry={entry} question={question} draft={draft} />}
    >
      {entry.by === 'error' && (
        <p className="mt-1 text-sm text-mute">
          This question came with an error, so nothing can be sent for it. When you are done, click “Done” and
          run the call again.
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

const ends: Readonly<Partial<Record<InboxEntry['state'], string>>> = {
  withdrawn: 'Not answered: the server withdrew the question, or the call it belongs to has ended.',
  lost: 'Not answered: the session ended first.',
};

/** The outcome of a question that no longer waits. */
function Outcome({ entry }: { readonly entry: InboxEntry }) {
  const { sessionId, state, answer, responseRow } = entry;
  if (answer === null) return <p className="mt-1 text-mute">{ends[state]}</p>;
  const sent = sentJson(entry);
  return (
    <>
      <p role="status" className="mt-1">
        {answeredBy[answer.by]} {answerLabels[answer.content.kind]}
        {responseRow !== null && (
          <>
            , in row <RowLink row={responseRow} onOpen={() => selectTraceRow(sessionId, responseRow)} />
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

const answerLabels: Readonly<Record<InboxAnswer['kind'], string>> = {
  result: 'answered',
  defaults: 'answered automatically',
  error: 'answered with an error',
  decline: 'declined',
  cancel: 'cancelled',
};

const answeredBy: Readonly<Record<NonNullable<InboxEntry['answer']>['by'], string>> = {
  user: 'You',
  rule: 'A rule of this server’s settings',
  closing: 'Sightglass, while closing the session,',
  limit: 'Sightglass, because too many questions were waiting,',
};

/** The sent result or error as JSON text; null if nothing was sent. */
function sentJson(entry: InboxEntry): string | null {
  const content = entry.answer?.content;
  const { method, by } = entry;
  if (content === undefined || by === 'error') return null;
  switch (content.kind) {
    case 'result':
      return content.json;
    case 'defaults':
      return entry.suggestion;
    case 'error':
      return by === 'input' ? null : errorJson({ code: content.code, message: content.message });
    case 'decline':
    case 'cancel': {
      const error = rejectionError(method, content.kind);
      if (error === null) return JSON.stringify({ action: content.kind });
      return by === 'input' ? null : errorJson(error);
    }
  }
}

const errorJson = (error: { readonly code: number; readonly message: string }): string =>
  JSON.stringify({ error });
