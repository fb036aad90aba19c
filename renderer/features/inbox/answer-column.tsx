import { type Ref, useImperativeHandle, useRef } from 'react';
import { useAnswerFault } from '#model/inbox.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { InboxEntry, InboxAnswer } from '#shared/contract/inbox.ts';
import { rejectionError } from '#shared/protocol/rejections.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonEditor, type JsonEditorHandle } from '#ui/json-editor/json-editor.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { matchesShortcut } from '#ui/shortcut.ts';
import { AnswerBar } from './answer-bar.tsx';
import { AskModel } from './ask-model.tsx';
import type { AnswerDraft } from './answer-draft.ts';
import { type AnswerHandle, FormAnswer } from './form-answer.tsx';
import { Column } from './pane-layout.tsx';
import { RootList } from './root-list.tsx';
import type { Question } from './read-question.ts';
import { SamplingAnswerFields } from './sampling-answer-fields.tsx';
import { AlwaysAnswer } from './rules-panel.tsx';

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
  readonly editor: Ref<AnswerHandle>;
}) {
  const fault = useAnswerFault(entry.id);
  if (entry.state !== 'waiting') {
    return (
      <Column label="Answer" heading={<h2 className="text-lg font-semibold">Answer</h2>}>
        <Outcome entry={entry} question={question} />
      </Column>
    );
  }
  return (
    <Column
      label="Answer"
      heading={
        <div className="flex items-center justify-between gap-3">
          <h2 className="text-lg font-semibold">Your answer</h2>
          {entry.by !== 'error' && hasFields(question) && (
            <Segmented
              label="Answer as"
              value={draft.mode}
              onChange={draft.setMode}
              options={[
                { id: 'form', label: 'Form' },
                { id: 'json', label: 'JSON' },
              ]}
            />
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
      {question.kind === 'sampling' && entry.by !== 'error' && (
        <AskModel entry={entry} sampling={question.sampling} draft={draft} />
      )}
      {entry.by !== 'error' && <AnswerEditor question={question} draft={draft} editor={editor} />}
    </Column>
  );
}

/** Whether the answer to a question can be written in fields, not only as JSON. */
const hasFields = ({ kind }: Question): boolean => kind === 'form' || kind === 'sampling';

/** The answer in the fields of its form, or as JSON. */
function AnswerEditor({
  question,
  draft,
  editor,
}: {
  readonly question: Question;
  readonly draft: AnswerDraft;
  readonly editor: Ref<AnswerHandle>;
}) {
  const json = <JsonAnswer draft={draft} ref={editor} />;
  return (
    <div
      role="group"
      aria-label="Your answer"
      className="mt-2"
      onKeyDown={(press) => {
        if (press.defaultPrevented || !matchesShortcut(press.nativeEvent, 'Mod+Enter')) return;
        press.preventDefault();
        draft.send?.();
      }}
    >
      {question.kind === 'form' && draft.mode === 'form' ? (
        <FormAnswer question={question} draft={draft} ref={editor} json={json} />
      ) : question.kind === 'sampling' && draft.mode === 'form' ? (
        <SamplingAnswerFields sampling={question.sampling} draft={draft} ref={editor} json={json} />
      ) : (
        json
      )}
    </div>
  );
}

const ends: Readonly<Partial<Record<InboxEntry['state'], string>>> = {
  withdrawn: 'Not answered: the server withdrew the question, or the call it belongs to has ended.',
  lost: 'Not answered: the session ended first.',
};

/** The outcome of a question that no longer waits. */
function Outcome({ entry, question }: { readonly entry: InboxEntry; readonly question: Question }) {
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
      {sent !== null && entry.method === 'roots/list' && <RootList json={sent} note="that were sent" />}
      {answer.by === 'user' && <AlwaysAnswer entry={entry} question={question} />}
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
  declining: 'Sightglass, because Decline all was on,',
  closing: 'Sightglass, while closing the session,',
  limit: 'Sightglass, because too many questions were waiting,',
  recorded: 'The client',
  rate: 'Sightglass, because more came in a minute than this server’s settings allow,',
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

/** The whole answer as JSON. */
function JsonAnswer({ draft, ref }: { readonly draft: AnswerDraft; readonly ref: Ref<AnswerHandle> }) {
  const editor = useRef<JsonEditorHandle>(null);
  useImperativeHandle(ref, () => ({ focus: () => editor.current?.focus() }), []);
  return (
    <JsonEditor
      ref={editor}
      label="Answer as JSON"
      value={draft.text}
      schema={draft.schema}
      onChange={draft.write}
      onSubmit={draft.send ?? undefined}
    />
  );
}
