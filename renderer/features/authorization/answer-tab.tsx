import { placeOfPart } from '#shared/authorization/parameters.ts';
import { challengesOf } from '#shared/authorization/challenge.ts';
import { type AuthorizationStep, MAX_BODY } from '#shared/contract/authorization.ts';
import { statusName } from '#shared/protocol/http-status.ts';
import { cx } from '#ui/cx.ts';
import { JsonText } from '#ui/json-text.tsx';
import { JsonTree } from '#ui/json-view/json-tree.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { MembersExplained, ParameterName } from './parameter-help.tsx';

/** The response to a step: status, challenges taken apart, the body as text whatever it is, and the headers. */
export function AnswerTab({ step }: { readonly step: AuthorizationStep }) {
  const { name: stepName, response, state, request } = step;
  if (response === null) {
    return (
      <p className="px-3.5 py-2 text-mute">
        {request === null
          ? 'This step has no response.'
          : state === 'done' || state === 'failed'
            ? 'It got no response.'
            : 'No response yet.'}
      </p>
    );
  }
  const { status, headers, body } = response;
  // As in the diagram: a step that succeeded with such a status did not fail by it.
  const isError = status >= 400 || status < 200;
  const tone = !isError
    ? 'text-in'
    : state === 'failed' || stepName === 'challenge'
      ? 'text-err'
      : 'text-mute';
  return (
    <div className="px-3.5 py-2">
      <p className={cx('mono font-semibold', tone)}>
        {status} {statusName(status)}
      </p>
      <Challenges headers={headers} />
      <div className="mt-1">
        <Body body={body} />
      </div>
      <MembersExplained body={body} place={placeOfPart(step, 'response')} />
      <ul aria-label="Response headers" className="mono mt-2 border-t border-line pt-2">
        {headers.map(([name, value], at) => (
          <li key={at} className="[overflow-wrap:anywhere]">
            <PlainText inline text={name} className="text-key" />: <PlainText inline text={value} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Body({ body }: { readonly body: string | null }) {
  if (body === null) return <p className="text-mute">Its body is in the trace, at the row of this step.</p>;
  if (body === '') return <p className="text-mute">The response has no body.</p>;
  const isCut = body.length >= MAX_BODY;
  return isCut ? <JsonText raw={body} isCut /> : <JsonTree raw={body} label="Body of the response" />;
}

/** Each challenge of `WWW-Authenticate` with its parameters (RFC 9110 section 11.6.1). */
function Challenges({ headers }: Pick<NonNullable<AuthorizationStep['response']>, 'headers'>) {
  return challengesOf(headers).map(({ scheme, parameters }, at) => (
    <section key={at} aria-label={`Challenge ${at + 1}`} className="mt-2 border-t border-line pt-2">
      <h3 className="text-mute">
        Challenge <PlainText inline text={scheme} className="mono font-semibold text-text" />
      </h3>
      {parameters.size === 0 ? (
        <p className="text-mute">It has no parameters.</p>
      ) : (
        <dl className="mono grid grid-cols-[fit-content(50%)_minmax(0,1fr)] gap-x-3">
          {[...parameters].map(([name, value]) => (
            <div key={name} className="col-span-2 grid grid-cols-subgrid">
              <dt className="min-w-0 text-key">
                <ParameterName place="challenge" name={name} />
              </dt>
              <dd className="[overflow-wrap:anywhere]">
                <PlainText inline text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  ));
}
