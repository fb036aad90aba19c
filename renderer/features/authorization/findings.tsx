import { useState } from 'react';
import { findingsOf, useRevisionCheck } from '#model/authorization.ts';
import { selectTraceRow } from '#model/selection.ts';
import type {
  AuthorizationFinding,
  AuthorizationFlow,
  AuthorizationStep,
  RevisionCheck,
} from '#shared/contract/authorization.ts';
import { revisions } from '#shared/protocol/revisions.ts';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { SelectBox } from '#ui/field.tsx';
import { PlainText, VisibleText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { severityLabels } from '#ui/severity.tsx';
import { visibleLine } from '#ui/visible.ts';
import { FindingIcon } from './finding-icon.tsx';
import { stepLabels } from './step-labels.ts';

/**
 * What is wrong in a flow, each with what was expected and received, its source, and what the library says; also by the rules of
 * another revision than the one it ran with.
 */
export function Findings({
  flow,
  onSelect,
}: {
  readonly flow: AuthorizationFlow;
  readonly onSelect: (step: AuthorizationStep) => void;
}) {
  const [revision, setRevision] = useState(NEGOTIATED);
  const { check, fault } = useRevisionCheck(flow, revision === NEGOTIATED ? null : revision);
  const found: readonly Shown[] =
    check === null
      ? findingsOf(flow).map((one) => ({ ...one, change: 'same' as const }))
      : flow.steps.flatMap((step) =>
          (check.steps.find(({ id }) => id === step.id)?.findings ?? []).map((one) => ({ ...one, step })),
        );
  const count = found.filter(({ change }) => change !== 'goes').length;
  return (
    <section aria-labelledby="flow-findings" className="@container pb-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3.5 pt-2">
        <h3 id="flow-findings" className="mr-auto text-faint">
          <span className="caption">Findings</span>{' '}
          <span className="text-xs">
            {count === 0 ? 'none' : count} found
            <span className="sr-only @xs:not-sr-only">
              {check === null ? ' in this flow' : ` against ${check.revision}`}
            </span>
          </span>
        </h3>
        <label htmlFor="check-against" className="sr-only text-xs text-mute @xs:not-sr-only">
          Check against
        </label>
        <SelectBox
          id="check-against"
          size="small"
          value={revision}
          options={checkOptions}
          onChange={setRevision}
          className="w-[104px]"
        />
      </div>
      {fault !== null && <FaultCard fault={fault} className="mx-3.5 mt-2" />}
      {check !== null && <RevisionDifference flow={flow} check={check} onSelect={onSelect} />}
      <ul aria-labelledby="flow-findings">
        {found.map(({ step, finding, change }, at) => {
          const { severity, text, source, expected, received, row, library } = finding;
          const says = changeLabels[change];
          return (
            <li key={at} className="flex gap-1.5 px-3.5 pt-1">
              <FindingIcon severity={severity} className="mt-[3px] size-3.5" />
              <div className="min-w-0 flex-1">
                {change !== 'same' && (
                  <span
                    className={cx(
                      'mr-1.5 inline-block rounded-ui border border-line px-1 text-xs',
                      change === 'comes' ? 'text-accent' : 'text-mute',
                    )}
                  >
                    {says}
                  </span>
                )}
                <button
                  type="button"
                  aria-label={`${change === 'same' ? '' : `${says}: `}${severityLabels[severity]}: ${visibleLine(text)}`}
                  onClick={() => onSelect(step)}
                  className={cx('text-left hover:underline', change === 'goes' && 'text-mute line-through')}
                >
                  <PlainText inline text={text} />
                </button>
                {change !== 'goes' && <Difference expected={expected} received={received} />}
                <p className="text-xs leading-4 text-faint">
                  {visibleLine(source)}
                  {library !== null && <> · {librarySays(library)}</>}
                  {row !== null && ' · '}
                  <RowLink row={row} onOpen={(to) => selectTraceRow(flow.sessionId, to)} />
                </p>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

type Change = RevisionCheck['steps'][number]['findings'][number]['change'];

interface Shown {
  readonly step: AuthorizationStep;
  readonly finding: AuthorizationFinding;
  readonly change: Change;
}

const changeLabels: Readonly<Record<Change, string>> = { same: '', comes: 'new', goes: 'gone' };

const NEGOTIATED = 'negotiated';

const checkOptions = [
  { value: NEGOTIATED, label: 'Negotiated' },
  ...revisions
    .filter(({ id }) => id !== '2024-11-05')
    .map(({ id }) => ({ value: id as string, label: id as string })),
];

/** How a flow of the other revision would differ: what comes and goes, where it would end, what it would not do. */
function RevisionDifference({
  flow,
  check: { revision, steps },
  onSelect,
}: {
  readonly flow: AuthorizationFlow;
  readonly check: RevisionCheck;
  readonly onSelect: (step: AuthorizationStep) => void;
}) {
  const count = (change: Change) =>
    steps.flatMap(({ findings }) => findings).filter((one) => one.change === change).length;
  const [comes, goes] = [count('comes'), count('goes')];
  const said = steps.flatMap(({ id, stops, difference }) => {
    const step = flow.steps.find((one) => one.id === id);
    const texts = [stops ? `${revision} forbids going on after it.` : null, difference];
    return step === undefined ? [] : texts.flatMap((text) => (text === null ? [] : [{ step, text }]));
  });
  return (
    <div
      role="note"
      aria-label="Difference"
      className="mx-3.5 mt-1 rounded-ui border border-line bg-panel px-2 py-1 text-sm"
    >
      <p>
        {comes === 0 && goes === 0
          ? `The same is found as with ${flow.revision}.`
          : `${comes} new and ${goes} gone, compared with ${flow.revision}.`}{' '}
        <span className="text-mute">Nothing was sent.</span>
      </p>
      {said.length > 0 && (
        <ul className="text-xs text-mute">
          {said.map(({ step, text }, at) => (
            <li key={at}>
              <button type="button" onClick={() => onSelect(step)} className="text-left hover:underline">
                {stepLabels[step.name]}: {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const librarySays = (library: string): string =>
  library === 'accepted' ? 'the library accepts it' : `the library: ${visibleLine(library)}`;

/** What was expected and what was received, one under the other, with what differs underlined. */
export function Difference({
  expected,
  received,
}: {
  readonly expected: string | null;
  readonly received: string | null;
}) {
  if (expected === null && received === null) return null;
  const [from, to] = expected === null || received === null ? [0, 0] : commonEnds(expected, received);
  const line = (label: string, text: string | null) =>
    text !== null && (
      <p className="font-mono text-xs leading-4 [overflow-wrap:anywhere] text-mute">
        {label}{' '}
        {expected === null || received === null ? (
          <VisibleText text={text} />
        ) : (
          <>
            <VisibleText text={text.slice(0, from)} />
            {from + to < text.length && (
              <u className="font-semibold text-err decoration-err decoration-wavy underline-offset-[3px]">
                <VisibleText text={text.slice(from, text.length - to)} />
              </u>
            )}
            <VisibleText text={text.slice(text.length - to)} />
          </>
        )}
      </p>
    );
  return (
    <>
      {line('expected', expected)}
      {line('received', received)}
    </>
  );
}

/** How many characters two texts share at the start, and then at the end. */
export function commonEnds(one: string, other: string): readonly [start: number, end: number] {
  const least = Math.min(one.length, other.length);
  let start = 0;
  while (start < least && one[start] === other[start]) start++;
  let end = 0;
  while (end < least - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return [start, end];
}
