import { selectTraceRow } from '#model/selection.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { JsonText } from '#ui/json-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { saidWords, sentJson, speakers } from './answer-words.ts';

/** Why nothing was answered. */
const ends: Readonly<Partial<Record<InboxEntry['state'], string>>> = {
  withdrawn: 'Nothing was answered: the server took the question back, or what it was asked for is over.',
  lost: 'Nothing was answered: the session ended first.',
};

/** What became of a question that does not wait any more. */
export function Outcome({ entry }: { readonly entry: InboxEntry }) {
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
