import { findingsOf } from '#model/authorization.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { PlainText, VisibleText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { severityLabels } from '#ui/severity.tsx';
import { visibleLine } from '#ui/visible.ts';
import { FindingIcon } from './finding-icon.tsx';

/** What is wrong in a flow, each with what was expected and received, its source, and what the library says. */
export function Findings({
  flow,
  onSelect,
}: {
  readonly flow: AuthorizationFlow;
  readonly onSelect: (step: AuthorizationStep) => void;
}) {
  const found = findingsOf(flow);
  return (
    <section aria-labelledby="flow-findings" className="pb-2">
      <h3 id="flow-findings" className="px-3.5 pt-2 text-faint">
        <span className="caption">Findings</span>{' '}
        <span className="text-xs">{found.length === 0 ? 'none' : found.length} found in this flow</span>
      </h3>
      <ul aria-labelledby="flow-findings">
        {found.map(({ step, finding }, at) => {
          const { severity, text, source, expected, received, row, library } = finding;
          return (
            <li key={at} className="flex gap-1.5 px-3.5 pt-1">
              <FindingIcon severity={severity} className="mt-[3px] size-3.5" />
              <div className="min-w-0 flex-1">
                <button
                  type="button"
                  aria-label={`${severityLabels[severity]}: ${visibleLine(text)}`}
                  onClick={() => onSelect(step)}
                  className="text-left hover:underline"
                >
                  <PlainText inline text={text} />
                </button>
                <Difference expected={expected} received={received} />
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
