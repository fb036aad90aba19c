import { type ReactNode, useState } from 'react';
import {
  type CatalogChange,
  type ChangeClass,
  changeClasses,
  latencyStepLabels,
  type OpenComparison,
} from '#shared/contract/comparison.ts';
import { formatCount, formatDuration, formatQuantity } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import { prettyJson } from '#ui/pretty-json.ts';
import { visibleLine } from '#ui/visible.ts';
import { changeOf, changeText, toneOfChange } from './changes.ts';
import { ClassChip } from './class-chip.tsx';
import type { SideNames } from './side-names.ts';

/** Changes that are listed at first. */
const FIRST = 100;

/** What the servers declare and list differently, with the recorded calls that a change breaks, and how the latency changed. */
export function CatalogColumn({
  comparison,
  heads,
  onShowCalls,
}: {
  readonly comparison: OpenComparison;
  readonly heads: SideNames['heads'];
  /** Lists the recorded calls of these rows. */
  readonly onShowCalls: (rows: readonly number[], about: string) => void;
}) {
  const { catalog, uncomparedLists, unchanged } = comparison;
  const [limit, setLimit] = useState(FIRST);
  const counts = changeClasses
    .map((name) => [name, catalog.filter((change) => change.class === name).length] as const)
    .filter(([name, count]) => count > 0 && name !== 'compatible');
  return (
    <div className="flex h-full min-h-0 flex-col bg-panel">
      <div className="flex h-[34px] shrink-0 items-center gap-1.5 border-b border-line pr-3 pl-3.5">
        <h3 className="font-semibold">Catalog</h3>
        <span className="min-w-0 flex-1 truncate text-mute">{formatQuantity(catalog.length, 'change')}</span>
        {counts.map(([name, count]) => (
          <CountChip key={name} name={name} count={count} />
        ))}
      </div>
      <ul
        tabIndex={0}
        aria-label="Changes of the catalog"
        className="min-h-0 flex-1 overflow-y-auto focus-visible:outline-offset-[-2px]"
      >
        {catalog.slice(0, limit).map((change, index) => (
          // Two changes of one entry may have the same rule and place.
          // oxlint-disable-next-line react/no-array-index-key
          <Change key={index} change={change} onShowCalls={onShowCalls} />
        ))}
        {catalog.length > limit && (
          <li className="px-3.5 py-2">
            <button type="button" className="text-key hover:underline" onClick={() => setLimit(limit * 4)}>
              Show {formatCount(catalog.length - limit)} more
            </button>
          </li>
        )}
        {uncomparedLists.map((list) => (
          <li key={list} className="px-3.5 pt-2 text-sm text-warn">
            The list of {list}s is not compared: one side did not read it whole.
          </li>
        ))}
        <li className="px-3.5 py-2 text-sm text-mute">{unchangedText(unchanged, catalog.length)}</li>
      </ul>
      <Latency steps={comparison.steps} heads={heads} calls={comparison.latency?.calls ?? 0} />
    </div>
  );
}

function CountChip({ name, count }: { readonly name: ChangeClass; readonly count: number }) {
  const tone = name === 'behavior' ? 'border-warn/40 text-warn' : 'border-err/40 text-err';
  return (
    <span
      className={cx(
        'inline-flex h-[18px] items-center gap-[5px] rounded-full border px-[7px] text-xs leading-none capitalize',
        tone,
      )}
    >
      {name} <b className="font-semibold tabular-nums">{formatCount(count)}</b>
    </span>
  );
}

/** `11 tools, 3 resources and 2 prompts are unchanged` */
function unchangedText(
  { tool, resource, template, prompt }: OpenComparison['unchanged'],
  changes: number,
): string {
  const parts = [
    [tool, 'tool'],
    [resource, 'resource'],
    [template, 'template'],
    [prompt, 'prompt'],
  ] as const;
  const named = parts.filter(([count]) => count > 0).map(([count, one]) => formatQuantity(count, one));
  if (named.length === 0) return changes === 0 ? 'Neither server listed anything.' : '';
  const list = [named.slice(0, -1).join(', '), named.at(-1)].filter(Boolean).join(' and ');
  const isOne = parts.reduce((sum, [count]) => sum + count, 0) === 1;
  return `${list} ${isOne ? 'is' : 'are'} unchanged`;
}

function Change({
  change,
  onShowCalls,
}: {
  readonly change: CatalogChange;
  readonly onShowCalls: (rows: readonly number[], about: string) => void;
}) {
  const { name, text, before, after, calls } = change;
  const isGrave = change.class === 'breaking' || change.class === 'unknown';
  const shown = visibleLine(name);
  return (
    <li
      className={cx(
        'border-b border-line py-2 pr-3 pl-3.5 text-sm',
        isGrave && calls.broken > 0 && 'bg-raise shadow-[inset_2px_0_var(--accent)]',
      )}
    >
      <div className="mb-0.5 flex items-center gap-[7px]">
        <ClassChip name={change.class} />
        <span title={shown} className="mono min-w-0 flex-1 truncate font-medium">
          {shown}
        </span>
        {calls.count > 0 && calls.broken === 0 && (
          <span className="shrink-0 text-mute">{formatQuantity(calls.count, 'call')}</span>
        )}
      </div>
      <p className="[overflow-wrap:anywhere]">{visibleLine(text)}</p>
      {(before !== null || after !== null) && <SchemaLines before={before} after={after} />}
      {calls.broken > 0 && (
        <Proof calls={calls} onShow={() => onShowCalls(calls.rows, `that break ${shown}`)} />
      )}
    </li>
  );
}

/** Lines of each side that are shown. */
const MAX_LINES = 8;

/** What a schema or a text was, and what it is now. */
function SchemaLines({ before, after }: { readonly before: string | null; readonly after: string | null }) {
  const sides = [
    ['-', 'removed: ', before, 'bg-err/10'],
    ['+', 'added: ', after, 'bg-in/10'],
  ] as const;
  return (
    <div className="mono my-1.5 overflow-hidden rounded-sm border border-line bg-bg text-[11.5px] leading-[18px]">
      {sides.map(([sign, label, text, ground]) =>
        text === null ? null : (
          <div key={sign} className={cx('grid grid-cols-[14px_minmax(0,1fr)] px-2', ground)}>
            <span aria-hidden className={sign === '-' ? 'text-err' : 'text-in'}>
              {sign}
            </span>
            <span className="[overflow-wrap:anywhere] whitespace-pre-wrap">
              <span className="sr-only">{label}</span>
              {linesOf(text)}
            </span>
          </div>
        ),
      )}
    </div>
  );
}

function linesOf(text: string): string {
  // Short ones stay on one line.
  const whole =
    text.length < 60
      ? text
      : (prettyJson(text)
          ?.map((piece) => piece.text)
          .join('') ?? text);
  const lines = whole.split('\n');
  const shown = lines.slice(0, MAX_LINES).map(visibleLine).join('\n');
  return lines.length > MAX_LINES ? `${shown}\n…` : shown;
}

function Proof({ calls, onShow }: { readonly calls: CatalogChange['calls']; readonly onShow: () => void }) {
  const { count, broken, rows } = calls;
  const all = broken === 1 ? 'call' : formatQuantity(broken, 'call');
  const named = rows.length === broken ? all : `first ${formatCount(rows.length)} calls`;
  return (
    <>
      <div aria-hidden className="mt-2 mb-1.5 h-1 overflow-hidden rounded-full bg-line">
        <div className="h-full bg-err" style={{ width: `${Math.max(2, (100 * broken) / count)}%` }} />
      </div>
      <p className="font-semibold">
        {formatCount(broken)} of {formatQuantity(count, 'recorded call')} would break
      </p>
      <button type="button" onClick={onShow} className="text-key underline-offset-2 hover:underline">
        Show the {named}
      </button>
    </>
  );
}

function Latency({
  steps,
  heads,
  calls,
}: {
  readonly steps: OpenComparison['steps'];
  readonly heads: SideNames['heads'];
  readonly calls: number;
}) {
  if (steps.length === 0) return null;
  const columns = [
    ['left', heads[0]],
    ['right', heads[1]],
    ['change', 'change'],
  ] as const;
  return (
    <section aria-label="Latency by step" className="shrink-0 border-t border-line pb-2">
      <div className="flex h-[34px] items-center gap-1.5 border-b border-line px-3.5">
        <h3 className="font-semibold">Latency</h3>
        <span className="truncate text-mute">p95 of {formatQuantity(calls, 'call')}</span>
      </div>
      <table className="mx-3.5 mt-0.5 w-[calc(100%-28px)] text-right text-sm leading-[22px] tabular-nums">
        <thead className="text-xs text-faint">
          <tr>
            <th scope="col">
              <span className="sr-only">step</span>
            </th>
            {columns.map(([key, name]) => (
              <th key={key} scope="col" title={name} className="max-w-[84px] truncate pl-2 font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map(({ step, recorded, other }) => {
            const share = changeOf(recorded, other);
            return (
              <tr key={step}>
                <th scope="row" className="text-left font-normal text-mute">
                  {latencyStepLabels[step]}
                </th>
                <td>{durationOf(recorded)}</td>
                <td>{durationOf(other)}</td>
                <td className={toneOfChange(share)}>{share === null ? '' : changeText(share)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

const durationOf = (duration: number | null): ReactNode =>
  duration === null ? <span className="text-faint">–</span> : formatDuration(duration);
