import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { resultOf } from '#model/calls.ts';
import { setResultView, useResultView } from '#model/result-view.ts';
import { useQuery } from '#model/use-query.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { ResultView } from '#shared/contract/place.ts';
import { formatBytes, formatClock, formatDuration, formatQuantity } from '#shared/format.ts';
import { elementTexts, memberText } from '#shared/json/members.ts';
import { compactJson } from '#shared/json/tokens.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { ResultViewSwitch } from '#ui/content/result-body.tsx';
import { IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { type DiffLine, diffLines, DiffTable } from '#ui/diff-table.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { prettyJson } from '#ui/pretty-json.ts';
import { useIsWide } from '#ui/use-is-wide.ts';
import { callKey } from '../drafts.ts';
import { callLabels } from './call-outcome.tsx';

/** Minimum width to show the results side by side; pixels. */
const WIDE_ENOUGH = 560;

export type CallPair = readonly [left: Call, right: Call];

/** Compares two calls of a tool: their figures and arguments, and their results line by line. */
export function CompareCalls({ calls, onClose }: { readonly calls: CallPair; readonly onClose: () => void }) {
  const [left, right] = calls;
  const view = useResultView();
  const [bodyRef, isWide] = useIsWide(WIDE_ENOUGH);
  const {
    latest: comparison,
    fault,
    isLoading,
  } = useQuery(JSON.stringify([...calls.map((call) => [callKey(call), call.state]), view]), () =>
    compare(calls, view),
  );
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  return (
    <section
      ref={section}
      aria-label={`Calls ${left.requestId} and ${right.requestId} compared`}
      aria-busy={isLoading}
      tabIndex={-1}
      onKeyDown={(press) => {
        if (press.key !== 'Escape') return;
        press.stopPropagation();
        onClose();
      }}
      className="flex h-full min-h-0 flex-col outline-none"
    >
      <div className="flex h-[34px] shrink-0 items-center gap-3 border-b border-line pr-1 pl-3">
        <h2 className="shrink-0 font-medium">Compare</h2>
        <p role="status" className="min-w-0 flex-1 truncate text-mute">
          {comparison !== null && !isLoading && summaryOf(comparison)}
        </p>
        <ResultViewSwitch label="Show the results as" view={view} onChange={setResultView} />
        <IconButton label="Close the comparison" shortcut="Escape" size="small" onClick={onClose}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      <div
        ref={bodyRef}
        role="region"
        aria-label="Differences"
        // A scrolling region must be reachable by keyboard.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto"
      >
        <CallFigures calls={calls} />
        {fault !== null && <FaultCard fault={fault} className="m-3" />}
        {comparison !== null && <ComparedResults comparison={comparison} isSplit={isWide} />}
      </div>
    </section>
  );
}

/** When, how and how fast the calls ended, and with which arguments. */
function CallFigures({ calls: [left, right] }: { readonly calls: CallPair }) {
  const rows: readonly (readonly [name: string, left: ReactNode, right: ReactNode, difference: string])[] = [
    ['status', <State key="left" call={left} />, <State key="right" call={right} />, ''],
    ['duration', ...figures(left.duration, right.duration, formatDuration)],
    ['size', ...figures(left.size, right.size, formatBytes)],
    [
      'arguments',
      left.arguments,
      right.arguments,
      sameJson(left.arguments, right.arguments) ? 'same' : 'differ',
    ],
  ];
  return (
    <table aria-label="Figures" className="mono w-full table-fixed border-b border-line text-mute">
      <thead>
        <tr className="h-row">
          <th scope="col" className="w-24">
            <span className="sr-only">fact</span>
          </th>
          {[left, right].map((call) => (
            <th key={callKey(call)} scope="col" className="truncate pr-2 text-left font-normal">
              <span className="text-text">id {call.requestId}</span> {formatClock(call.startedAt).slice(0, 8)}
            </th>
          ))}
          <th scope="col" className="w-40 pr-3 text-right font-sans text-xs font-normal text-faint">
            difference
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, one, other, difference]) => (
          <tr key={name}>
            <th scope="row" className="pl-3 text-left font-sans text-xs font-normal text-faint">
              {name}
            </th>
            <td className="truncate pr-2 text-text">{one}</td>
            <td className="truncate pr-2 text-text">{other}</td>
            <td className="truncate pr-3 text-right">{difference}</td>
          </tr>
        ))}
        <tr aria-hidden className="h-1.5" />
      </tbody>
    </table>
  );
}

const State = ({ call }: { readonly call: Call }) => (
  <span className={cx(callLabels[call.state].colour)}>{callLabels[call.state].label}</span>
);

/** Two figures and their difference, such as `+126 B · +68 %`. */
function figures(
  left: number | null,
  right: number | null,
  format: (value: number) => string,
): [string, string, string] {
  const shown = [left, right].map((value) => (value === null ? '' : format(value)));
  const [one = '', other = ''] = shown;
  if (left === null || right === null) return [one, other, ''];
  if (left === right) return [one, other, 'same'];
  const sign = right > left ? '+' : '−';
  const share = left === 0 ? '' : ` · ${sign}${Math.round((100 * Math.abs(right - left)) / left)} %`;
  return [one, other, `${sign}${format(Math.abs(right - left))}${share}`];
}

/** Whether two JSON texts differ in nothing but whitespace. */
const sameJson = (a: string, b: string): boolean => (compactJson(a) ?? a) === (compactJson(b) ?? b);

function ComparedResults({
  comparison: { texts, lines, isCut },
  isSplit,
}: {
  readonly comparison: Comparison;
  readonly isSplit: boolean;
}) {
  return (
    <>
      {isCut && (
        <p role="note" className="border-b border-line bg-raise px-3 py-1.5 text-mute">
          Only the beginning of a long result is compared.
        </p>
      )}
      {lines === null ? (
        <EmptyState title="Too different to line up">
          The two results have almost nothing in common.
        </EmptyState>
      ) : (
        <DiffTable texts={texts} lines={lines} isSplit={isSplit} />
      )}
    </>
  );
}

interface Comparison {
  readonly texts: readonly [readonly string[], readonly string[]];
  /** Null when the texts have too little in common. */
  readonly lines: readonly DiffLine[] | null;
  readonly isCut: boolean;
}

function summaryOf({ lines }: Comparison): string {
  if (lines === null) return '';
  const count = lines.filter(({ kind }) => kind !== 'same').length;
  return count === 0 ? 'No line differs' : formatQuantity(count, 'line differs', 'lines differ');
}

async function compare([left, right]: CallPair, view: ResultView): Promise<Comparison> {
  const [one, other] = await Promise.all([linesOf(left, view), linesOf(right, view)]);
  const texts = [one.lines, other.lines] as const;
  return { texts, lines: await diffLines(...texts), isCut: one.isCut || other.isCut };
}

/** The outcome of a call as lines of text: its result, or the error in its place. */
async function linesOf(
  call: Call,
  view: ResultView,
): Promise<{ readonly lines: readonly string[]; readonly isCut: boolean }> {
  const { text, isCut } = await resultOf(call);
  if (text === null) return { lines: errorLines(call), isCut };
  return { lines: view === 'content' && !isCut ? contentLines(text) : prettyLines(text, isCut), isCut };
}

function errorLines({ state, error, fault }: Call): string[] {
  if (error !== null) {
    const data = error.data === null ? [] : prettyLines(JSON.stringify(error.data));
    return [`error ${error.code}`, ...lines(error.message), ...data];
  }
  return fault === null ? [callLabels[state].label] : lines(fault.what);
}

/** The text blocks of a result as text, all else of it as JSON. */
function contentLines(result: string): string[] {
  const blocks = elementTexts(memberText(result, ['content']) ?? '').flatMap((block) => {
    const text = textOf(block);
    return text === null ? prettyLines(block) : lines(text);
  });
  const structured = memberText(result, ['structuredContent']);
  return [...blocks, ...(structured === null ? [] : ['structuredContent', ...prettyLines(structured)])];
}

/** The text of a text block; null for any other. */
function textOf(block: string): string | null {
  const value: unknown = JSON.parse(block);
  return isObject(value) && value.type === 'text' && typeof value.text === 'string' ? value.text : null;
}

const prettyLines = (json: string, isCut = false): string[] =>
  lines(
    prettyJson(json, isCut)
      ?.map((piece) => piece.text)
      .join('') ?? json,
  );

const lines = (text: string): string[] => text.split(/\r?\n/);
