import { mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { numberedNames } from '#trace/numbered-names.ts';
import type { ExportFormat, Removal, RowsOfFile } from '#shared/contract/exports.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Handlers, Params } from '#shared/contract/index.ts';
import { chosenRows, type TraceFeed } from '#trace/trace-feed.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { writeFlows } from './flow/write-flows.ts';
import { writeHar } from './har/har.ts';
import { writeMessages } from './jsonl.ts';
import { writeTrace } from './mcptrace.ts';
import {
  FileOutput,
  noAdditions,
  nowhere,
  type Counts,
  type Output,
  type TraceFileOptions,
} from './output.ts';
import { writeReport } from './report.ts';
import { SecretScan } from './secret-scan.ts';
import { Source } from './source.ts';
import { hasFailedCall } from './stderr-of-calls.ts';
import { wholeExchanges } from './whole-exchanges.ts';
import { Turns } from '#transports/async.ts';

type SourceParams = Pick<Params<'exports/preview'>, 'rows' | 'redaction' | 'isWhole' | 'format' | 'stderr'>;
type ExportHandlers = Pick<Handlers, Extract<keyof Handlers, `exports/${string}`>>;

/** The authorization flows of a session, running or recorded. */
export type SessionFlows = () => readonly AuthorizationFlow[] | Promise<readonly AuthorizationFlow[]>;

/** Handles the export commands. */
export function exportHandlers(feed: TraceFeed, flows: SessionFlows = () => []): ExportHandlers {
  const { trace } = feed;
  let scan: SecretScan | undefined;
  /** Only the last of several previews counts: each reads the whole trace. */
  let lastPreview = 0;

  async function source(
    { rows, redaction: options, isWhole = false, format, stderr = 'without' }: SourceParams,
    check: () => void,
  ): Promise<{ from: Source; rows: Pick<RowsOfFile, 'listed' | 'chosen'>; file: TraceFileOptions }> {
    if (scan === undefined || !scan.isFor(options)) scan = new SecretScan(trace, options);
    const own = scan;
    // The page may end its filter while the export runs.
    const filter = rows.of === 'filter' ? feed.filter(rows.filterId) : null;
    const text = rows.of === 'filter' ? feed.filterText(rows.filterId) : null;
    const chosen = await chosenRows(feed, rows);
    const listed = filter?.matches ?? chosen.count;
    const extent = {
      size: trace.file.size,
      rows: trace.index.columns.count,
      isAll: rows.of === 'all',
    };
    await own.catchUp(check);
    const exported = isWhole
      ? await wholeExchanges(trace.index.columns, chosen, extent.rows, new Turns())
      : chosen;
    return {
      from: new Source(trace, exported, extent, own.redaction, check),
      rows: { listed, chosen: exported.count },
      file: {
        // The user may have typed a secret that is in no message.
        filter: trace.redacted(text),
        hasStderr:
          format === 'mcptrace' &&
          (stderr === 'with' || (stderr === 'if-failed' && hasFailedCall(trace.index.columns, chosen))),
      },
    };
  }

  return {
    'exports/preview': async (params) => {
      const preview = ++lastPreview;
      const check = () => {
        if (preview !== lastPreview) throw new FaultError(superseded);
      };
      const { from, rows, file } = await source(params, check);
      const { additions, ...exported } = await exportTo(from, params.format, nowhere, file);
      const { hasStderr } = file;
      return { ...exported, ...rows, ...additions, hasStderr, ...from.findings() };
    },
    'exports/suggest': async ({ format, flow }) => ({
      path: await suggestPath(trace.file.path, format, flow),
    }),
    'exports/write-flow': async ({ flowId, format, patterns, ...params }) => {
      const written = (await flows()).filter(({ id }) => flowId === null || id === flowId);
      if (written.length === 0) throw new FaultError(noSuchFlow);
      const path = exportPath(params.path, format);
      const redaction = { isOn: true, patterns };
      const asked = { rows: { of: 'all' }, format, redaction } as const;
      const { from } = await source(asked, () => undefined);
      await makeSuggestedFolder(trace.file.path, path);
      let entries = 0;
      const bytes = await FileOutput.fill(path, async (output) => {
        entries = await writeFlows(format, { flows: written, from, output });
      });
      return { path, entries, bytes, removed: from.removals.count };
    },
    'exports/write': async ({ path: written, ...params }) => {
      const { format } = params;
      const path = exportPath(written, format);
      const { from, rows, file } = await source(params, () => undefined);
      await makeSuggestedFolder(trace.file.path, path);
      let exported: Exported | undefined;
      const bytes = await FileOutput.fill(path, async (output) => {
        exported = await exportTo(from, format, output, file);
      });
      const { entries = 0, leftOut = 0, removed = 0, additions = noAdditions } = exported ?? {};
      return { path, entries, leftOut, bytes, removed, ...rows, ...additions, ...from.findings() };
    },
  };
}

const noSuchFlow = { code: 'no-such-flow', what: 'There is no such authorization flow.' };

const superseded = {
  code: 'superseded',
  what: 'Another preview was asked for before this one was done.',
};

const TRACE = '.mcptrace';

/** Suggests a path for an export: a new file, in the downloads folder if there is one. */
async function suggestPath(tracePath: string, format: ExportFormat, flow?: number): Promise<string> {
  const downloads = join(homedir(), 'Downloads');
  const folder = (await isFolder(downloads)) ? downloads : exportsFolder(tracePath);
  const name = basename(tracePath).replace(/\.mcptrace$/i, '');
  // The trace itself may be in that folder.
  const first =
    flow !== undefined ? `${name}-authorization-${flow}` : format === 'mcptrace' ? `${name}-shared` : name;
  for (const free of numberedNames(first, `.${format}`)) {
    const path = join(folder, free);
    if (!(await exists(path))) return path;
  }
  return join(folder, `${first}.${format}`);
}

/** The path that the user entered, with the extension of the format. @throws FaultError if it is relative */
function exportPath(written: string, format: ExportFormat): string {
  const path = written.startsWith('~/') ? join(homedir(), written.slice(2)) : written;
  if (!isAbsolute(path)) {
    throw new FaultError({
      code: 'bad-path',
      what: 'The path of an export must be a whole one, from the root or from ~/ on.',
      next: 'Write the folder too.',
      evidence: written,
    });
  }
  const ending = format === 'mcptrace' ? TRACE : `.${format}`;
  return path.toLowerCase().endsWith(ending) ? path : `${path}${ending}`;
}

/** Creates the suggested folder; any other must exist. */
async function makeSuggestedFolder(tracePath: string, path: string): Promise<void> {
  const folder = exportsFolder(tracePath);
  if (dirname(path) !== folder || (await isFolder(folder))) return;
  // Creating the file reports why that failed.
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
}

/** Traces of the data folder are exported to its `exports` folder, other files to their own folder. */
function exportsFolder(tracePath: string): string {
  const folder = dirname(tracePath);
  return basename(folder) === 'traces' ? join(dirname(folder), 'exports') : folder;
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** The writer of each format. */
const writers: Readonly<
  Record<ExportFormat, (source: Source, output: Output, file: TraceFileOptions) => Promise<Counts>>
> = {
  mcptrace: writeTrace,
  jsonl: writeMessages,
  har: writeHar,
  md: writeReport,
};

/** The exported and the omitted entries. */
interface Exported extends Counts {
  readonly removals: Removal[];
  readonly removed: number;
}

/** Writes the records of a source. @throws FaultError if they cannot be read, written or have this format */
async function exportTo(
  source: Source,
  format: ExportFormat,
  output: Output,
  file: TraceFileOptions,
): Promise<Exported> {
  const counts = await writers[format](source, output, file);
  return { ...counts, removals: source.removals.list, removed: source.removals.count };
}
