import { Check, ChevronRight, Minus, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { openEditor } from '#model/selection.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import { type CapabilityRow, capabilityRows } from '#shared/protocol/capabilities.ts';
import { formatCount } from '#shared/format.ts';
import { wrongDeclarations } from '#shared/wrong-declarations.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The capabilities of both sides. They stay on screen when the session has ended. */
export function Capabilities({
  serverId,
  agreement,
}: {
  /** Null for a recorded session, whose client cannot be changed. */
  readonly serverId: string | null;
  readonly agreement: Agreement;
}) {
  const { revision, serverCapabilities, clientCapabilities } = agreement;
  return (
    <>
      <CapabilityTable
        side="server"
        capabilities={serverCapabilities}
        revision={revision}
        isWrong={wrongDeclarations(agreement).some(({ path }) => path === '')}
      />
      <CapabilityTable
        side="client"
        capabilities={clientCapabilities}
        revision={revision}
        action={
          serverId !== null && (
            <Button variant="quiet" size="small" onClick={() => openEditor(serverId, 'client')}>
              Change…
            </Button>
          )
        }
      />
    </>
  );
}

/** The capabilities of one side: whether they are declared, their meaning, first revision and value. */
export function CapabilityTable({
  side,
  capabilities,
  revision,
  isWrong = false,
  action,
}: {
  readonly side: keyof typeof sides;
  /** Null if unknown. */
  readonly capabilities: Readonly<Record<string, unknown>> | null;
  readonly revision: string;
  /** Whether they were declared, but as something else than an object. */
  readonly isWrong?: boolean;
  /** A button beside the title. */
  readonly action?: ReactNode;
}) {
  const { title, whose } = sides[side];
  return (
    <section aria-label={title}>
      <div className="mb-1 flex items-center justify-between gap-2">
        <h3 className="caption">
          {title} <span className="font-normal tracking-normal normal-case">{whose}</span>
        </h3>
        {action}
      </div>
      {capabilities === null ? (
        <p className={isWrong ? 'text-warn' : 'text-mute'}>
          {isWrong
            ? 'Wrongly declared: the capabilities of the server are no object. Its tools were requested all the same.'
            : 'Unknown: the modern era does not require discovery, and the server did not answer it.'}
        </p>
      ) : (
        <Table rows={capabilityRows(side, capabilities, revision)} revision={revision} />
      )}
    </section>
  );
}

const sides = {
  server: { title: 'Server capabilities', whose: 'declared by the server' },
  client: { title: 'Client capabilities', whose: 'declared by Sightglass' },
} as const;

/** A line for each declared feature and for what needs a word; all of it, with what is not declared, when unfolded. */
function Table({ rows, revision }: { readonly rows: readonly CapabilityRow[]; readonly revision: string }) {
  const [isWhole, setWhole] = useState(false);
  const missing = rows.filter(({ declared }) => declared === 'no').map(({ path }) => visibleLine(path));
  const worthAWord = rows.filter(
    (row) => row.declared !== 'no' && (isUnusual(row) || depthOf(row, rows) === 0),
  );
  const isFolded = !isWhole && worthAWord.length < rows.length;
  const shown = isWhole ? rows : worthAWord;
  return (
    <>
      {shown.length > 0 && (
        <table className="w-full table-fixed border-collapse text-left">
          <thead>
            <tr className="h-row border-b border-line text-xs text-faint">
              <th className="w-16 font-normal">declared</th>
              <th className="w-[31%] font-normal">capability</th>
              <th className="font-normal">means</th>
              {isWhole && <th className="w-[92px] font-normal">since</th>}
              <th className="w-16 font-normal">value</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row
                key={row.path}
                row={row}
                depth={isWhole ? depthOf(row, rows) : 0}
                parts={isWhole ? null : partsOf(row, rows)}
                revision={revision}
              />
            ))}
          </tbody>
        </table>
      )}
      {(isWhole || isFolded) && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
          className="flex min-h-row w-full items-center gap-1 rounded-sm text-left text-mute hover:bg-hover"
        >
          <ChevronRight aria-hidden className={cx('size-3.5 shrink-0 text-faint', isWhole && 'rotate-90')} />
          <span className="shrink-0">{isWhole ? 'Show fewer' : `Show all ${formatCount(rows.length)}`}</span>
          {isFolded && missing.length > 0 && (
            <span className="min-w-0 truncate text-faint">
              · not declared: <span className="mono">{missing.join(', ')}</span>
            </span>
          )}
        </button>
      )}
    </>
  );
}

/** Whether it is wrongly declared, the revision does not have it, or no revision knows it. */
const isUnusual = ({ inRevision, since, wrong }: CapabilityRow): boolean =>
  wrong !== null || !inRevision || since === null;

/** What is declared below a capability and has no line of its own, by its last names. */
const partsOf = ({ path }: CapabilityRow, rows: readonly CapabilityRow[]): string[] =>
  rows
    .filter((row) => row.path.startsWith(`${path}.`) && row.declared === 'yes' && !isUnusual(row))
    .map((row) => visibleLine(row.path.slice(path.length + 1)));

function Row({
  row,
  depth,
  parts,
  revision,
}: {
  readonly row: CapabilityRow;
  readonly depth: number;
  /** Named behind its meaning; null if they have lines of their own, and it says since when there is such a capability. */
  readonly parts: readonly string[] | null;
  readonly revision: string;
}) {
  const [isExpanded, setExpanded] = useState(false);
  const isDeclared = row.declared === 'yes';
  const isWrong = row.declared === 'wrong';
  const raw = row.value === undefined ? '' : JSON.stringify(row.value);
  const isLong = raw.length > 8;
  return (
    <>
      <tr className={cx('h-row leading-6 hover:bg-hover', row.declared === 'no' && 'text-faint')}>
        <td>
          <span className={cx('flex items-center gap-1', isDeclared && 'text-in', isWrong && 'text-warn')}>
            {isWrong ? (
              <TriangleAlert aria-hidden className="size-3.5" />
            ) : isDeclared ? (
              <Check aria-hidden className="size-3.5" />
            ) : (
              <Minus aria-hidden className="size-3.5" />
            )}
            {row.declared}
          </span>
        </td>
        <td className="mono truncate" title={visibleLine(row.path)} style={{ paddingLeft: depth * 12 }}>
          {visibleLine(row.path)}
        </td>
        <td className="truncate text-mute" title={[row.wrong ?? row.means, ...(parts ?? [])].join(', ')}>
          {row.inRevision && row.wrong !== null ? (
            <span className="text-warn">wrongly declared: {row.wrong}</span>
          ) : row.inRevision ? (
            <>
              {row.means}
              {parts !== null && parts.length > 0 && (
                <span className="mono ml-1 text-faint"> {parts.join(', ')}</span>
              )}
            </>
          ) : (
            <span className="flex items-center gap-1 text-warn">
              <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
              not in {visibleLine(revision)}
            </span>
          )}
        </td>
        {parts === null && <td className="mono text-mute">{row.since ?? '–'}</td>}
        <td className="mono">
          {isLong ? (
            <button
              type="button"
              aria-expanded={isExpanded}
              onClick={() => setExpanded(!isExpanded)}
              aria-label={`Value of ${row.path}`}
              className="flex h-row items-center text-mute hover:text-text"
            >
              <ChevronRight aria-hidden className={cx('-ml-0.5 size-3.5', isExpanded && 'rotate-90')} />
              {'{…}'}
            </button>
          ) : (
            raw
          )}
        </td>
      </tr>
      {isExpanded && (
        <tr>
          <td colSpan={parts === null ? 5 : 4} className="pb-2 pl-16">
            <JsonText raw={raw} className="rounded-ui border border-line bg-raise px-2.5 py-1.5" />
          </td>
        </tr>
      )}
    </>
  );
}

/** The number of its ancestors among the rows. */
const depthOf = ({ path, since }: CapabilityRow, rows: readonly CapabilityRow[]): number =>
  since === null ? 0 : rows.filter((other) => path.startsWith(`${other.path}.`)).length;

/** The server's instructions. */
export function Instructions({ agreement }: { readonly agreement: Agreement }) {
  const { instructions } = agreement;
  if (instructions === null) return null;
  return (
    <section aria-label="Instructions">
      <h3 className="caption mb-1.5">
        Instructions <span className="font-normal tracking-normal normal-case">in the server’s words</span>
      </h3>
      <div className="rounded-ui border border-line bg-raise px-2.5 py-2 leading-[1.5]">
        <PlainText text={instructions} />
      </div>
    </section>
  );
}
