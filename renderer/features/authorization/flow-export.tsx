import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { call } from '#bridge';
import { useCommands } from '#model/commands.ts';
import { isOnDesktop, showInFolder } from '#model/desktop.ts';
import { useSettings } from '#model/settings.ts';
import { useAction, useQuery } from '#model/use-query.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { type FlowExportFormat, flowExportFormats } from '#shared/contract/exports.ts';
import type { Result } from '#shared/contract/index.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { TextField } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { reportFault } from '#ui/toaster.tsx';

const formats: Readonly<
  Record<
    FlowExportFormat,
    { readonly label: string; readonly purpose: string; readonly entry: readonly [string, string] }
  >
> = {
  md: {
    label: 'Report (.md)',
    purpose: 'Every step with its request, verdict and findings, as text for an issue.',
    entry: ['step', 'steps'],
  },
  har: {
    label: 'HTTP archive (.har)',
    purpose: 'The exchanges of the flow, each with its step and findings, for HAR viewers.',
    entry: ['exchange', 'exchanges'],
  },
};

/** Writes the flow on screen to a file, without secrets. Of a recorded session too. */
export function FlowExport({ flow }: { readonly flow: AuthorizationFlow }) {
  const [isOpen, setOpen] = useState(false);
  useCommands(
    useMemo(
      () => [
        {
          id: 'authorization.export',
          title: 'Export the authorization flow',
          group: 'Authorization',
          keywords: ['report', 'har', 'save', 'markdown'],
          run: () => setOpen(true),
        },
      ],
      [],
    ),
  );
  return (
    <Popover
      label="Export the flow"
      open={isOpen}
      onOpenChange={setOpen}
      align="end"
      className="w-[440px] max-w-[calc(100vw-16px)]"
      trigger={
        <IconButton size="small" label="Export the flow…">
          <Download aria-hidden className="size-3.5" />
        </IconButton>
      }
    >
      <ExportFields key={flow.id} flow={flow} />
    </Popover>
  );
}

function ExportFields({ flow: { sessionId, id: flowId, number } }: { readonly flow: AuthorizationFlow }) {
  const [format, setFormat] = useState<FlowExportFormat>('md');
  const [typed, setTyped] = useState<string | null>(null);
  const [written, setWritten] = useState<Written | null>(null);
  // After an export the next name is suggested.
  const { latest: suggestion } = useQuery(`${sessionId} ${number} ${format} ${written?.result.path}`, () =>
    call('exports/suggest', { sessionId, format, flow: number }),
  );
  const path = typed ?? suggestion?.path ?? '';
  const write = useAction(async () => {
    setWritten(null);
    const { redactionPatterns: patterns } = useSettings.getState();
    const result = await call('exports/write-flow', {
      sessionId,
      flowId,
      format,
      patterns,
      path: path.trim(),
    });
    setTyped(null);
    setWritten({ format, result });
  });
  const choose = (chosen: FlowExportFormat) => {
    setFormat(chosen);
    setTyped(typed?.replace(/\.(?:md|har)$/i, `.${chosen}`) ?? null);
  };
  return (
    <form
      noValidate
      className="flex flex-col gap-2.5"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (path.trim() !== '' && !write.isRunning) void write.run();
      }}
    >
      <div>
        <Segmented
          label="Format"
          value={format}
          onChange={choose}
          options={flowExportFormats.map((id) => ({ id, label: formats[id].label }))}
        />
        <p className="mt-1 text-mute">{formats[format].purpose}</p>
      </div>
      <TextField
        label="File"
        mono
        value={path}
        onChange={setTyped}
        note="Creates a new file; never overwrites an existing one. Secrets are replaced."
      />
      {write.fault !== null && <FaultCard fault={write.fault} />}
      {written !== null && <Outcome written={written} />}
      <div>
        <Button type="submit" size="small" variant="primary" disabled={path.trim() === '' || write.isRunning}>
          {write.isRunning ? 'Exporting…' : 'Export'}
        </Button>
      </div>
    </form>
  );
}

interface Written {
  readonly format: FlowExportFormat;
  readonly result: Result<'exports/write-flow'>;
}

function Outcome({ written: { format, result } }: { readonly written: Written }) {
  const { path, entries, bytes, removed } = result;
  const facts = [
    formatQuantity(entries, ...formats[format].entry),
    formatBytes(bytes),
    removed === 0 ? 'nothing replaced' : `${formatQuantity(removed, 'value')} replaced`,
  ];
  return (
    <section
      role="status"
      aria-label="Exported"
      className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-ui border border-l-2 border-line border-l-in bg-panel px-2 py-1.5"
    >
      <span className="font-medium">Exported</span>
      <PlainText text={path} inline className="mono min-w-0" />
      <span className="text-mute">{facts.join(' · ')}</span>
      <CopyButton text={path} label="Copy path" />
      {isOnDesktop() && (
        <Button size="small" onClick={() => reportFault(showInFolder(path))}>
          Show in folder
        </Button>
      )}
    </section>
  );
}
