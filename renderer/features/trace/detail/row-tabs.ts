import type { RowDetail } from '#shared/contract/trace.ts';
import type { RowKind } from '#shared/trace/row.ts';

export type TabId = 'message' | 'raw' | 'hex' | 'details' | 'http' | 'findings';

export const tabLabels: Readonly<Record<TabId, string>> = {
  message: 'Message',
  raw: 'Raw',
  hex: 'Hex',
  details: 'Details',
  http: 'HTTP',
  findings: 'Findings',
};

/** The ways to look at a row for itself, the best one first. */
const ownTabs: Readonly<Record<RowKind, readonly [TabId, ...TabId[]]>> = {
  request: ['message', 'raw', 'hex'],
  notification: ['message', 'raw', 'hex'],
  result: ['message', 'raw', 'hex'],
  error: ['message', 'raw', 'hex'],
  invalid: ['message', 'raw', 'hex'],
  noise: ['raw', 'hex'],
  http: ['http'],
  body: ['raw', 'hex'],
  sse: ['raw', 'hex'],
  stderr: ['raw', 'hex'],
  process: ['details'],
  phase: ['details'],
  switches: ['details'],
  'held-back': ['raw', 'hex'],
};

/** Where the text of the row is shown, of which the end may be missing. */
export const showsText: ReadonlySet<TabId> = new Set<TabId>(['message', 'raw', 'details']);

/** What an HTTP exchange carried can be looked at together with that exchange. */
export function tabsOf({ row, exchange }: RowDetail): readonly [TabId, ...TabId[]] {
  const own = ownTabs[row.kind];
  const withExchange = exchange === null || own.includes('http') ? own : ([...own, 'http'] as const);
  return row.finding === null ? withExchange : [...withExchange, 'findings'];
}
