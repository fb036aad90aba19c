import { useState } from 'react';
import { call } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import { useServerTests } from '#model/server-tests.ts';
import { useAction } from '#model/use-query.ts';
import type { ServerTest, ServerTests, ServerTestOutcome } from '#shared/contract/server-tests.ts';
import { formatQuantity } from '#shared/format.ts';
import { statusName } from '#shared/protocol/http-status.ts';
import { Button } from '#ui/button.tsx';
import { Chip, type Tone } from '#ui/chip.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, SelectBox } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { TestTokensSection } from './test-tokens.tsx';

/** Whether the server refuses what it must: no token, broken ones, those of others, and their sessions. */
export function ServerTestsTab({
  serverId,
  sessionId,
  isRecorded,
}: {
  readonly serverId: string;
  readonly sessionId: string | null;
  readonly isRecorded: boolean;
}) {
  const { tests, fault } = useServerTests(isRecorded ? null : sessionId);
  if (isRecorded) return <Note>This session was recorded, so nothing can be sent.</Note>;
  if (fault !== null) return <FaultCard fault={fault} className="m-3" />;
  if (sessionId === null)
    return <Note>Authorize or connect first: the tests compare with the token in use.</Note>;
  if (tests === undefined) return <div aria-busy aria-label="The tests are loading" />;
  if (tests === null) return <Note>This session does not authorize, so there is nothing to test.</Note>;
  return (
    <div className="flex flex-col gap-2 px-3.5 py-2">
      <Run serverId={serverId} tests={tests} />
      <TestTokensSection serverId={serverId} tests={tests} />
      <TestTable tests={tests} />
    </div>
  );
}

const Note = ({ children }: { readonly children: string }) => (
  <p className="px-3.5 py-2 text-mute">{children}</p>
);

/** What will be sent to whom and how often, and what begins it. */
function Run({ serverId, tests }: { readonly serverId: string; readonly tests: ServerTests }) {
  const [foreignId, chooseForeign] = useState(NONE);
  const [isForeignAllowed, allowForeign] = useState(false);
  const foreign = tests.foreign.find(({ id }) => id === foreignId);
  const run = useAction(async () => {
    const foreignCredentials = foreign !== undefined && isForeignAllowed ? foreign.id : null;
    await call('server-tests/run', { serverId, consent: true, foreignCredentials });
  });
  const stop = useAction(async () => {
    await call('server-tests/stop', { sessionId: tests.sessionId });
  });
  const isRunning = tests.state === 'running';
  return (
    <section aria-label="Before the run" className="flex flex-col gap-1.5">
      <p>
        A run sends at most {formatQuantity(tests.requests, 'request')} to{' '}
        <PlainText inline text={tests.url} className="mono" />, and to nobody else.
      </p>
      <p className="text-sm text-mute">
        Only initialize, ping, tools/list and server/discover, requests for event streams, and the end of
        sessions that it opened; never a call of a tool.{' '}
        {tests.hasToken
          ? 'Some have the token in use, once in the URL, which the server may log.'
          : 'There is no token in use, so only tests without one run.'}{' '}
        Each is in the trace, with a mark.
      </p>
      {tests.foreign.length > 0 && (
        <div className="flex flex-col gap-1">
          <SelectBox
            aria-label="Token of another server at this issuer"
            size="small"
            value={foreign?.id ?? NONE}
            options={[
              { value: NONE, label: 'No token of another server' },
              ...tests.foreign.map(({ id, resource }) => ({ value: id, label: visibleLine(resource) })),
            ]}
            onChange={(id) => {
              chooseForeign(id);
              allowForeign(false);
            }}
          />
          {foreign !== undefined && (
            <Checkbox
              label={`Send the token for ${visibleLine(foreign.resource)} to this server, which could then use it there`}
              checked={isForeignAllowed}
              onChange={allowForeign}
            />
          )}
        </div>
      )}
      <div className="flex items-center gap-2">
        {isRunning ? (
          <Button size="small" disabled={stop.isRunning} onClick={() => void stop.run()}>
            Stop
          </Button>
        ) : (
          <Button
            size="small"
            variant="primary"
            disabled={run.isRunning || (foreign !== undefined && !isForeignAllowed)}
            onClick={() => void run.run()}
          >
            {tests.state === 'planned' ? 'Run the tests' : 'Run again'}
          </Button>
        )}
        <p role="status" className="text-sm text-mute">
          {summaryOf(tests)}
        </p>
      </div>
      {tests.control !== '' && (
        <p className="text-sm">
          <PlainText inline text={tests.control} />{' '}
          <RowLink row={tests.controlRow} onOpen={(row) => selectTraceRow(tests.sessionId, row)} />
        </p>
      )}
      {run.fault !== null && <FaultCard fault={run.fault} />}
      {tests.fault !== null && <FaultCard fault={tests.fault} />}
    </section>
  );
}

const NONE = 'none';

const outcomes: Readonly<Record<ServerTestOutcome, readonly [label: string, tone: Tone]>> = {
  right: ['right', 'ok'],
  careless: ['careless', 'error'],
  unclear: ['unclear', 'warn'],
  'not-applicable': ['not applicable', 'neutral'],
};

function summaryOf({ state, tests }: ServerTests): string {
  if (state === 'planned') return 'Nothing was sent yet.';
  const counts = Object.entries(outcomes)
    .map(([outcome, [label]]) => ({ label, count: tests.filter((test) => test.outcome === outcome).length }))
    .filter(({ count }) => count > 0)
    .map(({ label, count }) => `${count} ${label}`)
    .join(', ');
  const prefix: Partial<Record<ServerTests['state'], string>> = {
    running: 'Running: ',
    stopped: 'Stopped: ',
    failed: 'Failed: ',
  };
  return `${prefix[state] ?? ''}${counts}`;
}

function TestTable({ tests: { tests, sessionId } }: { readonly tests: ServerTests }) {
  return (
    <table className="w-full table-fixed">
      <caption className="caption pb-1 text-left">Server tests</caption>
      <thead>
        <tr className="text-left text-xs text-faint">
          <th scope="col" className="font-normal">
            test and answer
          </th>
          <th scope="col" className="w-[104px] text-right font-normal">
            outcome
          </th>
        </tr>
      </thead>
      <tbody>
        {tests.map((test) => (
          <TestRow key={test.id} test={test} sessionId={sessionId} />
        ))}
      </tbody>
    </table>
  );
}

function TestRow({ test, sessionId }: { readonly test: ServerTest; readonly sessionId: string }) {
  const { label, status, words, why, row, finding } = test;
  return (
    <tr className="border-t border-line align-top">
      <th scope="row" className="py-1.5 text-left font-normal">
        <p className="font-medium">{label}</p>
        {status !== null && (
          <p className="mono text-[11.5px] [overflow-wrap:anywhere]">
            {status} {statusName(status)}
            {words !== '' && (
              <>
                {' · '}
                <PlainText inline text={words} />
              </>
            )}{' '}
            <RowLink row={row} onOpen={(to) => selectTraceRow(sessionId, to)} />
          </p>
        )}
        {why !== '' && (
          <p className="text-sm text-mute [overflow-wrap:anywhere]">
            <PlainText inline text={why} />
            {finding !== null && (
              <span className="text-faint">
                {' '}
                {finding.rule} · {finding.source}
              </span>
            )}
          </p>
        )}
        <About test={test} />
      </th>
      <td className="py-1.5 text-right">
        <Outcome test={test} />
      </td>
    </tr>
  );
}

/** What is sent, what is right, and by which rule. */
const About = ({
  test: { label, sends, right, careless, source, allowed },
}: {
  readonly test: ServerTest;
}) => (
  <details>
    <summary aria-label={`About ${label}`} className="w-fit text-xs text-faint hover:text-text">
      What is sent, and what is right
    </summary>
    <dl className="grid grid-cols-[58px_minmax(0,1fr)] gap-x-2 pt-0.5 text-sm text-mute">
      <dt className="text-faint">sent</dt>
      <dd>{sends}</dd>
      <dt className="text-faint">right</dt>
      <dd>
        {right} Allowed: {allowed}.
      </dd>
      <dt className="text-faint">careless</dt>
      <dd>{careless}</dd>
      <dt className="text-faint">rule</dt>
      <dd>{source}</dd>
    </dl>
  </details>
);

function Outcome({ test: { state, outcome } }: { readonly test: ServerTest }) {
  if (state === 'running') return <span className="text-sm text-mute">running</span>;
  if (outcome === null) return <span className="text-sm text-faint">not sent yet</span>;
  const [label, tone] = outcomes[outcome];
  return <Chip tone={tone}>{label}</Chip>;
}
