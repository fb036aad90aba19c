import type { Handlers } from '#shared/contract/index.ts';
import type { Redaction as RedactionOptions } from '#shared/contract/exports.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { chosenRows, type TraceFeed } from '#trace/trace-feed.ts';
import { exportPath, makeSuggestedFolder, suggestPath } from './export-path.ts';
import { type Exported, exportTo } from './export.ts';
import { FileOutput, nowhere } from './output.ts';
import { Source } from './source.ts';
import { SecretScan } from './secret-scan.ts';

type ExportHandlers = Pick<Handlers, Extract<keyof Handlers, `exports/${string}`>>;

/** Answers the commands that take a trace out of the app. */
export function exportHandlers(feed: TraceFeed): ExportHandlers {
  const { trace } = feed;
  let scan: SecretScan | undefined;
  /** Of several previews only the last is wanted: each looks through the whole trace. */
  let lastPreview = 0;

  async function source(rows: RowChoice, options: RedactionOptions, check: () => void): Promise<Source> {
    if (scan === undefined || !scan.isFor(options)) scan = new SecretScan(trace, options);
    const own = scan;
    const chosen = await chosenRows(feed, rows);
    // A session may go on: what comes from here on has not been looked through, and is left out.
    const { size } = trace.file;
    await own.catchUp(check);
    return new Source(trace, chosen, size, own.redaction, check);
  }

  return {
    'exports/preview': async ({ rows, format, redaction }) => {
      const preview = ++lastPreview;
      const check = () => {
        if (preview !== lastPreview) throw new FaultError(superseded);
      };
      const from = await source(rows, redaction, check);
      const { entries, leftOut, removals, removed } = await exportTo(from, format, nowhere);
      return { entries, leftOut, removals, removed, ...from.findings() };
    },
    'exports/suggest': async ({ format }) => ({ path: await suggestPath(trace.file.path, format) }),
    'exports/write': async ({ rows, format, redaction, path: written }) => {
      const path = exportPath(written, format);
      const from = await source(rows, redaction, () => undefined);
      await makeSuggestedFolder(trace.file.path, path);
      let exported: Exported | undefined;
      const bytes = await FileOutput.fill(path, async (output) => {
        exported = await exportTo(from, format, output);
      });
      const { entries = 0, leftOut = 0, removed = 0 } = exported ?? {};
      return { path, entries, leftOut, bytes, removed, ...from.findings() };
    },
  };
}

const superseded = {
  code: 'superseded',
  what: 'Another preview was asked for before this one was done.',
};
