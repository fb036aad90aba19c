import { useCalls } from '#model/calls.ts';
import { useShowInTrace } from '#model/message-panes.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText, VisibleText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { type Schema, isSchema, typesOf } from '#shared/json-schema/schema.ts';
import { visibleLine } from '#ui/visible.ts';
import { Column, Part, serverTextFrame, Warning } from './pane-layout.tsx';
import type { Question } from './read-question.ts';
import { RootList } from './root-list.tsx';
import { SamplingView } from './sampling-view.tsx';
import { UrlView } from './url-view.tsx';
import { isObject } from '#shared/protocol/jsonrpc.ts';

interface QuestionColumnProps {
  readonly session: SessionStatus;
  readonly entry: InboxEntry;
  readonly question: Question;
  /** The parts that seem to ask for a secret. */
  readonly secrets: readonly string[];
}

/** The question: what it asks, where it came from, and its params as sent. */
export function QuestionColumn({ session, entry, question, secrets }: QuestionColumnProps) {
  return (
    <Column
      label="Question"
      heading={
        <>
          <h2 className="text-lg leading-snug font-semibold [overflow-wrap:anywhere]">
            <span className="text-info">
              <VisibleText isName text={visibleLine(session.serverName)} />
            </span>{' '}
            {questionTitles[question.kind]}
          </h2>
          <Origin entry={entry} />
        </>
      }
    >
      {secrets.length > 0 && (
        <Warning tone="danger">
          <span className="font-medium">This asks for a secret: </span>
          <span className="mono [overflow-wrap:anywhere]">{secrets.map(visibleLine).join(', ')}</span>
          <span className="block">
            A server must not ask for passwords, keys or card numbers this way. What you send is also recorded
            in the trace.
          </span>
        </Warning>
      )}
      <QuestionBody question={question} entry={entry} secrets={secrets} />
      <Part name="Params" note="as sent">
        <div className="relative rounded-ui border border-line bg-raise py-1.5 pr-9 pl-2.5">
          <JsonText raw={entry.params} />
          <CopyButton text={entry.params} label="Copy the params" className="absolute top-1 right-1" />
        </div>
      </Part>
    </Column>
  );
}

const questionTitles: Readonly<Record<Question['kind'], string>> = {
  sampling: 'requests a message from your language model',
  form: 'asks you to fill in a form',
  url: 'asks you to open a page',
  roots: 'asks which folders it may work in',
  unknown: 'sends a request that clients do not support',
};

/** Links to the row of the question, and to the call that it belongs to. */
function Origin({ entry }: { readonly entry: InboxEntry }) {
  const { sessionId, method, by, key, row, callId, completedRow } = entry;
  const { calls } = useCalls(callId === null ? null : sessionId);
  const asking = calls.find(({ id }) => id === callId);
  useShowInTrace(sessionId, row);
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
      {asking?.requestRow != null && (
        <>
          , {relations[by]}{' '}
          <PlainText inline text={asking.tool ?? asking.method} className="mono text-text" /> (row{' '}
          {link(asking.requestRow)})
        </>
      )}
      {completedRow !== null && (
        <span className="text-in">, completed according to the server in row {link(completedRow)}</span>
      )}
    </p>
  );
}

const relations: Readonly<Record<InboxEntry['by'], string>> = {
  request: 'during',
  input: 'as input for',
  error: 'before a retry of',
};

function QuestionBody({ question, entry, secrets }: Omit<QuestionColumnProps, 'session'>) {
  switch (question.kind) {
    case 'sampling':
      return <SamplingView sampling={question.sampling} entry={entry} />;
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
    case 'unknown':
      return (
        <p className="mt-2 text-mute">
          No revision has such a request, or it was not declared. It waits here because the settings of this
          server hold unknown requests; otherwise it is answered with the error -32601, which “Decline” sends.
        </p>
      );
    case 'roots':
      return (
        <>
          <p className="mt-2 text-mute">
            {entry.suggestion === '{"roots":[]}'
              ? 'No roots are configured for this server, so the default answer is an empty list.'
              : 'The default answer is the roots in this server’s settings.'}{' '}
            Roots are not enforced: the operating system decides what the server can access.
          </p>
          {entry.state === 'waiting' && entry.suggestion !== null && (
            <RootList json={entry.suggestion} note="that the default answer sends" />
          )}
        </>
      );
  }
}

function Message({ text }: { readonly text: string | null }) {
  return (
    <Part name="Message">
      {text === null ? (
        <p className="text-mute">None, although it is required.</p>
      ) : (
        <PlainText text={text} className={serverTextFrame} />
      )}
    </Part>
  );
}

/** The fields of a form. */
function FormView({
  schema,
  secrets,
}: {
  readonly schema: Schema | null;
  /** The fields that look like secrets. */
  readonly secrets: readonly string[];
}) {
  if (schema === null)
    return <Warning tone="warn">The request has no requestedSchema, although it is required.</Warning>;
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return (
    <Part name="Fields" note={properties.length === 0 ? 'none' : undefined}>
      <ul className="overflow-hidden rounded-ui border border-line">
        {properties.map(([name, field]) => (
          <li key={name} className="border-b border-line px-2.5 py-1 last:border-b-0">
            <div className="flex items-baseline gap-2">
              <span className="mono min-w-0 font-medium [overflow-wrap:anywhere]">
                <VisibleText isName text={visibleLine(name)} />
                {required.includes(name) && (
                  <span className="text-err">
                    <span aria-hidden> *</span>
                    <span className="sr-only"> required</span>
                  </span>
                )}
              </span>
              {secrets.includes(name) && (
                <span className="shrink-0 text-xs font-medium text-err">looks like a secret</span>
              )}
              <span className="ml-auto max-w-[60%] text-right text-xs [overflow-wrap:anywhere] text-faint">
                {isSchema(field) ? visibleLine(kindOf(field)) : 'not a schema'}
              </span>
            </div>
            {isSchema(field) && <FieldText field={field} />}
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** Title and description of a field. */
function FieldText({ field: { title, description } }: { readonly field: Schema }) {
  const words = [title, description].filter((one): one is string => typeof one === 'string' && one !== '');
  return words.length === 0 ? null : <PlainText text={words.join(' · ')} className="text-sm text-mute" />;
}

/** `integer · 10 to 2000`, `string · email`, `one of water, oil` */
function kindOf(field: Schema): string {
  const { format, minimum, maximum, minLength, maxLength } = field;
  const choices = choicesOf(field) ?? (isSchema(field.items) ? choicesOf(field.items) : null);
  const parts = [
    choices === null ? typesOf(field).join(' or ') : `${many(field)} of ${choices.join(', ')}`,
    typeof format === 'string' ? format : '',
    span(minimum, maximum, ''),
    span(minLength, maxLength, ' characters'),
  ];
  return parts.filter((part) => part !== '').join(' · ') || 'anything';
}

const many = (field: Schema): string => (typesOf(field).includes('array') ? 'any' : 'one');

/** The values of an enum, those with names (MCP 2025-06-18 and 2025-11-25 elicitation) as `s (small)`. */
function choicesOf(field: Schema): string[] | null {
  if (Array.isArray(field.enum)) {
    const names: readonly unknown[] = Array.isArray(field.enumNames) ? field.enumNames : [];
    return field.enum.map((value, at) => withName(String(value), names[at]));
  }
  const titled = Array.isArray(field.oneOf) ? field.oneOf : field.anyOf;
  if (!Array.isArray(titled)) return null;
  return titled.flatMap((one: unknown) =>
    isObject(one) && 'const' in one ? [withName(String(one.const), one.title)] : [],
  );
}

const withName = (value: string, name: unknown): string =>
  typeof name === 'string' ? `${value} (${name})` : value;

function span(from: unknown, to: unknown, unit: string): string {
  const [least, most] = [from, to].map((limit) => (typeof limit === 'number' ? String(limit) : null));
  if (least != null && most != null) return `${least} to ${most}${unit}`;
  if (least != null) return `at least ${least}${unit}`;
  return most != null ? `at most ${most}${unit}` : '';
}
