import { Check, ChevronDown, ChevronUp, EyeOff, Undo2 } from 'lucide-react';
import { type Ref, useMemo, useState } from 'react';
import { call } from '#bridge';
import type { ComparedSides } from '#model/replay.ts';
import { selectTraceRow } from '#model/selection.ts';
import { useQuery } from '#model/use-query.ts';
import {
  type CallComparison,
  differenceTexts,
  differingClasses,
  MAX_SHOWN_RESPONSE,
  type ValueDifference,
} from '#shared/contract/comparison.ts';
import { formatCount, formatDuration, formatBytes } from '#shared/format.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonDiff, type JsonDiffHandle } from '#ui/json-editor/json-diff.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { ClassChip } from './class-chip.tsx';
import { isOfParams, shownResponse } from './response-texts.ts';
import type { SideNames } from './side-names.ts';

/** The two responses to a call side by side, with what differs and what to do about it. */
export function ResponsePanel({
  comparisonId,
  sides,
  heads,
  place,
  compared,
  onIgnore,
  onAccept,
  ref,
}: {
  readonly comparisonId: string;
  readonly sides: ComparedSides;
  readonly heads: SideNames['heads'];
  /** The index of the call. */
  readonly place: number;
  readonly compared: CallComparison;
  /** Saves a rule that ignores a path. */
  readonly onIgnore: (path: string) => void;
  /** Expects the other response from now on, or the recorded one again. */
  readonly onAccept: (isAccepted: boolean) => void;
  readonly ref: Ref<JsonDiffHandle>;
}) {
  const { differences, recorded, other } = compared;
  const [chosen, setChosen] = useState({ of: '', index: 0 });
  const key = `${comparisonId} ${place}`;
  const index = chosen.of === key ? Math.min(chosen.index, Math.max(0, differences.length - 1)) : 0;
  const difference = differences[index];
  const step = (by: number) =>
    setChosen({ of: key, index: (index + by + differences.length) % differences.length });
  const canAccept = recorded !== null && other !== null && differingClasses.includes(compared.class);
  return (
    <section aria-label="Responses" className="flex h-full min-h-0 flex-col bg-bg">
      <div className="flex min-h-9 shrink-0 items-center gap-2 border-b border-line bg-panel py-1 pr-3 pl-4">
        <ClassChip name={compared.class} isAccepted={compared.isAccepted} />
        <DifferenceText compared={compared} difference={difference} />
        {differences.length > 1 && (
          <span className="flex shrink-0 items-center text-sm text-mute tabular-nums">
            {index + 1} of {formatCount(differences.length)}
            <IconButton size="small" label="Previous path of this call" onClick={() => step(-1)}>
              <ChevronUp aria-hidden className="size-3.5" />
            </IconButton>
            <IconButton size="small" label="Next path of this call" onClick={() => step(1)}>
              <ChevronDown aria-hidden className="size-3.5" />
            </IconButton>
          </span>
        )}
        {difference !== undefined && (
          <Button
            size="small"
            icon={<EyeOff aria-hidden className="size-3.5" />}
            onClick={() => onIgnore(difference.path)}
          >
            Ignore this path
          </Button>
        )}
        {canAccept && (
          <Button
            size="small"
            icon={<Check aria-hidden className="size-3.5" />}
            onClick={() => onAccept(true)}
          >
            Accept as baseline
          </Button>
        )}
        {compared.isAccepted && (
          <Button
            size="small"
            icon={<Undo2 aria-hidden className="size-3.5" />}
            onClick={() => onAccept(false)}
          >
            Take back the accepted response
          </Button>
        )}
      </div>
      <Heads compared={compared} sides={sides} heads={heads} />
      <div className="min-h-0 flex-1">
        <Texts
          comparisonId={comparisonId}
          place={place}
          compared={compared}
          heads={heads}
          difference={difference}
          ref={ref}
        />
      </div>
    </section>
  );
}

function DifferenceText({
  compared,
  difference,
}: {
  readonly compared: CallComparison;
  readonly difference: ValueDifference | undefined;
}) {
  if (difference === undefined) {
    return (
      <p role="status" className="min-w-0 flex-1 truncate text-mute">
        {visibleLine(compared.summary) || 'Nothing differs.'}
      </p>
    );
  }
  const path = visibleLine(difference.path);
  // A broken output schema says more than the path, and may name it again.
  const rest = visibleLine(compared.summary).replace(path.slice(2), '').trim();
  const isAboutPath = compared.class === 'behavior';
  const kind = differenceTexts[difference.kind];
  const what = isAboutPath || rest === '' ? kind : `${kind}: ${rest}`;
  return (
    <p role="status" title={`${path} ${what}`} className="min-w-0 flex-1 truncate">
      <span className="mono font-medium">{path}</span> <span className="pl-1 text-mute">{what}</span>
    </p>
  );
}

function Heads({
  compared,
  sides,
  heads: [left, right],
}: {
  readonly compared: CallComparison;
  readonly sides: ComparedSides;
  readonly heads: SideNames['heads'];
}) {
  const ignored = new Set(compared.ignored.map(({ path }) => path)).size;
  const shown = [
    ['left', compared.isAccepted ? 'accepted' : left, compared.recorded, sides.recorded],
    ['right', right, compared.other, sides.other],
  ] as const;
  return (
    <div className="grid h-[25px] shrink-0 grid-cols-2 border-b border-line text-xs text-mute">
      {shown.map(([key, name, side, sessionId]) => (
        <div
          key={key}
          className="flex min-w-0 items-center gap-2 pr-3 pl-4 whitespace-nowrap not-first:border-l not-first:border-line"
        >
          <b className="truncate text-text">{name}</b>
          {side !== null && (
            <>
              <RowLink row={side.responseRow ?? side.row} onOpen={(row) => selectTraceRow(sessionId, row)} />
              <span className="truncate">
                {[
                  side.outcome === 'ok' ? null : outcomes[side.outcome],
                  side.duration === null ? null : formatDuration(side.duration),
                ]
                  .filter((part) => part !== null)
                  .join(' · ')}
              </span>
            </>
          )}
          {key === 'right' && ignored > 0 && <span className="ml-auto">{ignored} ignored</span>}
        </div>
      ))}
    </div>
  );
}

const outcomes = { ok: '', 'tool-error': 'isError', error: 'error', none: 'no response' } as const;

function Texts({
  comparisonId,
  place,
  compared,
  heads,
  difference,
  ref,
}: {
  readonly comparisonId: string;
  readonly place: number;
  readonly compared: CallComparison;
  readonly heads: SideNames['heads'];
  readonly difference: ValueDifference | undefined;
  readonly ref: Ref<JsonDiffHandle>;
}) {
  const { latest, fault } = useQuery(JSON.stringify([comparisonId, place]), async () => ({
    place,
    ...(await call('comparison/responses', { comparisonId, place })),
  }));
  const texts = useMemo(() => {
    // What is shown and what is being read must not mix.
    if (latest === null || latest.place !== place) return null;
    const about = { ignored: compared.ignored, isTruncated: latest.isTruncated };
    return [shownResponse(latest.recorded ?? '', about), shownResponse(latest.other ?? '', about)] as const;
  }, [latest, place, compared]);
  const path = difference === undefined || isOfParams(difference.path) ? null : difference.path;
  const shownLines = useMemo(
    () =>
      [
        path === null ? null : (texts?.[0].lineOf(path) ?? null),
        path === null ? null : (texts?.[1].lineOf(path) ?? null),
      ] as const,
    [texts, path],
  );
  const labels = [`Response (${heads[0]})`, `Response (${heads[1]})`] as const;
  if (fault !== null) return <FaultCard fault={fault} className="m-3" />;
  if (latest !== null && latest.place === place && (latest.recorded === null || latest.other === null)) {
    return (
      <div className="grid h-full min-h-0 grid-cols-2 bg-raise">
        <OneText json={latest.recorded} isTruncated={latest.isTruncated} label={labels[0]}>
          {emptyText(compared, 'recorded')}
        </OneText>
        <OneText json={latest.other} isTruncated={latest.isTruncated} label={labels[1]}>
          {emptyText(compared, 'other')}
        </OneText>
      </div>
    );
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      {latest?.isTruncated === true && (
        <p role="note" className="border-b border-line bg-raise px-4 py-1 text-sm text-mute">
          Only the first {formatBytes(MAX_SHOWN_RESPONSE)} of a response are shown; all of it is compared.
        </p>
      )}
      <div className="min-h-0 flex-1">
        {texts !== null && (
          <JsonDiff ref={ref} left={texts[0]} right={texts[1]} labels={labels} shownLines={shownLines} />
        )}
      </div>
    </div>
  );
}

/** The response of a side alone: there is nothing to compare it with. */
function OneText({
  json,
  isTruncated,
  label,
  children,
}: {
  readonly json: string | null;
  readonly isTruncated: boolean;
  readonly label: string;
  /** Why there is no text to show. */
  readonly children: string;
}) {
  if (json === null) {
    return <p className="min-w-0 px-4 py-2 text-mute not-first:border-l not-first:border-line">{children}</p>;
  }
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="min-w-0 overflow-auto px-4 py-2 not-first:border-l not-first:border-line"
    >
      <JsonText raw={json} isCut={isTruncated} />
    </div>
  );
}

function emptyText(
  { class: name, recorded, other, summary }: CallComparison,
  side: 'recorded' | 'other',
): string {
  if (name === 'skipped' && side === 'other') return `Not sent: ${visibleLine(summary)}`;
  if ((side === 'recorded' ? recorded : other) === null) return 'This side does not have the call.';
  return 'No response.';
}
