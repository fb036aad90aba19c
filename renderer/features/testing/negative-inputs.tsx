import { ShieldAlert, Unplug } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '#bridge';
import { chooseNegativeTarget, consentTo, useTesting } from '#model/tests-pane.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { showRowOfSession } from '#model/traces.ts';
import { useQuery } from '#model/use-query.ts';
import { assessments, type NegativeInput, type NegativeOutcome } from '#shared/contract/negative-inputs.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { Chip, type Tone } from '#ui/chip.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, SelectBox } from '#ui/field.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type NegativeRun, runNegativeInputs, stopNegativeInputs, useNegativeRun } from './negative-run.ts';

/** Inputs that the server has to refuse, made from its schemas: what is sent, and what came of it. */
export function NegativeInputs({
  serverId,
  session,
  switcher,
}: {
  readonly serverId: string;
  /** Null unless it is ready. */
  readonly session: SessionStatus | null;
  /** Leads to the other tests. */
  readonly switcher: ReactNode;
}) {
  if (session !== null) {
    return <InputsOf key={session.id} serverId={serverId} session={session} switcher={switcher} />;
  }
  return (
    <div className="flex h-full min-h-0 flex-col px-4 pt-2.5">
      <div>{switcher}</div>
      <EmptyState icon={<Unplug />} title="Not connected">
        Connect to the server to make inputs from its schemas.
      </EmptyState>
    </div>
  );
}

function InputsOf({
  serverId,
  session,
  switcher,
}: {
  readonly serverId: string;
  readonly session: SessionStatus;
  readonly switcher: ReactNode;
}) {
  const { id: sessionId, toolCount, resourceCount, promptCount } = session;
  // They are made from the lists.
  const key = JSON.stringify([sessionId, toolCount, resourceCount, promptCount]);
  const { latest: plan, fault } = useQuery(key, () => call('negative-inputs/plan', { sessionId }));
  const target = useTesting(({ negativeTarget }) => negativeTarget[serverId] ?? null);
  const hasConsent = useTesting(({ consented }) => consented.includes(serverId));
  const [takesHarmful, setTakesHarmful] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [hidesPassed, setHidesPassed] = useState(false);
  const run = useNegativeRun(sessionId);

  if (fault !== null) return <FaultCard fault={fault} className="m-4" />;
  if (plan === null) return <div role="group" aria-busy aria-label="Negative inputs are made" />;
  const tools = [
    ...new Set(
      plan.flatMap(({ method, target: tool }) => (method === 'tools/call' && tool !== null ? [tool] : [])),
    ),
  ];
  const ofTarget = target === null ? plan : plan.filter((input) => input.target === target);
  const harmful = ofTarget.filter(({ mayDestroy }) => mayDestroy);
  const chosen = takesHarmful ? ofTarget : ofTarget.filter(({ mayDestroy }) => !mayDestroy);
  const send = () => {
    setAsking(false);
    consentTo(serverId);
    void runNegativeInputs(sessionId, chosen);
  };
  const isRunning = run?.isRunning === true;
  return (
    <div className="flex h-full min-h-0 flex-col gap-2 overflow-y-auto px-4 pt-2.5 pb-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        {switcher}
        <SelectBox
          aria-label="Inputs for"
          size="small"
          className="max-w-56"
          value={target ?? ''}
          options={[
            { value: '', label: 'Everything' },
            ...tools.map((tool) => ({ value: tool, label: visibleLine(tool) })),
          ]}
          onChange={(tool) => chooseNegativeTarget(serverId, tool === '' ? null : tool)}
        />
        {harmful.length > 0 && (
          <Checkbox
            label={`Also ${formatQuantity(harmful.length, 'input')} of tools that may be destructive`}
            checked={takesHarmful}
            onChange={setTakesHarmful}
          />
        )}
        {isRunning ? (
          <Button size="small" onClick={() => void stopNegativeInputs(sessionId)}>
            Stop
          </Button>
        ) : (
          <Button
            size="small"
            variant="primary"
            disabled={chosen.length === 0}
            onClick={() => (hasConsent ? send() : setAsking(true))}
          >
            {`Send ${formatQuantity(chosen.length, 'request')}${hasConsent ? '' : '…'}`}
          </Button>
        )}
        {run !== null && (
          <Checkbox
            label="Hide what passed"
            checked={hidesPassed}
            onChange={setHidesPassed}
            className="ml-auto"
          />
        )}
      </div>
      {isAsking && (
        <Consent
          count={chosen.length}
          isHarmful={takesHarmful && harmful.length > 0}
          onSend={send}
          onCancel={() => setAsking(false)}
        />
      )}
      {run?.fault != null && <FaultCard fault={run.fault} />}
      <p role="status" className="text-sm text-mute">
        {run === null ? 'Nothing was sent yet. These inputs can be sent:' : summary(run)}
      </p>
      {ofTarget.length === 0 ? (
        <EmptyState icon={<ShieldAlert />} title="No inputs">
          The schemas leave nothing that has to be refused.
        </EmptyState>
      ) : (
        <InputTable
          inputs={run === null ? chosen : plan.filter(({ id }) => run.ids.includes(id))}
          run={run}
          hidesPassed={hidesPassed}
        />
      )}
    </div>
  );
}

/** Asks before the first run. */
function Consent({
  count,
  isHarmful,
  onSend,
  onCancel,
}: {
  readonly count: number;
  readonly isHarmful: boolean;
  readonly onSend: () => void;
  readonly onCancel: () => void;
}) {
  return (
    <section
      aria-label="Before negative inputs are sent"
      className="rounded-ui border border-line border-l-2 border-l-warn bg-panel px-3 py-2.5"
    >
      <p className="font-medium">Send {formatQuantity(count, 'request')} to this server?</p>
      <p className="mt-1 text-mute">
        They are wrong on purpose, and some hold 1 MB. A server that does not refuse them may act on them:
        write, send or delete something, or end.{' '}
        {isHarmful
          ? 'Tools that may be destructive are called too.'
          : 'Tools that may be destructive by their annotations are left out.'}
      </p>
      <div className="mt-2.5 flex gap-2">
        <Button ref={focus} onClick={onCancel}>
          Cancel
        </Button>
        <Button variant={isHarmful ? 'danger' : 'primary'} onClick={onSend}>
          {`Send ${formatQuantity(count, 'request')}`}
        </Button>
      </div>
    </section>
  );
}

const focus = (button: HTMLButtonElement | null): void => button?.focus();

const labels: Readonly<Record<NegativeOutcome['assessment'], readonly [label: string, tone: Tone]>> = {
  passed: ['Passed', 'ok'],
  warning: ['Other error', 'warn'],
  failed: ['Mishandled', 'error'],
  unknown: ['Unclear', 'neutral'],
};

function summary({ ids, outcomes, isRunning }: NegativeRun): string {
  const ended = Object.values(outcomes);
  const counts = assessments.flatMap((assessment) => {
    const count = ended.filter((one) => one.assessment === assessment).length;
    return count === 0 ? [] : [`${count} ${labels[assessment][0].toLowerCase()}`];
  });
  const left = ids.length - ended.length;
  const rest = left === 0 ? [] : [isRunning ? `${left} to come` : `${left} not sent`];
  return [...counts, ...rest].join(', ');
}

function InputTable({
  inputs,
  run,
  hidesPassed,
}: {
  readonly inputs: readonly NegativeInput[];
  readonly run: NegativeRun | null;
  readonly hidesPassed: boolean;
}) {
  const shown = inputs.filter(({ id }) => !(hidesPassed && run?.outcomes[id]?.assessment === 'passed'));
  return (
    <table aria-label="Negative inputs" className="w-full table-fixed text-sm">
      <thead className="text-left text-xs text-faint">
        <tr>
          <th scope="col" className="w-24 py-1 font-medium">
            Result
          </th>
          <th scope="col" className="font-medium">
            Input
          </th>
          <th scope="col" className="w-1/5 font-medium">
            Expected
          </th>
          <th scope="col" className="font-medium">
            Response
          </th>
          <th scope="col" className="w-14 font-medium">
            Row
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((input) => (
          <InputRow key={input.id} input={input} outcome={run?.outcomes[input.id] ?? null} />
        ))}
      </tbody>
    </table>
  );
}

function InputRow({
  input,
  outcome,
}: {
  readonly input: NegativeInput;
  readonly outcome: NegativeOutcome | null;
}) {
  const [label, tone] = outcome === null ? (['Not sent', 'neutral'] as const) : labels[outcome.assessment];
  const row = outcome?.requestRow ?? null;
  return (
    <tr className="border-t border-line align-top">
      <td className="py-1">
        <Chip tone={tone}>{label}</Chip>
      </td>
      <td className="py-1 pr-3 break-words">
        <span className="mono text-mute">{visibleLine(input.target ?? input.method)}</span>{' '}
        {visibleLine(input.what)}
      </td>
      <td className="py-1 pr-3 break-words text-mute">{input.expected}</td>
      <td className="py-1 pr-3 break-words">
        <span className="line-clamp-2">{outcome === null ? '' : visibleLine(outcome.got)}</span>
      </td>
      <td className="py-1">
        {outcome !== null && row !== null && (
          <RowLink row={row} onOpen={() => reportFault(showRowOfSession(outcome.sessionId, row))} />
        )}
      </td>
    </tr>
  );
}
