import { CircleCheck, CircleHelp, CircleX, type LucideIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import { call } from '#bridge';
import { useAction } from '#model/use-query.ts';
import { type CorsResult, corsResults, DEFAULT_ORIGIN } from '#shared/authorization/cors.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { TextField } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';

const states: Readonly<
  Record<CorsResult['state'], { readonly label: string; readonly Icon: LucideIcon; readonly tone: string }>
> = {
  usable: { label: 'usable', Icon: CircleCheck, tone: 'text-in' },
  blocked: { label: 'blocked', Icon: CircleX, tone: 'text-err' },
  unknown: { label: 'no response', Icon: CircleHelp, tone: 'text-mute' },
};

/** Checks, on a click, whether pages of an origin could use the endpoints of a flow, and lists what is missing. */
export function CorsCheck({
  flow,
  isRecorded,
}: {
  readonly flow: AuthorizationFlow;
  readonly isRecorded: boolean;
}) {
  const [origin, setOrigin] = useState(DEFAULT_ORIGIN);
  const results = useMemo(() => corsResults(flow), [flow]);
  const check = useAction(async () => {
    await call('authorization/check-cors', { flowId: flow.id, origin: origin.trim() });
  });
  if (isRecorded && results.length === 0) return null;
  return (
    <section aria-labelledby="flow-cors" className="border-t border-line pb-2">
      <details>
        <summary className="px-3.5 pt-2 text-faint hover:text-text">
          <h3 id="flow-cors" className="caption inline">
            Pages of browsers (CORS)
          </h3>
        </summary>
        {!isRecorded && (
          <form
            noValidate
            className="flex flex-col items-start gap-2 px-3.5 pt-1.5"
            onSubmit={(submit) => {
              submit.preventDefault();
              if (!check.isRunning) void check.run();
            }}
          >
            <TextField
              label="Origin of the page"
              mono
              value={origin}
              onChange={setOrigin}
              className="w-full"
              note="Sends OPTIONS and GET with this origin to each known endpoint, without credentials."
            />
            <Button type="submit" size="small" disabled={check.isRunning || origin.trim() === ''}>
              {check.isRunning ? 'Checking…' : 'Check CORS'}
            </Button>
            {check.fault !== null && <FaultCard fault={check.fault} />}
          </form>
        )}
        {results.length > 0 && <Results results={results} />}
      </details>
    </section>
  );
}

function Results({ results }: { readonly results: readonly CorsResult[] }) {
  const cell = 'border-t border-line/60 px-1 py-1 align-top text-left font-normal';
  return (
    <table aria-label="Which page can use what" className="mx-2.5 mt-2 w-[calc(100%-20px)] table-fixed">
      <thead className="text-xs text-faint">
        <tr>
          <th scope="col" className="w-[42%] px-1 text-left font-normal">
            Endpoint, page
          </th>
          <th scope="col" className="px-1 text-left font-normal">
            Result
          </th>
        </tr>
      </thead>
      <tbody>
        {results.map(({ endpoint, origin, url, state, missing }) => {
          const { label, Icon, tone } = states[state];
          return (
            <tr key={`${origin} ${endpoint}`}>
              <th scope="row" className={cell}>
                <PlainText inline text={endpoint} />
                <PlainText text={url} className="mono text-xs text-faint" />
                <PlainText text={origin} className="mono text-xs text-mute" />
              </th>
              <td className={cell}>
                <span className={cx('flex items-center gap-1', tone)}>
                  <Icon aria-hidden className="size-3.5 shrink-0" /> {label}
                </span>
                {missing.length > 0 && (
                  <ul>
                    {missing.map(({ text, source }) => (
                      <li key={text} className="[overflow-wrap:anywhere]">
                        <PlainText inline text={text} /> <span className="text-xs text-faint">{source}</span>
                      </li>
                    ))}
                  </ul>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
