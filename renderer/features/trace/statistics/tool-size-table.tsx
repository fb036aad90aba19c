import type { ToolSize } from '#shared/contract/trace.ts';
import { formatBytes, formatCount } from '#shared/format.ts';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type FigureColumn, FigureTable } from './figure-table.tsx';

/** What the definition of each tool costs a model that is given the list. */
export function ToolSizeTable({
  tools,
  onOpenRow,
}: {
  readonly tools: readonly ToolSize[];
  readonly onOpenRow: (row: number) => void;
}) {
  const bytes = tools.reduce((sum, tool) => sum + tool.bytes, 0);
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  return (
    <section aria-label="Tool definitions" className="mt-5">
      <h3 className="caption mb-1">
        Tool definitions{' '}
        <span className="font-normal tracking-normal normal-case">
          {formatBytes(bytes)}, about {formatCount(tokens)} tokens of a model’s context
        </span>
      </h3>
      <FigureTable
        label="Sizes of tool definitions"
        columns={toolColumns}
        rows={tools}
        keyOf={({ name }) => name}
        act={onOpenRow}
      />
    </section>
  );
}

const toolColumns: readonly FigureColumn<ToolSize, (row: number) => void>[] = [
  { label: 'tool', show: ({ name }) => <span className="mono">{visibleLine(name)}</span> },
  { label: 'bytes', show: ({ bytes }) => formatBytes(bytes), figure: ({ bytes }) => bytes },
  {
    label: 'tokens',
    hint: 'An estimate: four characters a token',
    show: ({ tokens }) => `≈ ${formatCount(tokens)}`,
    figure: ({ tokens }) => tokens,
  },
  { label: 'listed in', show: ({ row }, onOpenRow) => <RowLink row={row} onOpen={() => onOpenRow(row)} /> },
];
