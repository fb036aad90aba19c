import { selectTraceRow } from '#model/selection.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { Column, Part, theirs } from '../pane-layout.tsx';
import { useAskingCall } from './asking-call.ts';
import { FormView } from './form-view.tsx';
import type { Question } from './read-question.ts';
import { SamplingView } from './sampling-view.tsx';
import { UrlView } from './url-view.tsx';
import { Warning } from './warning.tsx';

const wants: Readonly<Record<Question['kind'], string>> = {
  sampling: 'wants a message from your language model',
  form: 'wants you to fill in a form',
  url: 'wants you to open a page',
  roots: 'wants to know the folders it may work in',
};

interface QuestionColumnProps {
  readonly session: SessionView;
  readonly entry: InboxEntry;
  readonly question: Question;
  /** What of it looks as if it asked for a secret. */
  readonly secrets: readonly string[];
}

/** What the server asks: in plain words, where it came from, and the request as it was sent. */
export function QuestionColumn({ session, entry, question, secrets }: QuestionColumnProps) {
  return (
    <Column
      label="Question"
      heading={
        <>
          <h2 className="text-lg leading-snug font-semibold">
            <span className="text-info">{visibleLine(session.serverName)}</span> {wants[question.kind]}
          </h2>
          <Origin entry={entry} />
        </>
      }
    >
      {secrets.length > 0 && (
        <Warning tone="danger">
          <span className="font-medium">This asks for something secret: </span>
          <span className="mono [overflow-wrap:anywhere]">{secrets.map(visibleLine).join(', ')}</span>
          <span className="block">
            A server must not ask for passwords, keys or card numbers this way. What you send stands in the
            trace, too.
          </span>
        </Warning>
      )}
      <Asked question={question} entry={entry} secrets={secrets} />
      <Part name="Params" note="as they were sent">
        <div className="relative rounded-ui border border-line bg-raise py-1.5 pr-9 pl-2.5">
          <JsonText raw={entry.params} />
          <CopyButton text={entry.params} label="Copy the params" className="absolute top-1 right-1" />
        </div>
      </Part>
    </Column>
  );
}

function Asked({ question, entry, secrets }: Omit<QuestionColumnProps, 'session'>) {
  switch (question.kind) {
    case 'sampling':
      return <SamplingView sampling={question.sampling} />;
    case 'form':
      return (
        <>
          <Message text={question.message} />
          <FormView schema={question.schema} secrets={secrets} />
        </>
      );
    case 'url':
      return (
        <>
          <Message text={question.message} />
          <UrlView url={question.url} />
        </>
      );
    case 'roots':
      return (
        <p className="mt-2 text-mute">
          {entry.suggestion === '{"roots":[]}'
            ? 'You have set no roots for this server, so what follows from the question is an empty list.'
            : 'What follows from the question are the roots of this server’s settings.'}{' '}
          Roots are claims, not a fence: what the server may really touch is up to the system it runs on.
        </p>
      );
  }
}

function Message({ text }: { readonly text: string | null }) {
  return (
    <Part name="Message">
      {text === null ? (
        <p className="text-mute">None, though one is required.</p>
      ) : (
        <PlainText text={text} className={theirs} />
      )}
    </Part>
  );
}

const courses: Readonly<Record<InboxEntry['by'], string>> = {
  request: 'in the course of',
  input: 'input for',
  error: 'before another try of',
};

/** Where it came from: its row, and the call in whose course it is asked. */
function Origin({ entry }: { readonly entry: InboxEntry }) {
  const { sessionId, method, by, key, row, callId, completedRow } = entry;
  const asking = useAskingCall(sessionId, callId);
  const link = (to: number) => <RowLink row={to} onOpen={() => selectTraceRow(sessionId, to)} />;
  return (
    <p className="mt-0.5 text-sm text-mute">
      <span className="mono">{method}</span>{' '}
      {key !== null && (
        <>
          with key <PlainText inline text={key} className="mono text-text" />{' '}
        </>
      )}
      in row {link(row)}
      {asking !== null && (
        <>
          , {courses[by]} <PlainText inline text={asking.tool ?? asking.method} className="mono text-text" />{' '}
          (row {link(asking.requestRow)})
        </>
      )}
      {completedRow !== null && (
        <span className="text-in">, complete by the server’s word in row {link(completedRow)}</span>
      )}
    </p>
  );
}
