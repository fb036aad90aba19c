import { useMemo } from 'react';
import type { ComparedSides } from '#model/replay.ts';
import { useSessions } from '#model/sessions.ts';
import { useTraces } from '#model/traces.ts';
import { formatClock, formatMinute } from '#shared/format.ts';
import { visibleLine } from '#ui/visible.ts';

/** A side of a comparison that is known. */
export interface KnownSide {
  readonly server: string;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** `billing-dev 14:02:11`, with the version of the server if a session knows it; the name of a file that was renamed. */
  readonly name: string;
  /** The name of its file, without the extension. */
  readonly file: string;
}

/** The short and the long name of both sides, the left one first. */
export interface SideNames {
  /** Heads of columns: `recorded` and `now` for a replay; else the servers if they differ, the times, or `first` and `second`. */
  readonly heads: readonly [left: string, right: string];
  readonly names: readonly [left: string, right: string];
}

/** What the two sides of a comparison are called, wherever it names them. */
export function useSideNames({ recorded, other, replay }: ComparedSides): SideNames {
  const left = useSide(recorded);
  const right = useSide(other);
  const isReplay = replay !== null;
  return useMemo(
    () => ({
      heads: headsOf(left, right, isReplay),
      names: namesOf(left, right, isReplay),
    }),
    [left, right, isReplay],
  );
}

export function headsOf(
  left: KnownSide | null,
  right: KnownSide | null,
  isReplay: boolean,
): SideNames['heads'] {
  if (isReplay) return ['recorded', 'now'];
  if (left === null || right === null) return ['first', 'second'];
  if (left.server !== right.server) return [left.server, right.server];
  const [days, clocks] = [
    [dayOf(left.at), dayOf(right.at)],
    [clockOf(left.at), clockOf(right.at)],
  ] as const;
  if (days[0] !== days[1]) return [days[0], days[1]];
  if (clocks[0] !== clocks[1]) return [clocks[0], clocks[1]];
  // A recording and its copy began at the same time.
  return left.at === right.at ? ['first', 'second'] : [formatClock(left.at), formatClock(right.at)];
}

export function namesOf(
  left: KnownSide | null,
  right: KnownSide | null,
  isReplay: boolean,
): SideNames['names'] {
  const names = [left?.name ?? 'a closed recording', right?.name ?? 'a closed recording'] as const;
  // The calls of a session may be replayed in itself.
  if (isReplay || left === null || right === null || names[0] !== names[1]) return names;
  return left.file === right.file ? [`${names[0]} (first)`, `${names[1]} (second)`] : [left.file, right.file];
}

/** Null for a recording that was closed. */
function useSide(sessionId: string): KnownSide | null {
  const trace = useTraces(({ opened }) => opened[sessionId]);
  const session = useSessions(({ sessions }) => sessions[sessionId]);
  return useMemo(() => {
    if (trace !== undefined) {
      const { server, createdAt } = trace.header;
      const at = Date.parse(createdAt);
      const name = trace.name.startsWith(server.name) ? `${server.name} ${clockOf(at)}` : trace.name;
      return { server: visibleLine(server.name), at, name: visibleLine(name), file: visibleLine(trace.name) };
    }
    if (session === undefined) return null;
    const { serverName, openedAt: at, agreement, traceFile } = session;
    const version = agreement?.server?.version;
    const name = `${serverName} ${clockOf(at)}${version === undefined ? '' : ` (${version})`}`;
    return {
      server: visibleLine(serverName),
      at,
      name: visibleLine(name),
      file: visibleLine(traceNameOf(traceFile.path)),
    };
  }, [trace, session]);
}

const traceNameOf = (path: string): string => (path.split(/[\\/]/).at(-1) ?? path).replace(/\.mcptrace$/, '');

/** `14:02:11`: two builds of a server may be recorded within a minute. */
export const clockOf = (wall: number): string => formatClock(wall).slice(0, 8);

/** `2026-03-12` */
const dayOf = (wall: number): string => formatMinute(wall).slice(0, 10);
