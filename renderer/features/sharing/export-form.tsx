import { CircleCheck } from 'lucide-react';
import { useEffect, useRef, useState, useCallback } from 'react';
import { call } from '#bridge';
import { faultOf } from '#model/faults.ts';
import { useCommands, useShortcut } from '#model/commands.ts';
import { isOnDesktop, showInFolder } from '#model/desktop.ts';
import { chooseExport, closeExport, useExportChoices, useExportSubject } from '#model/exports.ts';
import type { OpenExport } from '#model/selection.ts';
import { changeSettings, useSettings } from '#model/settings.ts';
import { openTrace } from '#model/traces.ts';
import { useQuery } from '#model/use-query.ts';
import { type ExportFormat, exportFormats, type StderrChoice } from '#shared/contract/exports.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, TextField } from '#ui/field.tsx';
import { FormHeader } from '#ui/form-header.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { contentOf, rowsInWords } from './formats.ts';
import { Preview, usePreview, type ExportParams } from './preview.tsx';
import { newDraft, type PatternDraft, patternsOf, RedactionFields } from './redaction-fields.tsx';
import { FormatFields, chosenRows, type ShownRows, RowFields } from './export-fields.tsx';

const EXPORT_KEYS = 'Mod+Enter';

/** Writes a trace to a file to share. Replaces the pane, so that the trace stays in view. */
export function ExportForm({
  exporting,
  filter,
}: {
  readonly exporting: OpenExport;
  /** The rows that match the current filter of the trace; null without one. */
  readonly filter: ShownRows | null;
}) {
  const { sessionId, rows: preselected } = exporting;
  const subject = useExportSubject(sessionId);
  const { of: choice, format, redacts: isOn, stderr } = useExportChoices();
  const [drafts, setDrafts] = useState<readonly PatternDraft[]>(() =>
    useSettings.getState().redactionPatterns.map(newDraft),
  );
  const { path, write, renew } = useExportPath(sessionId, format);
  const [written, setWritten] = useState<Written | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [isWriting, setWriting] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useFocusIn(form);

  const rows = chosenRows(choice, preselected, filter);
  const patterns = isOn ? patternsOf(drafts) : [];
  const isFiltering = rows.of === 'filter' && filter?.isDone === false;
  const unavailableReason =
    patterns === null
      ? 'The preview appears once all patterns are valid.'
      : isFiltering
        ? 'The filter is still running…'
        : null;
  const offersStderr = format === 'mcptrace' && rows.of !== 'all' && subject?.transport === 'stdio';
  const exportParams: ExportParams | null =
    patterns === null || unavailableReason !== null
      ? null
      : {
          sessionId,
          rows,
          format,
          redaction: { isOn, patterns },
          ...(offersStderr && { stderr: stderrParam(stderr) }),
        };
  const preview = usePreview(
    subject === null ? null : exportParams,
    rows.of === 'filter' ? filter?.matches : null,
  );

  // Before a choice the preview decides, and until it has, nobody knows what the file would get.
  const isStderrKnown = stderr !== null || (exportParams !== null && !preview.isLoading);
  const hasStderr = stderr ?? (isStderrKnown && preview.preview?.hasStderr === true);

  const keepPatterns = (now: readonly PatternDraft[]) => {
    const redactionPatterns = patternsOf(now);
    if (redactionPatterns !== null) reportFault(changeSettings({ redactionPatterns }));
  };
  const canWrite =
    subject !== null &&
    exportParams !== null &&
    (isStderrKnown || !offersStderr) &&
    path.trim() !== '' &&
    !isWriting;
  const save = async () => {
    if (!canWrite) return;
    setWriting(true);
    setFault(null);
    setWritten(null);
    try {
      const result = await call('exports/write', {
        ...exportParams,
        ...(offersStderr && { stderr: stderrParam(hasStderr) }),
        path: path.trim(),
      });
      setWritten({ format, of: rows.of, result });
      renew();
    } catch (error) {
      setFault(faultOf(error));
    } finally {
      setWriting(false);
    }
  };
  // Its keys work where the form has the focus, which it takes when it opens.
  useCommands(
    canWrite
      ? [
          {
            id: 'trace.write-export',
            title: 'Write the export',
            group: 'Trace',
            shortcut: EXPORT_KEYS,
            within: () => form.current,
            keywords: ['save', 'file'],
            run: () => void save(),
          },
        ]
      : [],
  );
  const exportKeys = useShortcut('trace.write-export', EXPORT_KEYS);
  const open = async (at: string) => {
    try {
      await openTrace(at);
    } catch (error) {
      setFault(faultOf(error));
    }
  };

  if (subject === null) {
    return (
      <EmptyState title="This trace is no longer open" actions={<Button onClick={closeExport}>Close</Button>}>
        Open it again to export it.
      </EmptyState>
    );
  }
  return (
    <form
      ref={form}
      aria-label="Export"
      noValidate
      tabIndex={-1}
      className="flex h-full min-h-0 flex-col outline-none"
      onSubmit={(submit) => {
        submit.preventDefault();
        void save();
      }}
      onKeyDown={(press) => {
        if (press.key !== 'Escape' || press.defaultPrevented) return;
        closeExport();
        press.preventDefault();
      }}
    >
      <FormHeader title={`Export the trace of ${visibleLine(subject.name)}`}>
        <Button variant="quiet" size="small" onClick={closeExport}>
          Close
        </Button>
        <Button type="submit" variant="primary" size="small" shortcut={exportKeys} disabled={!canWrite}>
          {isWriting ? 'Exporting…' : 'Export'}
        </Button>
      </FormHeader>
      <div className="hides-when-collapsed min-h-0 flex-1 overflow-auto">
        <div className="grid max-w-[1180px] gap-x-8 gap-y-3.5 px-4 py-3.5 lg:grid-cols-[minmax(300px,2fr)_minmax(360px,3fr)]">
          {fault && <FaultCard fault={fault} className="lg:col-span-2" />}
          {written && (
            <div className="lg:col-span-2">
              <Outcome written={written} onOpen={() => void open(written.result.path)} />
            </div>
          )}
          <div className="lg:col-span-2">
            <TextField
              label="File"
              mono
              value={path}
              onChange={write}
              note={
                written !== null && path !== written.result.path
                  ? 'A new name for the next export, which never overwrites an existing file.'
                  : 'Creates a new file; never overwrites an existing one.'
              }
            />
          </div>
          <div className="flex min-w-0 flex-col gap-3.5">
            <RowFields
              preselected={preselected}
              filter={filter}
              total={subject.rows}
              chosen={rows.of}
              onChange={(of) => chooseExport({ of })}
            />
            {offersStderr && (
              <Checkbox
                label="With the standard error during these calls"
                checked={hasStderr}
                ref={(input) => {
                  if (input !== null) input.indeterminate = !isStderrKnown;
                }}
                onChange={(isWith) => chooseExport({ stderr: isWith })}
              />
            )}
            <FormatFields
              subject={subject}
              format={format}
              onChange={(chosen) => chooseExport({ format: chosen })}
            />
          </div>
          <div className="flex min-w-0 flex-col gap-3.5">
            <RedactionFields
              isOn={isOn}
              onToggle={(redacts) => chooseExport({ redacts })}
              drafts={drafts}
              onChange={setDrafts}
              onCommit={keepPatterns}
            />
            <Preview state={preview} unavailableReason={unavailableReason} sessionId={sessionId} />
          </div>
        </div>
      </div>
    </form>
  );
}

const stderrParam = (choice: boolean | null): StderrChoice => {
  if (choice === null) return 'if-failed';
  return choice ? 'with' : 'without';
};

/** Moves the focus into the form when it opens, and back when it closes. */
function useFocusIn(form: { readonly current: HTMLFormElement | null }): void {
  useEffect(() => {
    const before = document.activeElement;
    // The menu or palette that opened it restores the focus first.
    const frame = requestAnimationFrame(() =>
      (form.current?.querySelector<HTMLElement>('input:checked') ?? form.current)?.focus(),
    );
    return () => {
      cancelAnimationFrame(frame);
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
    };
  }, [form]);
}

interface Written {
  readonly format: ExportFormat;
  readonly of: RowChoice['of'];
  readonly result: Result<'exports/write'>;
}

/** Where an export was written, and what it contains. */
function Outcome({
  written: { format, of, result },
  onOpen,
}: {
  readonly written: Written;
  readonly onOpen: () => void;
}) {
  const { path, bytes, removed } = result;
  const rows = rowsInWords(format, of, result);
  const facts = [
    rows === null ? contentOf(format, result) : `${contentOf(format, result)} (${rows})`,
    formatBytes(bytes),
    removed === 0 ? 'nothing replaced' : `${formatQuantity(removed, 'value')} replaced`,
  ];
  return (
    <section
      role="status"
      aria-label="Exported"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-ui border border-line border-l-2 border-l-in bg-panel px-3 py-2"
    >
      <CircleCheck aria-hidden className="size-3.5 shrink-0 text-in" />
      <span className="font-medium">Exported</span>
      <PlainText text={path} inline className="mono min-w-0" />
      <span className="text-mute">{facts.join(' · ')}</span>
      <span className="ml-auto flex flex-wrap gap-2">
        <CopyButton text={path} label="Copy path" withWord />
        {isOnDesktop() && (
          <Button size="small" onClick={() => reportFault(showInFolder(path))}>
            Show in folder
          </Button>
        )}
        {format === 'mcptrace' && (
          <Button size="small" onClick={onOpen}>
            Open
          </Button>
        )}
      </span>
    </section>
  );
}

/** The path of an export: suggested for its format, until the user edits it. */
interface ExportPath {
  readonly path: string;
  readonly write: (path: string) => void;
  /** Suggests another path, because a file was written to this one. */
  readonly renew: () => void;
}

function useExportPath(sessionId: string, format: ExportFormat): ExportPath {
  const typed = useExportChoices(({ path }) => path);
  const [turn, setTurn] = useState(0);
  // Without a suggestion the user types the path.
  const { latest: suggestion } = useQuery(JSON.stringify([sessionId, format, turn]), () =>
    call('exports/suggest', { sessionId, format }),
  );
  return {
    path: typed === null ? (suggestion?.path ?? '') : withExtension(typed, format),
    write: (path) => chooseExport({ path }),
    renew: useCallback(() => {
      const { path } = useExportChoices.getState();
      chooseExport({ path: path && numbered(path) });
      setTurn((now) => now + 1);
    }, []),
  };
}

/** A typed path with the next number before its extension: `a.jsonl`, `a-2.jsonl`, `a-3.jsonl`. */
function numbered(path: string): string {
  const [, start = '', number = '1', extension = ''] =
    /^(.*?)(?:-(\d{1,6}))?(\.[^./\\]*)?$/s.exec(path) ?? [];
  return `${start}-${Number(number) + 1}${extension}`;
}

/** Replaces the extension of another format. */
function withExtension(path: string, format: ExportFormat): string {
  const other = exportFormats.find((one) => one !== format && path.toLowerCase().endsWith(`.${one}`));
  return other === undefined ? path : `${path.slice(0, -other.length)}${format}`;
}
