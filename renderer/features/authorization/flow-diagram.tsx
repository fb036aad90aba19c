import {
  Circle,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  GitFork,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  Undo2,
} from 'lucide-react';
import { type ReactNode, useEffect, useId, useMemo, useRef } from 'react';
import { selectTraceRow } from '#model/selection.ts';
import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import type { AuthorizationState } from '#shared/contract/sessions.ts';
import { formatDuration, formatQuantity } from '#shared/format.ts';
import { AuthorizationStateText } from '#ui/authorization-state.tsx';
import { cx } from '#ui/cx.ts';
import { ContextMenu } from '#ui/menu.tsx';
import { moveSelection } from '#ui/option-list.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { FindingIcon, worstOf } from './finding-icon.tsx';
import { countsOf, type FlowLine, lanesOf, lineName, linesOf } from './flow-lines.ts';
import { useStepCopies } from './step-copy.tsx';
import { partyLabels } from './step-labels.ts';

/**
 * A flow as a sequence diagram: a line for each step, with its branch, and its arrows between the parties. Up, Down, Home
 * and End walk it; Enter opens the step.
 */
export function FlowDiagram({
  flow,
  selected,
  onSelect,
  onEnter,
  state,
  isRecorded,
}: {
  readonly flow: AuthorizationFlow;
  readonly selected: AuthorizationStep;
  readonly isRecorded: boolean;
  readonly onSelect: (step: AuthorizationStep) => void;
  readonly onEnter: () => void;
  /** Of the session; null if it does not authorize. */
  readonly state: AuthorizationState | null;
}) {
  const lines = useMemo(() => linesOf(flow), [flow]);
  const lanes = useMemo(() => placesOf(flow), [flow]);
  const listId = useId();
  const copyEntries = useStepCopies(flow, selected, isRecorded);
  const columns = {
    gridTemplateColumns: `37px var(--number, 21px) minmax(72px,1fr) ${lanes.width}px var(--duration, 57px)`,
  };
  return (
    <section aria-label="Steps" className="@container flex min-h-0 flex-1 flex-col">
      <div className="flex h-9 shrink-0 items-end border-b border-line pb-[5px] text-xs leading-[13px] text-faint @max-[455px]:[--duration:0px] @max-[455px]:[--number:0px]">
        <div aria-hidden className="grid min-w-0 flex-1 items-end pl-1.5" style={columns}>
          <span />
          <span className="overflow-hidden">#</span>
          <span>step</span>
          <span className="relative h-[26px]">
            {lanes.lanes.map(({ party, x }) => (
              <span
                key={party}
                style={{ left: x }}
                className="absolute bottom-0 -translate-x-1/2 text-center whitespace-pre"
              >
                {party === 'identity-provider' && flow.testProvider !== null
                  ? 'Test id.\nprovider'
                  : partyLabels[party]}
              </span>
            ))}
          </span>
          <span className="overflow-hidden text-right">duration</span>
        </div>
        <span aria-hidden className="w-[46px] shrink-0 pr-2 text-right">
          row
        </span>
      </div>
      <div className="flex min-h-0 flex-1 overflow-y-auto @max-[455px]:[--duration:0px] @max-[455px]:[--number:0px]">
        <ContextMenu entries={copyEntries}>
          <div
            role="listbox"
            aria-label="Steps of the flow"
            aria-activedescendant={`${listId}-${selected.id}`}
            tabIndex={0}
            onKeyDown={(press) => {
              if (press.key === 'Enter') {
                press.preventDefault();
                onEnter();
              } else
                moveSelection(
                  press,
                  lines.map(({ step }) => step),
                  selected,
                  onSelect,
                );
            }}
            className="h-max min-h-full min-w-0 flex-1"
          >
            {lines.map((line) => (
              <StepLine
                key={line.step.id}
                id={`${listId}-${line.step.id}`}
                line={line}
                lanes={lanes}
                columns={columns}
                isSelected={line.step.id === selected.id}
                isCurrent={line.step.id === flow.currentStep}
                onSelect={() => onSelect(line.step)}
              />
            ))}
          </div>
        </ContextMenu>
        {/* An option must contain no button, so the links are beside the list. */}
        <div className="h-max w-[46px] shrink-0">
          {lines.map(({ step: { id, row } }) => (
            <div
              key={id}
              className={cx('flex h-row items-center justify-end pr-2', id === selected.id && 'bg-hover')}
            >
              <RowLink row={row} onOpen={(to) => selectTraceRow(flow.sessionId, to)} />
            </div>
          ))}
        </div>
      </div>
      <Summary flow={flow} state={state} />
    </section>
  );
}

interface Lanes {
  readonly lanes: readonly { readonly party: AuthorizationStep['parties'][number]; readonly x: number }[];
  readonly width: number;
}

/** Where the lanes are, pixels: their headings, of which some are long, must not touch. */
function placesOf(flow: AuthorizationFlow): Lanes {
  const parties = lanesOf(flow);
  const places = parties.length > 4 ? [19, 70, 125, 185, 236] : [19, 70, 125, 172];
  const lanes = parties.map((party, at) => ({ party, x: places[at] ?? 0 }));
  return { lanes, width: (places[parties.length - 1] ?? 0) + 21 };
}

function StepLine({
  id,
  line,
  lanes,
  columns,
  isSelected,
  isCurrent,
  onSelect,
}: {
  readonly id: string;
  readonly line: FlowLine;
  readonly lanes: Lanes;
  readonly columns: { readonly gridTemplateColumns: string };
  readonly isSelected: boolean;
  readonly isCurrent: boolean;
  readonly onSelect: () => void;
}) {
  const { step, number, label, isSide, isFurther } = line;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const isLater = step.state === 'planned';
  const worst = worstOf(step.findings);
  return (
    // The keys of an option are those of its list.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isSelected}
      aria-label={lineName(line)}
      tabIndex={-1}
      onClick={onSelect}
      onContextMenu={onSelect}
      style={columns}
      className={cx(
        'grid h-row items-center pl-1.5 whitespace-nowrap',
        isSelected
          ? 'bg-hover shadow-[inset_2px_0_var(--accent)] [--here:var(--hover)]'
          : '[--here:var(--bg)]',
        isLater || step.state === 'taken-back' ? 'text-faint' : (isSide || isFurther) && 'text-mute',
        isCurrent && 'font-medium',
      )}
    >
      <RailOf line={line} isCurrent={isCurrent} />
      <span className="overflow-hidden font-mono text-xs text-faint">{number}</span>
      <span className="flex min-w-0 items-center gap-1.5">
        <span
          title={label}
          className={cx(
            'truncate',
            (isSide || isFurther) && 'text-sm',
            step.state === 'taken-back' && 'line-through',
          )}
        >
          {label}
        </span>
        {worst !== null && <FindingIcon severity={worst} className="size-3" />}
      </span>
      <Arrows step={step} lanes={lanes} isSide={isSide} isCurrent={isCurrent} />
      <span className="mono overflow-hidden text-right font-normal text-mute tabular-nums">
        {isCurrent ? (
          <span className={currentTones[step.state] ?? 'text-text'}>{step.state}</span>
        ) : (
          step.duration !== null && shortDuration(step.duration)
        )}
      </span>
    </div>
  );
}

/** Microseconds such as `61.0 ms`, `14.2 s`. */
const shortDuration = (duration: number): string => formatDuration(duration).replace(/(\.\d)\d\d s$/, '$1 s');

const currentTones: Readonly<Partial<Record<AuthorizationStep['state'], string>>> = { waiting: 'text-warn' };

const marks: Readonly<
  Record<AuthorizationStep['state'], { readonly Icon: LucideIcon; readonly tone: string }>
> = {
  planned: { Icon: Circle, tone: 'text-faint' },
  stopped: { Icon: CirclePause, tone: 'text-accent' },
  running: { Icon: LoaderCircle, tone: 'text-accent' },
  waiting: { Icon: Hourglass, tone: 'text-warn' },
  done: { Icon: CircleCheck, tone: 'text-in' },
  failed: { Icon: CircleX, tone: 'text-err' },
  skipped: { Icon: CircleDashed, tone: 'text-mute' },
  'taken-back': { Icon: Undo2, tone: 'text-faint' },
};

/** Places of the course of the flow, and of a branch it left; pixels. */
const COURSE = 11;
const BRANCH = 25;

function RailOf({ line, isCurrent }: { readonly line: FlowLine; readonly isCurrent: boolean }) {
  const { step, isSide, isFurther, rail } = line;
  const { Icon, tone } = marks[step.state];
  // A further exchange that is not over must not pass for its step.
  const hasIcon = !isFurther || step.state !== 'done';
  const x = isSide ? BRANCH : COURSE;
  const isHollow = hasIcon && !isSide;
  const dash = rail.isOnLater ? '2 3' : undefined;
  return (
    <svg
      aria-hidden
      width={37}
      height={24}
      className={cx('overflow-visible', tone)}
      fill="none"
      strokeWidth={1.5}
    >
      <g stroke="var(--line-strong)">
        {rail.isFrom && (
          <path
            d={`M${COURSE} 0V${isHollow ? 4 : rail.isOn ? 24 : 12}`}
            strokeDasharray={step.state === 'planned' ? '2 3' : undefined}
          />
        )}
        {rail.isOn && isHollow && <path d={`M${COURSE} 20V24`} strokeDasharray={dash} />}
        {rail.side === 'begins' && <path d={`M${COURSE} 0C${COURSE} 9 14 12 18 12`} />}
        {rail.side === 'goes-on' && <path d={`M${BRANCH} 0V4`} />}
        {rail.isSideOn && <path d={`M${BRANCH} 20V24`} />}
      </g>
      {hasIcon &&
        (isCurrent && step.state === 'stopped' ? (
          <g>
            <circle cx={x} cy={12} r={7} fill="var(--accent)" />
            <path
              d={`M${x - 1.6} 9.6V14.4M${x + 1.6} 9.6V14.4`}
              stroke="var(--accent-ink)"
              strokeWidth={1.7}
            />
          </g>
        ) : step.state === 'planned' ? (
          <circle cx={x} cy={12} r={4} stroke="currentColor" />
        ) : (
          <Icon x={x - 7} y={5} width={14} height={14} strokeWidth={2.2} />
        ))}
    </svg>
  );
}

/** The arrows of a step, with the status of its response, or why it has none. */
function Arrows({
  step,
  lanes: { lanes, width },
  isSide,
  isCurrent,
}: {
  readonly step: AuthorizationStep;
  readonly lanes: Lanes;
  readonly isSide: boolean;
  readonly isCurrent: boolean;
}) {
  const { state, parties, response, outcome, isWrongAccepted, isOverridden } = step;
  const places = parties.map((party) => lanes.find((lane) => lane.party === party)?.x ?? 0);
  const isLater = state === 'planned';
  const colour = isLater
    ? 'var(--line-strong)'
    : isCurrent
      ? 'var(--accent)'
      : state === 'failed'
        ? 'var(--err)'
        : isSide ||
            state === 'taken-back' ||
            (response !== null && response.status >= 400 && step.name !== 'challenge')
          ? 'var(--mute)'
          : parties.at(-1) === 'client'
            ? 'var(--in)'
            : 'var(--out)';
  const hops = state === 'skipped' ? [] : places.slice(1).map((to, at) => ({ from: places[at] ?? 0, to }));
  const status = response === null ? '' : String(response.status);
  const end = Math.max(...places, 0);
  return (
    <span className="relative block h-row" style={{ width }}>
      <svg aria-hidden width={width} height={24} className="block">
        {lanes.map(({ party, x }) => (
          <path key={party} d={`M${x} 0V24`} stroke="var(--line)" />
        ))}
        {hops.map(({ from, to }, at) => (
          <Arrow
            key={at}
            from={from}
            to={to}
            y={hops.length === 1 ? 12 : 8 + at * (hops.length === 2 ? 9 : 5)}
            colour={colour}
            isDashed={isLater}
            text={hops.length === 1 ? status : ''}
            isBad={(state === 'failed' || step.name === 'challenge') && status >= '400'}
          />
        ))}
      </svg>
      {state === 'skipped' && <Note at={lanes[1]?.x ?? 0}>{visibleLine(outcome)}</Note>}
      {isOverridden && end < width - 50 && (
        <Note at={end}>
          <span className="text-warn">went on</span>
        </Note>
      )}
      {isWrongAccepted !== null && end < width - 50 && (
        <Note at={end}>
          <span className={isWrongAccepted ? 'text-err' : 'text-in'}>
            {isWrongAccepted ? 'accepted' : 'rejected'}
          </span>
        </Note>
      )}
    </span>
  );
}

/** A text between the lanes, from a place on; pixels. */
const Note = ({ at, children }: { readonly at: number; readonly children: ReactNode }) => (
  <span
    style={{ left: at + 5 }}
    className="absolute inset-y-[4px] right-0 flex items-center text-xs font-normal text-faint"
  >
    <span className="max-w-full truncate bg-(--here)">{children}</span>
  </span>
);

/** An arrow from one lane to another. Positions are in pixels. */
function Arrow({
  from,
  to,
  y,
  colour,
  isDashed,
  text,
  isBad,
}: {
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly colour: string;
  readonly isDashed: boolean;
  readonly text: string;
  readonly isBad: boolean;
}) {
  const direction = to > from ? 1 : -1;
  const [start, end] = [from + 3 * direction, to - 2 * direction];
  const middle = (from + to) / 2;
  const width = text.length * 6.4 + 6;
  return (
    <>
      <path
        d={`M${start} ${y}H${end - 4 * direction}`}
        fill="none"
        stroke={colour}
        strokeWidth={1.4}
        strokeDasharray={isDashed ? '2 3' : undefined}
      />
      <path d={`M${end} ${y}l${-6 * direction} -3.2v6.4z`} fill={colour} />
      {text !== '' && (
        <>
          <rect x={middle - width / 2} y={y - 7} width={width} height={14} fill="var(--here)" />
          <text
            x={middle}
            y={y + 3.8}
            textAnchor="middle"
            fill={isBad ? 'var(--err)' : 'var(--mute)'}
            className="font-mono text-2xs font-normal"
          >
            {text}
          </text>
        </>
      )}
    </>
  );
}

/** How far the flow is, and whether the session is authorized. */
function Summary({
  flow,
  state,
}: {
  readonly flow: AuthorizationFlow;
  readonly state: AuthorizationState | null;
}) {
  const { done, failed, skipped, planned, forks } = useMemo(() => countsOf(flow), [flow]);
  const counts = [
    { count: done, text: 'done', ...marks.done },
    { count: failed, text: 'failed', ...marks.failed },
    { count: skipped, text: 'skipped', ...marks.skipped },
    { count: planned, text: 'to come', ...marks.planned },
  ];
  return (
    <div className="flex h-7 shrink-0 items-center gap-3.5 border-t border-line px-2.5 text-sm whitespace-nowrap text-mute">
      <p
        role="status"
        aria-label="Progress of the flow"
        className="flex min-w-0 flex-1 items-center gap-3.5 overflow-hidden"
      >
        {counts
          .filter(({ count }) => count > 0)
          .map(({ count, text, Icon, tone }) => (
            <span key={text} className={cx('flex items-center gap-1.5', tone)}>
              <Icon aria-hidden className="size-3.5" />
              {count} {text}
            </span>
          ))}
        {forks > 0 && (
          <span className="ml-auto flex items-center gap-1.5">
            <GitFork aria-hidden className="size-3.5" />
            {formatQuantity(forks, 'fork')}
          </span>
        )}
      </p>
      {state !== null && (
        <p>
          Authorization: <AuthorizationStateText state={state} />
        </p>
      )}
    </div>
  );
}
