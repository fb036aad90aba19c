import { statusName } from '#shared/protocol/http-status.ts';
import { type AuthorizationStep, MAX_BODY } from '#shared/contract/authorization.ts';
import { cx } from '#ui/cx.ts';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';

/** The response to a step: status, headers, and the body, as text whatever it is. */
export function AnswerTab({ step: { response, state, request } }: { readonly step: AuthorizationStep }) {
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
  const isBad = status >= 400 || status < 200;
  return (
    <div className="px-3.5 py-2">
      <p className={cx('mono font-semibold', isBad ? 'text-err' : 'text-in')}>
        {status} {statusName(status)}
      </p>
      <ul aria-label="Response headers" className="mono mt-1">
        {headers.map(([name, value], at) => (
          <li key={at} className="[overflow-wrap:anywhere]">
            <PlainText inline text={name} className="text-key" />: <PlainText inline text={value} />
          </li>
        ))}
      </ul>
      <div className="mt-2 border-t border-line pt-2">
        {body === '' ? (
          <p className="text-mute">The response has no body.</p>
        ) : (
          <JsonText raw={body} isCut={body.length >= MAX_BODY} />
        )}
      </div>
    </div>
  );
}
