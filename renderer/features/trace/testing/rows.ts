import type { TraceRow } from '#shared/trace/row.ts';

/** A row for tests: a notification, unless told otherwise. */
export const aRow = (facts: Partial<TraceRow> = {}): TraceRow => ({
  row: 0,
  seq: facts.row ?? 0,
  position: 0,
  batch: 1,
  at: (facts.row ?? 0) * 1000,
  kind: 'notification',
  direction: 'in',
  method: 'notifications/message',
  summary: 'info',
  id: null,
  status: 'none',
  noise: null,
  code: null,
  duration: null,
  size: 100,
  pair: null,
  parent: null,
  exchange: null,
  automatic: false,
  probe: false,
  finding: null,
  channel: null,
  mark: null,
  ...facts,
});
