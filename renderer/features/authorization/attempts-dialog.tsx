import { GitCompareArrows } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useCommands } from '#model/commands.ts';
import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { formatQuantity } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { Dialog } from '#ui/dialog.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { Checkbox, SelectBox } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import {
  type Attempt,
  attemptsOf,
  compareAttempts,
  type ComparedRow,
  type ComparedStep,
  type ComparedValue,
  countDifferences,
} from './compare-attempts.ts';
import { stateLabels, stepLabels } from './step-labels.ts';

/** The button that compares two attempts of a flow, and the dialog that shows them. */
export function AttemptsButton({ flow }: { readonly flow: AuthorizationFlow }) {
  const [isOpen, setOpen] = useState(false);
  useCommands(
    useMemo(
      () => [
        {
          id: 'authorization.compare',
          title: 'Compare attempts',
          group: 'Authorization',
          run: () => setOpen(true),
        },
      ],
      [],
    ),
  );
  return (
    <>
      <IconButton size="small" label="Compare attempts…" onClick={() => setOpen(true)}>
        <GitCompareArrows aria-hidden className="size-3.5" />
      </IconButton>
      <Dialog title="Compare attempts" size="wide" open={isOpen} onOpenChange={setOpen}>
        <Attempts flow={flow} />
      </Dialog>
    </>
  );
}

function Attempts({ flow }: { readonly flow: AuthorizationFlow }) {
  const attempts = useMemo(() => attemptsOf(flow), [flow]);
  const [chosen, choose] = useState<readonly [number | null, number | null]>([null, null]);
  const [isWhole, showWhole] = useState(false);
  const [left, right] = sidesOf(attempts, chosen);
  if (left === undefined || right === undefined) {
    return (
      <EmptyState icon={<GitCompareArrows />} title="One attempt so far">
        Take a step back, or fork at an earlier step. Then the flow has another attempt to compare with this
        one.
      </EmptyState>
    );
  }
  const compared = compareAttempts(left, right);
  const { steps, values } = countDifferences(compared);
  const options = attempts.map((one) => ({ value: String(one.number), label: labelOf(one) }));
  return (
    <>
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 pb-2">
        <p role="status" className="min-w-0 flex-1 text-mute">
          {steps + values === 0
            ? 'They differ in nothing but values that are new in each attempt.'
            : [
                values > 0 && `${formatQuantity(values, 'value')} of common steps differ`,
                steps > 0 && `${formatQuantity(steps, 'step')} in one only`,
              ]
                .filter((part) => part !== false)
                .join(', ')}
        </p>
        <Checkbox label="Show equal values" checked={isWhole} onChange={showWhole} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and holds nothing to focus */}
      <div role="region" aria-label="Differences" tabIndex={0} className="min-h-0 flex-1 overflow-auto">
        <table className="w-full table-fixed text-left">
          <colgroup>
            <col className="w-[24%]" />
            <col />
            <col />
          </colgroup>
          <thead className="sticky top-0 bg-panel">
            <tr>
              <th scope="col" className="px-4 py-1.5 font-medium">
                What
              </th>
              <th scope="col" className="px-2 py-1.5 font-normal">
                <SelectBox
                  aria-label="Left attempt"
                  size="small"
                  value={String(left.number)}
                  options={options}
                  onChange={(number) => choose([Number(number), right.number])}
                />
              </th>
              <th scope="col" className="px-2 py-1.5 pr-4 font-normal">
                <SelectBox
                  aria-label="Right attempt"
                  size="small"
                  value={String(right.number)}
                  options={options}
                  onChange={(number) => choose([left.number, Number(number)])}
                />
              </th>
            </tr>
          </thead>
          <Shared compared={compared} />
          {compared
            .filter(({ isShared }) => !isShared)
            .map((step) => (
              <StepRows key={`${step.left?.id} ${step.right?.id}`} step={step} isWhole={isWhole} />
            ))}
        </table>
      </div>
    </>
  );
}

/** The chosen attempts; without a choice the last two. */
function sidesOf(
  attempts: readonly Attempt[],
  [left, right]: readonly [number | null, number | null],
): readonly [Attempt | undefined, Attempt | undefined] {
  if (attempts.length < 2) return [undefined, undefined];
  const find = (number: number | null, place: number) =>
    attempts.find((one) => one.number === number) ?? attempts.at(place);
  return [find(left, -2), find(right, -1)];
}

/** How an attempt is called: by where it ended. */
function labelOf({ number, steps }: Attempt): string {
  const last = steps.at(-1);
  return last === undefined
    ? `Attempt ${number}`
    : `Attempt ${number}: ${stepLabels[last.name]}, ${endOf(last)}`;
}

/** What became of a step. One that was taken back says what it had answered. */
const endOf = ({ state, response }: AuthorizationStep): string =>
  [stateLabels[state], response !== null && `status ${response.status}`]
    .filter((part) => part !== false)
    .join(', ');

/** How many steps both attempts have from before they parted. */
function Shared({ compared }: { readonly compared: readonly ComparedStep[] }) {
  const count = compared.filter(({ isShared }) => isShared).length;
  if (count === 0) return null;
  return (
    <tbody>
      <tr>
        <td colSpan={3} className="border-y border-line bg-raise px-4 py-1 text-xs text-mute">
          {formatQuantity(count, 'step')} before they parted
        </td>
      </tr>
    </tbody>
  );
}

/** The title of a step, and what of it differs. */
function StepRows({ step, isWhole }: { readonly step: ComparedStep; readonly isWhole: boolean }) {
  const { left, right, rows } = step;
  const own = left ?? right;
  if (own === null) return null;
  const isInBoth = left !== null && right !== null;
  const shown = rows.filter(({ kind }) => isWhole || (isInBoth && kind === 'differs'));
  const renewed = isWhole ? [] : rows.filter(({ kind }) => kind === 'renewed').map(({ name }) => name);
  const title =
    own.label === '' ? stepLabels[own.name] : `${stepLabels[own.name]}, ${visibleLine(own.label)}`;
  return (
    <tbody>
      <tr className="border-t border-line bg-raise align-top">
        <th scope="rowgroup" className="px-4 py-1 font-semibold [overflow-wrap:anywhere]">
          {title}
        </th>
        <StepCell step={left} />
        <StepCell step={right} />
      </tr>
      {shown.map((row) => (
        <ValueRow key={`${row.part} ${row.name} ${rows.indexOf(row)}`} row={row} />
      ))}
      {shown.length === 0 && isInBoth && (
        <tr>
          <td colSpan={3} className="px-4 py-1 text-mute">
            Nothing differs.
          </td>
        </tr>
      )}
      {isInBoth && renewed.length > 0 && (
        <tr>
          <td colSpan={3} className="px-4 py-1 text-xs [overflow-wrap:anywhere] text-faint">
            New in each attempt: {renewed.map(visibleLine).join(', ')}
          </td>
        </tr>
      )}
    </tbody>
  );
}

const StepCell = ({ step }: { readonly step: AuthorizationStep | null }) => (
  <td className="px-2 py-1 text-mute">{step === null ? 'not in this attempt' : endOf(step)}</td>
);

const partLabels: Readonly<Record<ComparedRow['part'], string>> = {
  request: '',
  query: 'query',
  headers: 'header',
  body: 'body',
  result: '',
};

function ValueRow({ row: { part, name, left, right, kind } }: { readonly row: ComparedRow }) {
  const differs = kind === 'differs';
  return (
    <tr className="border-t border-line/60 align-top">
      <th scope="row" className="py-1 pr-2 pl-4 font-normal [overflow-wrap:anywhere]">
        <span className={cx(partLabels[part] !== '' && 'mono text-key')}>{visibleLine(name)}</span>{' '}
        <span className="text-xs text-faint">{partLabels[part]}</span>
      </th>
      <ValueCell value={left} className={cx(differs && 'bg-err/10')} />
      <ValueCell value={right} className={cx('pr-4', differs && 'bg-in/10')} />
    </tr>
  );
}

function ValueCell({
  value,
  className,
}: {
  readonly value: ComparedValue | null;
  readonly className: string;
}) {
  return (
    <td className={cx('px-2 py-1 [overflow-wrap:anywhere]', className)}>
      {value === null ? (
        <span className="text-faint">none</span>
      ) : (
        <>
          {value.isSecret && (
            <>
              <span role="img" aria-label="hidden" className="mono text-mute">
                ••••
              </span>{' '}
            </>
          )}
          <PlainText inline text={value.text} className={cx('mono', value.isOff && 'line-through')} />
          {value.isOff && <span className="text-xs text-faint"> not sent</span>}
        </>
      )}
    </td>
  );
}
