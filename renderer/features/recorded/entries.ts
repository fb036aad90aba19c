import { create } from 'zustand';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { OpenedTrace, TraceFileView } from '#shared/contract/traces.ts';
import { formatMinute } from '#shared/format.ts';

/** One recorded trace in the list. */
export interface Entry {
  readonly file: TraceFileView;
  /** Whether the file is in the data folder, where it can be renamed and deleted. */
  readonly isOurs: boolean;
  /** Null while it is not open. */
  readonly opened: OpenedTrace | null;
}

/** The traces of one server on one day. */
export interface EntryGroup {
  readonly server: string;
  /** Such as `today`. */
  readonly day: string;
  readonly entries: readonly Entry[];
}

/** The entries by server, that of the newest entry first, and by day. Milliseconds since the epoch. */
export function groupsOf(entries: readonly Entry[], now: number): EntryGroup[] {
  const servers = grouped(entries, ({ file }) => file.server ?? file.name);
  return servers.flatMap(([server, ofServer]) =>
    grouped(ofServer, ({ file }) => shortDay(file.createdAt, now)).map(([day, ofDay]) => ({
      server,
      day,
      entries: ofDay,
    })),
  );
}

function grouped(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
): [key: string, entries: Entry[]][] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups];
}

/** The entries in which each typed word occurs: in the name, the server, the day or the time. */
export function foundEntries(entries: readonly Entry[], typed: string, now: number): readonly Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter(({ file }) => {
    const { name, server, createdAt } = file;
    const text = [name, server, shortDay(createdAt, now), formatMinute(createdAt)].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/**
 * The entries of the list: open traces from other folders, then those of the data folder. A trace that a session still writes is
 * not among them: its server is in the list of servers.
 */
export function entriesOf(
  files: readonly TraceFileView[],
  opened: readonly OpenedTrace[],
  sessions: Readonly<Record<string, SessionView>>,
): Entry[] {
  const byPath = new Map(opened.map((trace) => [trace.path, trace]));
  const ours = files.flatMap((file) => {
    const session = (file.sessionId !== null && sessions[file.sessionId]) || null;
    if (session !== null) return [];
    const trace = byPath.get(file.path) ?? null;
    byPath.delete(file.path);
    const counts = trace?.isRead ? trace.counts : file;
    return [{ file: { ...file, rows: counts.rows, errors: counts.errors }, isOurs: true, opened: trace }];
  });
  const elsewhere = [...byPath.values()].map((trace) => ({
    file: fileOf(trace),
    isOurs: false,
    opened: trace,
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
    isExcerpt: header.excerpt !== undefined,
    rows: isRead ? counts.rows : null,
    errors: isRead ? counts.errors : null,
    sessionId: null,
    fault: null,
  };
}

/** The default file name: the server, day and time. */
const OWN_NAME = /-\d{8}-\d{6}(?:-\d+)?$/;

/** The name of the server, or of a renamed file. */
export const labelOf = ({ name, server }: Pick<TraceFileView, 'name' | 'server'>): string =>
  server !== null && OWN_NAME.test(name) ? server : name;

/** `38`, `12.4k`, `1.0M`: a count in few digits. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `14:02` */
export const shortTime = (wall: number): string => timeOfDay(new Date(wall));

/** `today`, `yesterday`, `12 Mar` this year, `2024-03-12` before. Milliseconds since the epoch. */
export function shortDay(wall: number, now: number): string {
  const time = new Date(wall);
  const today = new Date(now);
  if (dayOf(time) === dayOf(today)) return 'today';
  if (dayOf(time) === dayOf(new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1))) {
    return 'yesterday';
  }
  if (time.getFullYear() === today.getFullYear()) return `${time.getDate()} ${months[time.getMonth()]}`;
  return dayOf(time);
}

/** The last part of a path. */
export const fileNameOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

const dayOf = (time: Date): string =>
  `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;

const timeOfDay = (time: Date): string => `${pad(time.getHours())}:${pad(time.getMinutes())}`;

const pad = (number: number): string => String(number).padStart(2, '0');

/** What the list asks the user, one prompt at a time. Files are identified by path. */
type Prompt = { readonly what: 'delete' | 'rename'; readonly path: string } | { readonly what: 'keep' };

export const usePrompt = create<{ readonly prompt: Prompt | null }>()(() => ({ prompt: null }));

export const openPrompt = (prompt: Prompt | null): void => usePrompt.setState({ prompt });

/** Closes a prompt, unless another one has replaced it. */
export const closePrompt = (what: Prompt['what']): void =>
  usePrompt.setState(({ prompt }) => ({ prompt: prompt?.what === what ? null : prompt }));
