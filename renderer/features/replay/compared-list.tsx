import { ArrowDown, ArrowUp, GitCompare, X } from 'lucide-react';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { call } from '#bridge';
import { useCommands } from '#model/commands.ts';
import { acceptResponse, type ComparedSides, saveRules } from '#model/replay.ts';
import {
  type CallClass,
  callClasses,
  differingClasses,
  type OpenComparison,
} from '#shared/contract/comparison.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import type { JsonDiffHandle } from '#ui/json-editor/json-diff.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { CallTable } from './call-table.tsx';
import { useComparedCalls } from './compared-calls.ts';
import { ResponsePanel } from './response-panel.tsx';
import type { SideNames } from './side-names.ts';
import { nextDifference, type TableChoice, tableLines } from './table-lines.ts';

/** Calls that are listed alone. */
export interface ListedCalls {
  /** Rows of the recorded calls. */
  readonly rows: ReadonlySet<number>;
  /** Which calls they are, such as `that break create_invoice`. */
  readonly about: string;
}

/** The calls with their filter, and the responses of the selected one. */
export function ComparedCallList({
  paneId,
  comparison,
  sides,
  sideNames,
  listed,
  onListAll,
}: {
  readonly paneId: string;
  readonly comparison: OpenComparison;
  readonly sides: ComparedSides;
  readonly sideNames: SideNames;
  /** Rows of recorded calls that are listed alone. */
  readonly listed: ListedCalls | null;
  readonly onListAll: () => void;
}) {
  const { classes, counts } = comparison;
  const calls = useComparedCalls(comparison.id);
  const [ofClass, setOfClass] = useState<CallClass | null>(null);
  const [order, setOrder] = useState<TableChoice['order']>('class');
  const [opened, setOpened] = useState<ReadonlySet<CallClass>>(new Set());
  const rows = listed?.rows ?? null;
  // After a rule was added, no call may be left of the chosen class.
  const chosenClass = ofClass !== null && counts[ofClass] > 0 ? ofClass : null;
  const lines = useMemo(
    () => tableLines(comparison, { class: chosenClass, rows, order, opened }),
    [comparison, chosenClass, rows, order, opened],
  );
  // The call stays selected when the lines change.
  const [selected, setSelected] = useState<number | null>(null);
  const found = lines.findIndex((line) => line.of === 'call' && line.place === selected);
  const [group, setGroup] = useState<number | null>(null);
  const cursor =
    group !== null && lines[group]?.of === 'group' ? group : found === -1 ? firstCall(lines) : found;
  const line = cursor === null ? undefined : lines[cursor];
  const place = line?.of === 'call' ? line.place : null;
  const compared = place === null ? undefined : calls.at(place);

  const table = useRef<HTMLDivElement>(null);
  const diff = useRef<JsonDiffHandle>(null);
  const select = (at: number) => {
    const chosen = lines[at];
    setGroup(chosen?.of === 'group' ? at : null);
    if (chosen?.of === 'call') setSelected(chosen.place);
  };
  const toDifference = (step: 1 | -1) => {
    const next = nextDifference(lines, classes, cursor, step);
    if (next !== null) select(next);
  };
  const latest = useRef(toDifference);
  useLayoutEffect(() => {
    latest.current = toDifference;
  });
  useCommands(
    useMemo(
      () => [
        {
          id: 'replay.next-difference',
          title: 'Go to the next difference of the comparison',
          group: 'Trace' as const,
          shortcut: 'F7',
          keywords: ['compare', 'diff', 'replay'],
          run: () => latest.current(1),
        },
        {
          id: 'replay.previous-difference',
          title: 'Go to the previous difference of the comparison',
          group: 'Trace' as const,
          shortcut: 'Shift+F7',
          keywords: ['compare', 'diff', 'replay'],
          run: () => latest.current(-1),
        },
      ],
      [],
    ),
  );
  const ignore = (path: string) => {
    const save = async () => {
      const rules = await call('comparison/rules', { sessionId: sides.recorded });
      await saveRules(paneId, [...rules.filter((rule) => rule.path !== path), { path, compare: 'ignore' }]);
      table.current?.focus();
    };
    reportFault(save());
  };
  const accept = (at: number, isAccepted: boolean) => {
    void acceptResponse(paneId, at, isAccepted).then(() => table.current?.focus());
  };
  const responses =
    compared !== undefined && place !== null ? (
      <ResponsePanel
        ref={diff}
        comparisonId={comparison.id}
        sides={sides}
        heads={sideNames.heads}
        place={place}
        compared={compared}
        onIgnore={ignore}
        onAccept={(isAccepted) => accept(place, isAccepted)}
      />
    ) : null;

  return (
    <div className="flex h-full min-h-0 flex-col bg-panel">
      <ChipBar
        comparison={comparison}
        chosen={chosenClass}
        onChoose={(name) => {
          setOfClass(name);
          onListAll();
        }}
        listed={listed}
        onListAll={onListAll}
        position={positionOf(lines, classes, cursor)}
        onStep={toDifference}
      />
      {lines.length === 0 ? (
        <EmptyState icon={<GitCompare />} title="No calls">
          Neither side has a call that could be compared.
        </EmptyState>
      ) : (
        <Split id="compared-list" direction="column" className="min-h-0 flex-1">
          <SplitPanel id="compared-table" min={96} size="46%">
            <CallTable
              ref={table}
              comparison={comparison}
              calls={calls}
              lines={lines}
              cursor={cursor}
              order={order}
              onOrder={() => setOrder(order === 'class' ? 'recording' : 'class')}
              onSelect={select}
              onToggle={(name) => setOpened(toggled(opened, name))}
              onDifference={toDifference}
              onEnter={() => diff.current?.focus()}
              compared={compared}
              sides={sides}
              sideNames={sideNames}
              onIgnore={ignore}
              onAccept={(isAccepted) => place !== null && accept(place, isAccepted)}
            />
          </SplitPanel>
          <SplitHandle label="Height of the calls" />
          <SplitPanel id="compared-responses" min={120}>
            {responses ?? (
              <EmptyState title="No call selected">Select a call to see both of its responses.</EmptyState>
            )}
          </SplitPanel>
        </Split>
      )}
    </div>
  );
}

function toggled(opened: ReadonlySet<CallClass>, name: CallClass): ReadonlySet<CallClass> {
  const next = new Set(opened);
  if (!next.delete(name)) next.add(name);
  return next;
}

function firstCall(lines: readonly { readonly of: 'call' | 'group' }[]): number | null {
  const first = lines.findIndex(({ of }) => of === 'call');
  return first === -1 ? null : first;
}

/** The number of the selected difference among those listed, and how many there are. */
function positionOf(
  lines: ReturnType<typeof tableLines>,
  classes: readonly CallClass[],
  cursor: number | null,
): { readonly at: number | null; readonly of: number } {
  let at: number | null = null;
  let of = 0;
  for (const [index, line] of lines.entries()) {
    if (line.of !== 'call' || !differingClasses.includes(classes[line.place] ?? 'same')) continue;
    of++;
    if (index === cursor) at = of;
  }
  return { at, of };
}

const chipTones: Readonly<Record<CallClass, string>> = {
  breaking: 'border-err/40 text-err',
  flipped: 'border-err/40 text-err',
  behavior: 'border-warn/40 text-warn',
  missing: 'border-info/40 text-info',
  extra: 'border-info/40 text-info',
  unclear: 'border-line-strong text-mute',
  skipped: 'border-line text-mute',
  noise: 'border-line text-mute',
  same: 'border-line text-mute',
};

function ChipBar({
  comparison: { counts },
  chosen,
  onChoose,
  listed,
  onListAll,
  position,
  onStep,
}: {
  readonly comparison: OpenComparison;
  readonly chosen: CallClass | null;
  readonly onChoose: (name: CallClass | null) => void;
  readonly listed: ListedCalls | null;
  readonly onListAll: () => void;
  readonly position: { readonly at: number | null; readonly of: number };
  readonly onStep: (step: 1 | -1) => void;
}) {
  const chip = (isOn: boolean, tone: string) =>
    cx(
      'inline-flex h-[18px] shrink-0 items-center gap-[5px] rounded-full border px-[7px] text-xs leading-none capitalize hover:bg-hover',
      isOn ? 'border-line-strong bg-hover text-text' : tone,
    );
  return (
    <div className="flex min-h-[34px] shrink-0 items-center gap-1.5 border-b border-line py-1 pr-2 pl-4">
      <div role="group" aria-label="Calls to list" className="flex min-w-0 flex-1 flex-wrap gap-1.5">
        <button
          type="button"
          aria-pressed={chosen === null && listed === null}
          onClick={() => onChoose(null)}
          className={chip(chosen === null && listed === null, 'border-line text-mute')}
        >
          All
        </button>
        {callClasses
          .filter((name) => counts[name] > 0)
          .map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={chosen === name}
              onClick={() => onChoose(chosen === name ? null : name)}
              className={chip(chosen === name, chipTones[name])}
            >
              {name} <b className="font-semibold tabular-nums">{formatCount(counts[name])}</b>
            </button>
          ))}
        {listed !== null && (
          <button
            type="button"
            onClick={onListAll}
            className="inline-flex h-[18px] min-w-0 items-center gap-[5px] rounded-full border border-accent/40 px-[7px] text-xs leading-none text-accent hover:bg-hover"
          >
            <span className="truncate">
              {formatQuantity(listed.rows.size, 'call')} {listed.about}
            </span>
            <X aria-hidden className="size-3 shrink-0" />
            <span className="sr-only">List all</span>
          </button>
        )}
      </div>
      <span role="status" className="shrink-0 text-sm text-mute tabular-nums">
        {position.of === 0
          ? 'No difference'
          : position.at === null
            ? formatQuantity(position.of, 'difference')
            : `Difference ${formatCount(position.at)} of ${formatCount(position.of)}`}
      </span>
      <span className="flex shrink-0">
        <IconButton
          size="small"
          label="Previous difference"
          shortcut="Shift+F7"
          disabled={position.of === 0}
          onClick={() => onStep(-1)}
        >
          <ArrowUp aria-hidden className="size-3.5" />
        </IconButton>
        <IconButton
          size="small"
          label="Next difference"
          shortcut="F7"
          disabled={position.of === 0}
          onClick={() => onStep(1)}
        >
          <ArrowDown aria-hidden className="size-3.5" />
        </IconButton>
      </span>
    </div>
  );
}
