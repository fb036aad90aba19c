import { CircleAlert, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { call } from '#bridge';
import {
  changeSetup,
  compareSides,
  isTicked,
  type ReplaySetup,
  type ReplayView,
  runReplay,
  sendableOf,
  sessionOf,
  type Side,
} from '#model/replay.ts';
import { useQuery } from '#model/use-query.ts';
import { MIN_REPLAY_SECRET, type PlannedSecret, type ReplayScope } from '#shared/contract/replay.ts';
import { formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, FieldError, Input, SelectBox } from '#ui/field.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { visibleLine } from '#ui/visible.ts';
import { PlanTable } from './plan-table.tsx';

/** A recording or a session to choose. */
export interface SideOption {
  readonly side: Side;
  readonly label: string;
}

const keyOf = (side: Side): string => JSON.stringify(side);

/** Labelled choice of a recording or a session. */
export function SideChoice({
  label,
  value,
  options,
  placeholder,
  onChange,
}: {
  readonly label: string;
  readonly value: Side | null;
  readonly options: readonly SideOption[];
  /** Shown while nothing is chosen. */
  readonly placeholder: string;
  readonly onChange: (side: Side) => void;
}) {
  const chosen = value === null ? '' : keyOf(value);
  const listed = options.map(({ side, label: name }) => ({ value: keyOf(side), label: visibleLine(name) }));
  return (
    <SelectBox
      aria-label={label}
      value={listed.some((option) => option.value === chosen) ? chosen : ''}
      options={
        listed.some((option) => option.value === chosen)
          ? listed
          : [{ value: '', label: placeholder }, ...listed]
      }
      onChange={(key) => {
        const option = options.find(({ side }) => keyOf(side) === key);
        if (option !== undefined) onChange(option.side);
      }}
      className="w-full max-w-[440px] min-w-0"
    />
  );
}

/** A line of the form. */
export function SetupLine({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-[88px_minmax(0,1fr)] items-center gap-x-3">
      <span className="text-mute">{label}</span>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">{children}</div>
    </div>
  );
}

/** Compares two recordings, or one with a session as far as it has come. */
export function CompareButton({
  paneId,
  recorded,
  other,
  label = 'Compare',
  variant = 'primary',
}: {
  readonly paneId: string;
  readonly recorded: Side;
  /** Null until it is chosen. */
  readonly other: Side | null;
  readonly label?: string;
  readonly variant?: 'primary' | 'plain';
}) {
  return (
    <Button
      variant={variant}
      disabled={other === null}
      onClick={() => other !== null && void compareSides(paneId, recorded, other)}
    >
      {label}
    </Button>
  );
}

/** What would be sent, with the tools' annotations, to tick and to agree to; and how it is sent. */
export function ReplayPlan({
  paneId,
  view: { setup, mustConsentAgain },
  recording,
  sessionId,
}: {
  readonly paneId: string;
  readonly view: ReplayView;
  readonly recording: Side;
  /** A session that is ready. */
  readonly sessionId: string;
}) {
  const { scope } = setup;
  const { latest, fault, isLoading } = useQuery(JSON.stringify([recording, sessionId, scope]), async () => {
    const recorded = await sessionOf(recording);
    return { recorded, plan: await call('replay/plan', { recorded, sessionId, scope }) };
  });
  if (fault !== null) return <FaultCard fault={fault} className="mx-4" />;
  if (latest === null) return <div role="group" aria-busy aria-label="The recording is read" />;
  const { recorded, plan } = latest;
  const ticked = plan.calls.filter((planned) => isTicked(planned, setup.ticks));
  const sendable = ticked.reduce((sum, planned) => sum + sendableOf(planned, setup.secrets), 0);
  const left = plan.rows.length - sendable;
  if (plan.rows.length === 0) {
    return (
      <div className="min-h-0 flex-1">
        <EmptyState
          title="Nothing to replay"
          actions={
            scope.of === 'all' ? null : (
              <Button onClick={() => changeSetup(paneId, { scope: { of: 'all' } })}>All calls</Button>
            )
          }
        >
          {scope.of === 'all'
            ? 'This recording has no calls. Call a tool, read a resource or get a prompt first, or choose another recording.'
            : 'None of these rows is a call that can be made again.'}
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      <div className="flex flex-col gap-2 px-4">
        <SetupLine label="Calls">
          <ScopeText
            scope={scope}
            count={plan.rows.length}
            onAll={() => changeSetup(paneId, { scope: { of: 'all' } })}
          />
        </SetupLine>
        <SetupLine label="Pacing">
          <Pacing paneId={paneId} setup={setup} />
        </SetupLine>
        {plan.secrets.length > 0 && (
          <SetupLine label="Secrets">
            <SecretValues paneId={paneId} secrets={plan.secrets} values={setup.secrets} />
          </SetupLine>
        )}
      </div>
      {mustConsentAgain && (
        <p
          role="alert"
          className="mx-4 flex items-start gap-2 rounded-ui border border-line border-l-2 border-l-warn bg-raise px-3 py-2"
        >
          <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warn" />
          The tools or their annotations have changed since you agreed to call them. Look at the list again.
        </p>
      )}
      <PlanTable paneId={paneId} calls={plan.calls} setup={setup} />
      <div className="-mt-2.5 flex min-h-11 shrink-0 flex-wrap items-center gap-3 border-t border-line bg-panel px-4 py-2">
        <Button
          variant="primary"
          disabled={sendable === 0 || isLoading}
          onClick={() => void runReplay(paneId, { recorded, sessionId, plan })}
        >
          Send {formatQuantity(sendable, 'call')}
        </Button>
        <p role="status" className="min-w-0 text-sm text-mute">
          {left === 0
            ? 'They are sent to the connected server, in their order.'
            : `${formatQuantity(left, 'call')} left out. The rest is sent to the connected server, in its order.`}
        </p>
      </div>
    </>
  );
}

function ScopeText({
  scope,
  count,
  onAll,
}: {
  readonly scope: ReplayScope;
  readonly count: number;
  readonly onAll: () => void;
}) {
  if (scope.of === 'all') return <span>{formatQuantity(count, 'call')}, all of the recording</span>;
  return (
    <>
      <span>
        {scope.of === 'from'
          ? `${formatQuantity(count, 'call')}, from ${rowNumber(scope.row)} on`
          : `${formatQuantity(count, 'call')} of the selected rows`}
      </span>
      <Button size="small" icon={<X aria-hidden className="size-3.5" />} onClick={onAll}>
        All calls
      </Button>
    </>
  );
}

function Pacing({ paneId, setup }: { readonly paneId: string; readonly setup: ReplaySetup }) {
  const { timing, times, isStepped } = setup;
  return (
    <>
      <Segmented
        label="Pauses between calls"
        value={timing}
        onChange={(chosen) => changeSetup(paneId, { timing: chosen })}
        options={[
          { id: 'fast', label: 'Fast' },
          { id: 'original', label: 'As recorded' },
          { id: 'times', label: 'Faster' },
        ]}
      />
      {timing === 'times' && (
        <span className="flex items-center gap-1.5">
          <Input
            type="number"
            min={1}
            max={1000}
            aria-label="Times as fast"
            value={times}
            onChange={({ target }) => {
              const value = target.valueAsNumber;
              if (value > 0) changeSetup(paneId, { times: value });
            }}
            className="h-6 w-16 px-1.5"
          />
          <span className="text-mute">times as fast</span>
        </span>
      )}
      <Checkbox
        label="One step at a time"
        checked={isStepped}
        onChange={(checked) => changeSetup(paneId, { isStepped: checked })}
      />
    </>
  );
}

/** Secrets that have a field; a recording with more is replayed in the terminal. */
const MAX_SECRETS = 50;

/** A field for the value of each secret that the recording has only a placeholder of. */
function SecretValues({
  paneId,
  secrets,
  values,
}: {
  readonly paneId: string;
  readonly secrets: readonly PlannedSecret[];
  readonly values: ReplaySetup['secrets'];
}) {
  const id = useId();
  const isShort = (value: string) => value !== '' && value.length < MIN_REPLAY_SECRET;
  return (
    <div role="group" aria-label="Values of secrets" className="min-w-0">
      <div className="grid max-h-32 grid-cols-[repeat(auto-fill,minmax(260px,1fr))] gap-x-4 gap-y-1.5 overflow-y-auto p-0.5">
        {secrets.slice(0, MAX_SECRETS).map(({ placeholder, kind }, place) => {
          const errorId = `${id}-${place}`;
          const value = values[placeholder] ?? '';
          return (
            <div key={placeholder} className="min-w-0">
              <label className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] items-center gap-x-2">
                <span className="mono truncate text-sm text-mute" title={visibleLine(placeholder)}>
                  {visibleLine(kind)} <span className="text-faint">{shortHash(placeholder)}</span>
                </span>
                <Input
                  type="password"
                  value={value}
                  placeholder="not given"
                  aria-invalid={isShort(value) || undefined}
                  aria-describedby={isShort(value) ? errorId : undefined}
                  onChange={({ target }) =>
                    changeSetup(paneId, { secrets: { ...values, [placeholder]: target.value } })
                  }
                  className="mono h-6 px-1.5"
                />
              </label>
              {isShort(value) && (
                <FieldError id={errorId}>
                  At least {MIN_REPLAY_SECRET} characters, so that the trace can hide it.
                </FieldError>
              )}
            </div>
          );
        })}
      </div>
      <p className="mt-1 text-xs text-faint">
        {secrets.length > MAX_SECRETS && `The first ${MAX_SECRETS} of ${secrets.length}. `}A call is sent when
        all of its secrets are given. The values are kept in memory only, and replaced in the trace.
      </p>
    </div>
  );
}

/** The characters at the end of a placeholder that tell it from others. */
const shortHash = (placeholder: string): string => /[0-9a-f]{1,64}(?=\]?$)/.exec(placeholder)?.[0] ?? '';
