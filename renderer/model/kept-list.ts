import type { PlaceEntry } from '#shared/contract/place.ts';
import { rowSortSchema, traceViews } from '#shared/contract/trace.ts';
import { allOf, anyOf, type Filter, type Term } from '#shared/trace/filter/filter.ts';
import { parseFilter, printFilter } from '#shared/trace/filter/index.ts';
import { keepEntry, keptEntry } from './place.ts';
import { useSessions } from './sessions.ts';
import { useSettings } from './settings.ts';
import type { TraceList } from './trace-filter.ts';
import { tracePathOf } from './traces.ts';

/*
 * What the user lists of a trace: the filter, the view and the order. It is kept by the path of the trace's file. The next
 * session of the server takes over the filter and the order.
 */

const listName = (path: string): string => `list ${path}`;
/** The entry with the list that the user chose last in a session of this server, not in a recording. */
const lastName = (serverId: string): string => `last-list ${serverId}`;

/** What is listed of a trace. */
export interface ListOfTrace {
  readonly list: TraceList;
  /** Whether the filter is that of the previous session of the server. */
  readonly isCarriedOver: boolean;
}

/** What to list of a trace at first. What a session takes over from the previous one is kept as its own. */
export function takeList(sessionId: string): ListOfTrace {
  const path = tracePathOf(sessionId);
  const own = path === undefined ? undefined : keptEntry(listName(path));
  if (own !== undefined) return { list: listFrom(own), isCarriedOver: own.chosen.isCarriedOver === true };
  const session = useSessions.getState().sessions[sessionId];
  const last = session && keptEntry(lastName(session.serverId));
  const list = last && listFrom(last);
  const text = list === undefined ? '' : carriedFilter(list.text);
  const isCarriedOver = text !== '' || (list !== undefined && list.sort !== null);
  const first: ListOfTrace = {
    list: { text, viewName: useSettings.getState().traceView, sort: list?.sort ?? null },
    isCarriedOver,
  };
  if (isCarriedOver && path !== undefined) keepEntry(listName(path), entryFrom(first, session?.serverId));
  return first;
}

/** Keeps what is listed of a trace now. @param change what of it the user has just changed */
export function keepList(sessionId: string, listed: ListOfTrace, change: Partial<TraceList>): void {
  const path = tracePathOf(sessionId);
  if (path === undefined) return;
  const session = useSessions.getState().sessions[sessionId];
  const own = keptEntry(listName(path));
  const entry = entryFrom(listed, session?.serverId ?? own?.serverId);
  // Until the user switches the view here, it is that of the settings.
  const hasView = change.viewName !== undefined || own?.chosen.view !== undefined;
  const { viewName } = listed.list;
  keepEntry(listName(path), hasView ? { ...entry, chosen: { ...entry.chosen, view: viewName } } : entry);
  if (session !== undefined) {
    const { list } = listed;
    keepEntry(lastName(session.serverId), entryFrom({ list, isCarriedOver: false }, session.serverId));
  }
}

/** The entry of a list, without its view. */
const entryFrom = ({ list, isCarriedOver }: ListOfTrace, serverId: string | null = null): PlaceEntry => ({
  serverId,
  chosen: { ...(isCarriedOver && { isCarriedOver }), ...list.sort },
  typed: { filter: list.text },
});

function listFrom({ chosen, typed }: PlaceEntry): TraceList {
  return {
    text: typed.filter ?? '',
    viewName: traceViews.find((name) => name === chosen.view) ?? useSettings.getState().traceView,
    sort: rowSortSchema.safeParse(chosen).data ?? null,
  };
}

/**
 * A filter for the next session of the server, without the terms that name something of one session. There they would hide
 * every row, or choose others than the user meant.
 */
export function carriedFilter(text: string): string {
  const parsed = parseFilter(text);
  // What is not a valid filter yet hides nothing.
  if (!parsed.ok) return text;
  const carried = carriedPart(parsed.filter, false);
  if (carried === parsed.filter) return text;
  return carried === null ? '' : printFilter(carried);
}

/**
 * The same filter if all of it is carried over, null if nothing is.
 *
 * @param isExcluded whether it says which rows are hidden: dropping one of its conditions would hide more rows
 */
function carriedPart(filter: Filter, isExcluded: boolean): Filter | null {
  if (filter.type === 'term') return isOfOneSession(filter.term) ? null : filter;
  if (filter.type === 'not') {
    const part = carriedPart(filter.part, !isExcluded);
    if (part === filter.part) return filter;
    return part && { type: 'not', part };
  }
  const parts = filter.parts.map((part) => carriedPart(part, isExcluded));
  if (parts.every((part, place) => part === filter.parts[place])) return filter;
  const [first, ...others] = parts.filter((part) => part !== null);
  if (first === undefined) return null;
  if (filter.type === 'or') return anyOf([first, ...others]);
  return isExcluded && parts.includes(null) ? null : allOf([first, ...others]);
}

/**
 * Decided by the field. Rows, exchanges and requests are counted from 1 in each session, and marks belong to one trace.
 * Absolute times belong to one session; times relative to the end do not.
 */
function isOfOneSession(term: Term): boolean {
  if (term.field === 'since' || term.field === 'until') return term.instant.type !== 'ago';
  if (term.field === 'is') return term.values.includes('marked');
  return fieldsOfOneSession[term.field];
}

const fieldsOfOneSession: Readonly<Record<Exclude<Term['field'], 'since' | 'until' | 'is'>, boolean>> = {
  row: true,
  exchange: true,
  id: true,
  // The name of the server is allowed here too, but every row of its sessions matches that.
  session: true,
  word: false,
  text: false,
  method: false,
  tool: false,
  name: false,
  logger: false,
  dir: false,
  kind: false,
  status: false,
  dur: false,
  size: false,
  level: false,
  finding: false,
  mark: true,
};
