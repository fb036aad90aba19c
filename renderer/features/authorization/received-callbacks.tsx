import { ShieldAlert } from 'lucide-react';
import { selectTraceRow } from '#model/selection.ts';
import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import type { CallbackComparison, ReceivedCallback } from '#shared/contract/authorization-callback.ts';
import { formatQuantity } from '#shared/format.ts';
import { Chip, type Tone } from '#ui/chip.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';

/** What came to the redirect URI while a step waited: the URL, each parameter, and what was compared. The answer is the last. */
export function ReceivedCallbacks({
  flow,
  step: { callbacks, moreCallbacks },
}: {
  readonly flow: AuthorizationFlow;
  readonly step: AuthorizationStep;
}) {
  if (callbacks.length === 0) return null;
  return (
    <section aria-label="Received callbacks" className="px-3 pb-2">
      {callbacks.toReversed().map((callback, at) => (
        <Callback
          key={callbacks.length - at}
          number={callbacks.length - at}
          callback={callback}
          onRow={(row) => selectTraceRow(flow.sessionId, row)}
        />
      ))}
      {moreCallbacks > 0 && (
        <p className="mt-1 text-mute">
          {formatQuantity(moreCallbacks, 'more request')} came to the redirect URI and{' '}
          {moreCallbacks === 1 ? 'is' : 'are'} not shown.
        </p>
      )}
    </section>
  );
}

function Callback({
  number,
  callback,
  onRow,
}: {
  readonly number: number;
  readonly callback: ReceivedCallback;
  readonly onRow: (row: number) => void;
}) {
  const { by, method, parameters, moreParameters, untrusted, row } = callback;
  const title = by === 'pasted' ? 'Pasted callback' : 'Callback of the browser';
  return (
    <section
      aria-label={`${title} ${number}`}
      className="mt-2 rounded-ui border border-line bg-panel px-2.5 py-2"
    >
      <h3 className="flex flex-wrap items-center gap-x-2">
        <span className="caption">{title}</span>
        <RowLink row={row} onOpen={onRow} />
      </h3>
      {untrusted !== null && (
        <p className="mt-1 flex items-start gap-1.5 text-sm text-warn">
          <ShieldAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0">
            Not trusted: <PlainText inline text={untrusted} /> Nothing of it was used. What it says may be of
            anybody.
          </span>
        </p>
      )}
      <p className="mono mt-1 [overflow-wrap:anywhere]">
        <span className="text-mute">{method}</span> <PlainText inline text={urlOf(callback)} />
      </p>
      {parameters.length > 0 && (
        <table aria-label="Parameters of the callback" className="mt-1.5 w-full table-fixed text-left">
          <thead className="sr-only">
            <tr>
              <th scope="col">Parameter</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {parameters.map(({ name, value, fingerprint, isInFragment }, at) => (
              <tr key={at} className="border-t border-line/60 align-baseline">
                <th scope="row" className="w-2/5 py-0.5 pr-2 font-normal">
                  <PlainText inline isName text={name} className="mono text-key" />
                  {isInFragment && <span className="text-xs text-faint"> behind the #</span>}
                </th>
                <td className="py-0.5">
                  {value === null ? (
                    <span className="mono">
                      <span role="img" aria-label="hidden" className="text-mute">
                        ••••
                      </span>{' '}
                      <span className="text-faint">{fingerprint}</span>
                    </span>
                  ) : (
                    <PlainText inline text={value} className="mono" />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {moreParameters > 0 && (
        <p className="text-mute">And {formatQuantity(moreParameters, 'more parameter')}.</p>
      )}
      <Comparison name="state" sent="Sent" comparison={callback.state} />
      <Comparison name="iss" sent="Expected" comparison={callback.iss} />
    </section>
  );
}

const results: Readonly<
  Record<CallbackComparison['result'], { readonly text: string; readonly tone: Tone }>
> = {
  equal: { text: 'equal', tone: 'ok' },
  different: { text: 'different', tone: 'error' },
  missing: { text: 'missing', tone: 'error' },
  none: { text: 'not sent', tone: 'neutral' },
};

/** One value of a callback beside the one that it is compared with, and the rule. */
function Comparison({
  name,
  sent,
  comparison: { result, expected, received, rule, source },
}: {
  readonly name: string;
  /** What the first value is called. */
  readonly sent: string;
  readonly comparison: CallbackComparison;
}) {
  const { text, tone } = results[result];
  return (
    <section aria-label={`Comparison of ${name}`} className="mt-1.5 border-t border-line pt-1.5">
      <h4 className="flex items-center gap-2">
        <span className="mono text-key">{name}</span>
        <Chip tone={tone} className="bg-panel">
          {text}
        </Chip>
      </h4>
      <dl className="grid grid-cols-[72px_minmax(0,1fr)] gap-x-2">
        {[
          { label: sent, value: expected },
          { label: 'Received', value: received },
        ].map(({ label, value }) => (
          <div key={label} className="col-span-2 grid grid-cols-subgrid items-baseline">
            <dt className="text-mute">{label}</dt>
            <dd>
              {value === null ? (
                <span className="text-faint">none</span>
              ) : (
                <PlainText inline text={value} className="mono" />
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-xs text-mute">
        {rule} <span className="whitespace-nowrap text-faint">{source}</span>
      </p>
    </section>
  );
}

/** The whole URL; a secret is written as `‹name›`. */
function urlOf({ url, parameters }: ReceivedCallback): string {
  const part = (isInFragment: boolean) =>
    parameters
      .filter((one) => one.isInFragment === isInFragment)
      .map(({ name, value }) => `${encoded(name)}=${value === null ? `‹${name}›` : encoded(value)}`)
      .join('&');
  const [query, fragment] = [part(false), part(true)];
  return `${url}${query === '' ? '' : `?${query}`}${fragment === '' ? '' : `#${fragment}`}`;
}

/** Half of a surrogate pair, where a value was cut, cannot be encoded. */
const encoded = (text: string): string =>
  encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\uFFFD')).replaceAll('%20', '+');
