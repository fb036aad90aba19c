import { ArrowLeftRight, Download, GitCompare, RefreshCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '#bridge';
import { compare, type ComparedSides, showSetup } from '#model/replay.ts';
import { faultOf } from '#model/faults.ts';
import { differingClasses, type OpenComparison, type ReportFormat } from '#shared/contract/comparison.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { formatCount, formatQuantity, formatRunTime } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { Menu } from '#ui/menu.tsx';
import { saveFile } from '#ui/save-file.ts';
import { Segmented } from '#ui/segmented.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { toastFault } from '#ui/toaster.tsx';
import { useIsWide } from '#ui/use-is-wide.ts';
import { CatalogColumn } from './catalog-column.tsx';
import { changeText, p95Change, toneOfChange } from './changes.ts';
import { ComparedCallList, type ListedCalls } from './compared-list.tsx';
import { RulesPopover } from './rules-popover.tsx';
import type { SideNames } from './side-names.ts';

/** Width from which on the catalog is beside the calls; pixels. */
const WIDE_ENOUGH = 900;

/** A comparison on screen: its figures, the calls to walk, the responses side by side, and the catalog. */
export function ComparedRun({
  paneId,
  title,
  comparison,
  sides,
  sideNames,
  fault,
  onAgain,
}: {
  readonly paneId: string;
  readonly title: string;
  readonly comparison: OpenComparison;
  readonly sides: ComparedSides;
  readonly sideNames: SideNames;
  /** Why the last change failed. */
  readonly fault: Fault | null;
  /** Replays again; null if there is no session to replay in. */
  readonly onAgain: (() => void) | null;
}) {
  const [bodyRef, isWide] = useIsWide(WIDE_ENOUGH);
  const [part, setPart] = useState<'calls' | 'catalog'>('calls');
  const [chosen, setListed] = useState<{ readonly of: string; readonly calls: ListedCalls } | null>(null);
  // Their rows are in the recording on the left, which may have been swapped.
  const listed = chosen?.of === sides.recorded ? chosen.calls : null;
  const catalog = (
    <CatalogColumn
      comparison={comparison}
      heads={sideNames.heads}
      onShowCalls={(rows, about) => {
        setListed({ of: sides.recorded, calls: { rows: new Set(rows), about } });
        setPart('calls');
      }}
    />
  );
  const calls = (
    <ComparedCallList
      // A swap changes the order of the calls.
      key={sides.recorded}
      paneId={paneId}
      comparison={comparison}
      sides={sides}
      sideNames={sideNames}
      listed={listed}
      onListAll={() => setListed(null)}
    />
  );
  return (
    <div ref={bodyRef} className="flex h-full min-h-0 flex-col">
      <RunHead
        paneId={paneId}
        title={title}
        comparison={comparison}
        sides={sides}
        onAgain={onAgain}
        switcher={
          isWide ? null : (
            <Segmented
              label="Show"
              value={part}
              onChange={setPart}
              options={[
                { id: 'calls', label: 'Calls' },
                { id: 'catalog', label: `Catalog ${comparison.catalog.length}` },
              ]}
            />
          )
        }
      />
      {fault !== null && <FaultCard fault={fault} className="m-2" />}
      {isWide ? (
        <Split id="compared-run" direction="row" className="min-h-0 flex-1">
          <SplitPanel id="compared-calls" min={480}>
            {calls}
          </SplitPanel>
          <SplitHandle label="Width of the catalog" />
          <SplitPanel id="compared-catalog" size={320} min={240} max={560} keepsPixels>
            {catalog}
          </SplitPanel>
        </Split>
      ) : (
        <div className="min-h-0 flex-1">{part === 'calls' ? calls : catalog}</div>
      )}
    </div>
  );
}

function RunHead({
  paneId,
  title,
  comparison,
  sides,
  onAgain,
  switcher,
}: {
  readonly paneId: string;
  readonly title: string;
  readonly comparison: OpenComparison;
  readonly sides: ComparedSides;
  readonly onAgain: (() => void) | null;
  readonly switcher: ReactNode;
}) {
  const { counts, classes } = comparison;
  const differ = differingClasses.reduce((sum, name) => sum + counts[name], 0);
  const p95 = p95Change(comparison);
  const quiet = [
    counts.skipped === 0 ? null : `${formatCount(counts.skipped)} skipped`,
    counts.noise === 0 ? null : `${formatQuantity(counts.noise, 'call')} with ignored noise`,
    sides.replay === null ? null : `took ${formatRunTime(sides.replay.duration)}`,
  ].filter((one) => one !== null);
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line py-2 pr-3 pl-4">
      <div className="min-w-[260px] flex-1">
        <h2 title={title} className="truncate text-lg leading-5 font-semibold">
          {title}
        </h2>
        <p className="mt-0.5 flex gap-x-1.5 overflow-hidden whitespace-nowrap tabular-nums">
          <Figures
            figures={[
              [formatQuantity(classes.length, 'call'), 'font-medium'],
              [
                differ === 0 ? 'none differs' : `${formatCount(differ)} differ`,
                differ === 0 ? 'font-medium text-in' : 'font-medium',
              ],
              counts.breaking === 0
                ? null
                : [`${formatCount(counts.breaking)} breaking`, 'font-medium text-err'],
              p95 === null ? null : [`p95 ${changeText(p95)}`, cx('font-medium', toneOfChange(p95))],
            ]}
          />
          {quiet.length > 0 && (
            <span title={quiet.join(', ')} className="min-w-0 truncate pl-1.5 text-mute">
              {quiet.join(', ')}
            </span>
          )}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {switcher}
        <RulesPopover paneId={paneId} sessionId={sides.recorded} comparisonId={comparison.id} />
        <ExportMenu comparisonId={comparison.id} title={title} />
        <Button icon={<GitCompare aria-hidden className="size-3.5" />} onClick={() => showSetup(paneId)}>
          Change…
        </Button>
        {sides.replay === null ? (
          <>
            <Button
              icon={<ArrowLeftRight aria-hidden className="size-3.5" />}
              onClick={() => void compare(paneId, { ...sides, recorded: sides.other, other: sides.recorded })}
            >
              Swap
            </Button>
            <Button
              variant="primary"
              icon={<RefreshCw aria-hidden className="size-3.5" />}
              onClick={() => void compare(paneId, sides)}
            >
              Compare again
            </Button>
          </>
        ) : (
          <Button
            variant="primary"
            disabled={onAgain === null}
            icon={<RefreshCw aria-hidden className="size-3.5" />}
            onClick={() => onAgain?.()}
          >
            Replay again
          </Button>
        )}
      </div>
    </div>
  );
}

function Figures({
  figures,
}: {
  readonly figures: readonly (readonly [text: string, className: string] | null)[];
}) {
  return figures
    .filter((figure) => figure !== null)
    .map(([text, className], index) => (
      <span key={text} className="flex shrink-0 gap-1.5">
        {index > 0 && (
          <span aria-hidden className="text-faint">
            ·
          </span>
        )}
        <span className={className}>{text}</span>
      </span>
    ));
}

const formats: readonly { readonly format: ReportFormat; readonly label: string; readonly end: string }[] = [
  { format: 'junit', label: 'JUnit', end: 'xml' },
  { format: 'sarif', label: 'SARIF 2.1.0', end: 'sarif' },
  { format: 'json', label: 'JSON', end: 'json' },
];

function ExportMenu({ comparisonId, title }: { readonly comparisonId: string; readonly title: string }) {
  const save = async (format: ReportFormat, end: string): Promise<void> => {
    const { text } = await call('comparison/report', { comparisonId, format, gate: 'any' });
    saveFile(`${title}.${end}`, text);
  };
  return (
    <Menu
      trigger={<Button icon={<Download aria-hidden className="size-3.5" />}>Export</Button>}
      entries={formats.map(({ format, label, end }) => ({
        label,
        onSelect: () => {
          save(format, end).catch((error: unknown) => toastFault(faultOf(error)));
        },
      }))}
    />
  );
}
