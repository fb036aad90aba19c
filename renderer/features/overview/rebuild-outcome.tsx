import type { ReactNode } from 'react';
import { clockOf, countChanges } from '#model/rebuilds.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { CallClass, CallComparison, CatalogChange, ChangeClass } from '#shared/contract/comparison.ts';
import type { RebuildOutcome as Outcome } from '#shared/contract/rebuild.ts';
import type { SkipReason } from '#shared/contract/replay.ts';
import { formatQuantity } from '#shared/format.ts';
import { Chip, type Tone } from '#ui/chip.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';

const reasons: Readonly<Record<Outcome['reason'], string>> = {
  change: 'files changed',
  exit: 'the server had ended',
  manual: 'at your request',
};

/** What the last restart brought: what was restored, what the server lists differently, what the calls answer differently. */
export function RebuildOutcome({ outcome }: { readonly outcome: Outcome }) {
  const { at, reason, files, restored, notRestored, comparison, suite, skipped, sessionId } = outcome;
  const { logLevel, subscriptions } = restored;
  const restoredTexts = [
    ...(logLevel === null ? [] : [`log level ${logLevel}`]),
    ...(subscriptions === 0 ? [] : [formatQuantity(subscriptions, 'subscription')]),
  ];
  return (
    <div role="group" aria-label="Last restart" className="mt-2 border-t border-line pt-1.5">
      <p>
        <span className="font-medium">Restarted</span> <span className="mono">{clockOf(at)}</span>
        <span className="text-mute">
          {' '}
          · {reasons[reason]}
          {countChanges(outcome) === 0 && comparison !== null && ' · nothing differs'}
        </span>
      </p>
      {files.length > 0 && (
        <PlainText
          text={files.slice(0, 5).join('\n') + (files.length > 5 ? `\nand ${files.length - 5} more` : '')}
          className="mono text-sm text-mute"
        />
      )}
      {restoredTexts.length > 0 && <p className="text-sm text-mute">Restored: {restoredTexts.join(', ')}</p>}
      {notRestored.map((fault, index) => (
        <PlainText key={index} text={`Not restored: ${fault.what}`} className="text-sm text-warn" />
      ))}
      {comparison !== null && comparison.catalog.length > 0 && (
        <Part title="What the server lists differently">
          {comparison.catalog.map((change, index) => (
            <ListedChange key={index} change={change} />
          ))}
        </Part>
      )}
      {comparison !== null && comparison.uncomparedLists.length > 0 && (
        <p className="text-sm text-mute">Not compared: {comparison.uncomparedLists.join(', ')} list</p>
      )}
      {suite !== null && (
        <Part title="The test file, run again">
          {suite.map((one) => (
            <li key={one.index} className="flex items-baseline gap-2 leading-6">
              <Class tone={suiteTones[one.state]}>{one.state}</Class>
              <span className="min-w-0 flex-1">
                <PlainText inline text={one.name} />
                {one.before !== null && one.before !== one.state && (
                  <span className="text-mute"> · {one.before} before</span>
                )}
                {one.failures.slice(0, 3).map(({ message }, index) => (
                  <PlainText key={index} text={message} className="text-sm text-mute" />
                ))}
              </span>
              <RowLink row={one.requestRow} onOpen={(row) => selectTraceRow(sessionId, row)} />
            </li>
          ))}
        </Part>
      )}
      {comparison !== null && comparison.calls.length > 0 && (
        <Part title="The calls, compared with those before">
          {comparison.calls.map((one, index) => (
            <ComparedCall key={index} call={one} sessionId={sessionId} />
          ))}
        </Part>
      )}
      {skipped.length > 0 && comparison === null && (
        <Part title="Not sent">
          {skipped.map(({ target, reason: why }, index) => (
            <li key={index} className="leading-6 text-mute">
              <PlainText inline text={target ?? 'a request'} className="mono" />: {skipTexts[why]}
            </li>
          ))}
        </Part>
      )}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <h4 className="mt-1.5 text-xs text-faint">{title}</h4>
      <ul aria-label={title} className="flex flex-col">
        {children}
      </ul>
    </>
  );
}

const Class = ({ tone, children }: { readonly tone: Tone; readonly children: string }) => (
  <span className="w-[74px] shrink-0">
    <Chip tone={tone}>{children}</Chip>
  </span>
);

const changeTones: Readonly<Record<ChangeClass, Tone>> = {
  breaking: 'error',
  unknown: 'warn',
  behavior: 'info',
  compatible: 'ok',
};

function ListedChange({ change }: { readonly change: CatalogChange }) {
  const { class: of, of: kind, name, text, before, after, calls } = change;
  return (
    <li className="flex items-baseline gap-2 leading-6">
      <Class tone={changeTones[of]}>{of}</Class>
      <span className="min-w-0 flex-1">
        {kind} <PlainText inline text={name} className="mono" />
        <span className="text-mute">
          : <PlainText inline text={text} />
          {calls.broken > 0 &&
            ` · ${calls.broken} of ${formatQuantity(calls.count, 'recorded call')} would break`}
        </span>
        {before !== null && after !== null && !isFlag.test(before) && (
          <BeforeAfter before={before} after={after} />
        )}
      </span>
    </li>
  );
}

/** The sentence says it. */
const isFlag = /^(?:true|false)$/;

const BeforeAfter = ({ before, after }: { readonly before: string; readonly after: string }) => (
  <span className="mono block truncate text-sm text-mute">
    <PlainText inline text={before} className="text-out" /> →{' '}
    <PlainText inline text={after} className="text-in" />
  </span>
);

const callTones: Readonly<Record<CallClass, Tone>> = {
  breaking: 'error',
  flipped: 'error',
  missing: 'warn',
  extra: 'warn',
  behavior: 'info',
  unclear: 'warn',
  skipped: 'neutral',
  noise: 'neutral',
  same: 'ok',
};

function ComparedCall({ call, sessionId }: { readonly call: CallComparison; readonly sessionId: string }) {
  const { class: of, method, target, summary, differences, other } = call;
  const [first] = differences;
  return (
    <li className="flex items-baseline gap-2 leading-6">
      <Class tone={callTones[of]}>{of}</Class>
      <span className="min-w-0 flex-1">
        <PlainText inline text={target ?? method} className="mono" />
        {summary !== '' && (
          <span className="text-mute">
            : <PlainText inline text={summary} />
          </span>
        )}
        {first !== undefined && first.recorded !== null && first.other !== null && (
          <BeforeAfter before={first.recorded} after={first.other} />
        )}
      </span>
      <RowLink row={other?.row ?? null} onOpen={(row) => selectTraceRow(sessionId, row)} />
    </li>
  );
}

const suiteTones = { passed: 'ok', failed: 'error', flaky: 'warn', skipped: 'neutral' } as const;

const skipTexts: Readonly<Record<SkipReason, string>> = {
  writes: 'not read-only by its annotations',
  secret: 'its params held a secret',
  'no-response': 'it had no response before',
  'not-listed': 'the server no longer lists this tool',
  declined: 'left out',
  stopped: 'stopped before it',
};
