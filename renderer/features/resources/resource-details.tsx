import { TriangleAlert } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { selectTraceRow } from '#model/selection.ts';
import { cx } from '#ui/cx.ts';
import { isUnderWay, type Call } from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Subscription } from '#shared/contract/subscriptions.ts';
import { formatBytes, formatClock, formatQuantity } from '#shared/format.ts';
import { Chip } from '#ui/chip.tsx';
import { type DiffLine, diffLines, DiffTable } from '#ui/diff-table.tsx';
import { Facts } from '#ui/facts.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox } from '#ui/field.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type ReadResult, useReadResult } from './resource-column.tsx';
import { type ResourceLine, showRead, useResourcesState } from './resources-state.ts';

/** What differs between a read and the one before it. */
export interface ReadDiff {
  readonly texts: readonly [readonly string[], readonly string[]];
  readonly lines: readonly DiffLine[];
}

/** Compares the texts of two reads; null until that is done, or if one of them has no text. */
export function useReadDiff(shown: Call | null, before: Call | null): ReadDiff | null {
  const now = useReadResult(shown);
  const last = useReadResult(before);
  const key = shown === null || before === null ? null : `${before.id} ${shown.id}`;
  const texts = useMemo(() => {
    const [left, right] = [textOf(last), textOf(now)];
    return left === null || right === null
      ? null
      : ([left.split(/\r\n|\r|\n/), right.split(/\r\n|\r|\n/)] as const);
  }, [last, now]);
  const [diff, setDiff] = useState<{ readonly key: string; readonly diff: ReadDiff } | null>(null);
  useEffect(() => {
    if (key === null || texts === null) return;
    let isCurrent = true;
    void diffLines(texts[0], texts[1]).then((lines) => {
      if (isCurrent && lines !== null) setDiff({ key, diff: { texts, lines } });
    });
    return () => {
      isCurrent = false;
    };
  }, [key, texts]);
  return diff?.key === key ? diff.diff : null;
}

const textOf = (result: ReadResult | null): string | null => {
  const body = result?.read?.contents[0]?.body;
  return body?.kind === 'text' ? body.text : null;
};

interface ResourceDetailsProps {
  readonly line: ResourceLine | null;
  /** Newest first. */
  readonly reads: readonly Call[];
  readonly shown: Call | null;
  readonly uri: string;
  readonly subscription: Subscription | null;
  readonly fault: Fault | null;
  readonly diff: ReadDiff | null;
}

/** The reads of a resource with what changed between them, its subscription, and what the list says about it. */
export function ResourceDetails({
  line,
  reads,
  shown,
  uri,
  subscription,
  fault,
  diff,
}: ResourceDetailsProps) {
  return (
    <div className="flex h-full min-h-0 flex-col overflow-y-auto">
      {fault !== null && <FaultCard fault={fault} className="m-2" />}
      {subscription !== null && <SubscriptionFacts subscription={subscription} />}
      {reads.length > 0 && <Reads reads={reads} shown={shown} uri={uri} diff={diff} />}
      {line !== null && <Entry line={line} shown={shown} />}
    </div>
  );
}

const heading = 'flex min-h-[34px] flex-wrap items-center gap-x-2 px-3 pt-1';

function SubscriptionFacts({ subscription }: { readonly subscription: Subscription }) {
  const { sessionId, state, notifications, lastRow } = subscription;
  const readsOnUpdate = useResourcesState((all) => all.readsOnUpdate);
  return (
    <section aria-label="Subscription" className="shrink-0 border-b border-line pb-2">
      <div className={heading}>
        <h3 className="font-semibold">Subscription</h3>
        <Checkbox
          label="Read on update"
          checked={readsOnUpdate}
          onChange={(value) => useResourcesState.setState({ readsOnUpdate: value })}
          className="ml-auto"
        />
      </div>
      <p role="status" className="flex gap-x-2 px-3 text-mute">
        {state === 'requested' ? 'requested' : formatQuantity(notifications, 'update')}
        {lastRow !== null && <RowLink row={lastRow} onOpen={() => selectTraceRow(sessionId, lastRow)} />}
      </p>
    </section>
  );
}

/** Reads listed; the trace has all of them. */
const MAX_LISTED = 50;

function Reads({ reads, shown, uri, diff }: Pick<ResourceDetailsProps, 'reads' | 'shown' | 'uri' | 'diff'>) {
  const counts = useMemo(() => {
    if (diff === null) return null;
    const of = (kinds: readonly DiffLine['kind'][]) =>
      diff.lines.filter(({ kind }) => kinds.includes(kind)).length;
    return { added: of(['added', 'changed']), removed: of(['removed', 'changed']) };
  }, [diff]);
  return (
    <section aria-label="Reads" className="shrink-0 border-b border-line pb-2">
      <div className={heading}>
        <h3 className="font-semibold">Reads</h3>
      </div>
      <ul className="max-h-40 overflow-y-auto">
        {reads.slice(0, MAX_LISTED).map((one) => (
          <li
            key={one.id}
            className={cx(
              'flex h-row items-center gap-2 border-l-2 pr-3 pl-2.5',
              one === shown ? 'border-accent bg-hover' : 'border-transparent hover:bg-hover/60',
            )}
          >
            <button
              type="button"
              aria-pressed={one === shown}
              onClick={() => showRead(one.sessionId, uri, one.id)}
              className="mono min-w-0 flex-1 text-left"
            >
              {formatClock(one.startedAt).slice(0, 8)}
              <span className="pl-2 text-mute">
                {isUnderWay(one)
                  ? 'reading'
                  : one.state === 'ok'
                    ? ''
                    : visibleLine(one.error?.message ?? one.state)}
              </span>
            </button>
            {one === shown && counts !== null && (
              <span className="mono text-xs">
                <span className="text-in">+{counts.added}</span>{' '}
                <span className="text-err">−{counts.removed}</span>
              </span>
            )}
            <RowLink row={one.requestRow} onOpen={(row) => selectTraceRow(one.sessionId, row)} />
          </li>
        ))}
      </ul>
      {diff !== null && counts !== null && (
        <div
          role="region"
          aria-label="Changes since the read before"
          // A scrolling region must be reachable by keyboard.
          tabIndex={0}
          className="mx-3 mt-2 max-h-72 overflow-auto rounded-ui border border-line"
        >
          {counts.added + counts.removed === 0 ? (
            <p className="px-2 py-1 text-mute">The same as the read before.</p>
          ) : (
            <DiffTable key={shown?.id} texts={diff.texts} lines={diff.lines} isSplit={false} />
          )}
        </div>
      )}
    </section>
  );
}

/** What the list says about the resource: its own claims. */
function Entry({ line, shown }: { readonly line: ResourceLine; readonly shown: Call | null }) {
  const { entry } = line;
  const [isOpen, setOpen] = useState(false);
  const annotations = entry.usable ? entry.resource.annotations : undefined;
  const body = useReadResult(shown)?.read?.contents[0]?.body;
  const read = body === undefined || body.kind === 'none' ? null : body.size;
  return (
    <section aria-label="Listed as" className="shrink-0 px-3 pb-3">
      <h3 className="pt-2 pb-1 font-semibold">
        Listed as <span className="font-normal text-faint">stated by the server</span>
      </h3>
      {entry.usable ? (
        <Facts
          facts={[
            { name: 'Name', value: <PlainText inline text={entry.resource.name} className="mono" /> },
            textFact('Description', entry.resource.description),
            textFact('MIME type', entry.resource.mimeType),
            sizeFact(entry.resource.size, read),
            annotations?.audience === undefined
              ? null
              : {
                  name: 'Audience',
                  value: (
                    <span className="flex flex-wrap gap-1">
                      {annotations.audience.map((one) => (
                        <Chip key={one}>{visibleLine(one)}</Chip>
                      ))}
                    </span>
                  ),
                },
            annotations?.priority === undefined
              ? null
              : { name: 'Priority', value: String(annotations.priority) },
            textFact('Last modified', annotations?.lastModified),
          ]}
        />
      ) : (
        <FaultCard
          fault={{
            code: 'bad-resource',
            what: 'This entry does not match the specification’s definition of a resource.',
            why: entry.error,
            next: 'It can still be read.',
          }}
        />
      )}
      <details className="mt-2" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="w-fit text-sm text-mute hover:text-text">Whole entry</summary>
        {isOpen && <JsonText raw={entry.raw} className="mt-1" />}
      </details>
    </section>
  );
}

const textFact = (name: string, text: string | undefined) =>
  text === undefined ? null : { name, value: <PlainText inline text={text} /> };

/** The stated size, and a warning if another was read. */
function sizeFact(stated: number | undefined, read: number | null) {
  if (stated === undefined) return null;
  const value =
    read === null || read === stated ? (
      formatBytes(stated)
    ) : (
      <>
        {formatBytes(stated)}{' '}
        <span className="text-warn">
          <TriangleAlert aria-hidden className="inline size-3" /> {formatBytes(read)} were read
        </span>
      </>
    );
  return { name: 'Size', value };
}
