import { render, screen, within } from '@testing-library/react';
import type { TraceRow } from '#shared/trace/row.ts';
import { TraceDock } from '../trace-dock.tsx';
import { anExchange } from './exchanges.ts';
import { engine, reset } from './fake-bridge.ts';
import { aRow } from './rows.ts';

/** An exchange that was answered with 200, unless told otherwise. */
export const anHttpRow = (facts: Partial<TraceRow> = {}): TraceRow =>
  aRow({
    kind: 'http',
    direction: 'out',
    method: 'POST',
    summary: '/mcp',
    status: 'ok',
    code: 200,
    duration: 4000,
    exchange: facts.row ?? 0,
    ...facts,
  });

/** A call over HTTP: its exchange, the request, its progress and its answer. */
export const aCallOverHttp: readonly TraceRow[] = [
  anHttpRow({ row: 0 }),
  aRow({
    row: 1,
    kind: 'request',
    direction: 'out',
    method: 'tools/call',
    summary: 'echo',
    id: '7',
    status: 'ok',
    exchange: 0,
    pair: 3,
  }),
  aRow({ row: 2, method: 'notifications/progress', summary: '1 / 2', exchange: 0, parent: 1 }),
  aRow({ row: 3, kind: 'result', method: 'tools/call', id: '7', status: 'ok', exchange: 0, pair: 1 }),
];

/** Puts such a call on screen, carried by this exchange. */
export function showCall(exchange = anExchange()): void {
  reset(aCallOverHttp);
  engine.exchanges.set(0, exchange);
  render(<TraceDock />);
}

/** Names and values of a part of the detail, line by line. */
export async function factsOf(part: string): Promise<string[]> {
  const region = await screen.findByRole('region', { name: part });
  const texts = (role: string) =>
    within(region)
      .getAllByRole(role)
      .map(({ textContent }) => textContent);
  const values = texts('definition');
  return texts('term').map((term, place) => `${term}: ${values[place]}`);
}
