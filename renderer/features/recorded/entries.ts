import type { SessionView } from '#shared/contract/sessions.ts';
import type { OpenedTrace, TraceFileView } from '#shared/contract/traces.ts';

/** One recorded trace in the list. */
export interface Entry {
  readonly file: TraceFileView;
  /** It lies in the data folder, where it can be renamed and deleted. */
  readonly isOurs: boolean;
  /** What was opened from it. */
  readonly opened: OpenedTrace | null;
  /** The running session that writes it. */
  readonly session: SessionView | null;
}

/** What is listed: traces that were opened from elsewhere, and then those of the data folder. */
export function entriesOf(
  files: readonly TraceFileView[],
  opened: readonly OpenedTrace[],
  sessions: Readonly<Record<string, SessionView>>,
): Entry[] {
  const byPath = new Map(opened.map((trace) => [trace.path, trace]));
  const ours = files.map((file) => {
    const session = (file.sessionId !== null && sessions[file.sessionId]) || null;
    const trace = byPath.get(file.path) ?? null;
    byPath.delete(file.path);
    const counts = session?.counts ?? (trace?.isRead ? trace.counts : file);
    return {
      file: { ...file, rows: counts.rows, errors: counts.errors },
      isOurs: true,
      opened: trace,
      session,
    };
  });
  const elsewhere = [...byPath.values()].map((trace) => ({
    file: fileOf(trace),
    isOurs: false,
    opened: trace,
    session: null,
  }));
  return [...elsewhere, ...ours];
}

function fileOf({ path, name, size, header, counts, isRead }: OpenedTrace): TraceFileView {
  return {
    path,
    name,
    size,
    createdAt: Date.parse(header.createdAt),
    server: header.server.name,
    transport: header.server.transport,
    rows: isRead ? counts.rows : null,
    errors: isRead ? counts.errors : null,
    sessionId: null,
    fault: null,
  };
}

/** What the app calls a file by itself: the server, day and time. */
const OWN_NAME = /-\d{8}-\d{6}(?:-\d+)?$/;

/** What an entry is called: by its server, or by the name that somebody gave the file. */
export const labelOf = ({ name, server }: Pick<TraceFileView, 'name' | 'server'>): string =>
  server !== null && OWN_NAME.test(name) ? server : name;
