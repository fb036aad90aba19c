import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { writeHar } from '#trace/export/har/har.ts';
import type { Output } from '#trace/export/output.ts';
import type { Source } from '#trace/export/source.ts';

/** Milliseconds by which the clock of the steps and that of the records may differ. */
const SLACK = 5;

/**
 * The exchanges of flows as an HTTP archive. Each entry has its step in `_step` and the findings of that in `_findings`.
 * Returns how many there are.
 *
 * @throws FaultError if the trace has none
 */
export async function writeFlowHar(
  flows: readonly AuthorizationFlow[],
  from: Source,
  output: Output,
): Promise<number> {
  const steps = await exchangesOf(flows, from);
  if (steps.size === 0) throw new FaultError(noExchanges);
  const rows = [...steps.keys()].sort((a, b) => a - b);
  const chosen = { count: rows.length, at: (place: number) => rows[place] ?? 0 };
  const { entries } = await writeHar(from.ofRows(chosen), output, undefined, (row) => {
    const step = steps.get(row);
    return step === undefined ? {} : { _step: memberOf(step), _findings: step.findings };
  });
  return entries;
}

/** A step, and the number of its flow. */
interface FlowStep extends AuthorizationStep {
  readonly flow: number;
}

/** Everything of a step that the exchange itself does not say. */
function memberOf({ request: _, response: _of, findings: _all, ...step }: FlowStep): object {
  return step;
}

/** The steps by the rows of their exchanges. A request that was sent twice, or got no response, has a row too. */
async function exchangesOf(
  flows: readonly AuthorizationFlow[],
  from: Source,
): Promise<Map<number, FlowStep>> {
  const found = new Map<number, FlowStep>();
  const { columns } = from.trace.index;
  const steps = flows.flatMap(({ number, steps: all }) => all.map((step) => ({ ...step, flow: number })));
  for (const step of steps) {
    const exchange = step.row === null || step.row >= columns.count ? null : columns.exchangeRow(step.row);
    if (exchange !== null) found.set(exchange, step);
  }
  for (const step of steps) {
    const { request } = step;
    if (request === null || request.sentBy !== 'client') continue;
    const rows = rowsDuring(step, from).filter((row) => !found.has(row));
    for await (const { rows: own, record } of from.again().records(rows)) {
      const isSame =
        record.kind === 'http-request' &&
        record.method === request.method &&
        record.url.startsWith(request.url);
      if (isSame) for (const row of own) found.set(row, step);
    }
  }
  return found;
}

/** The rows of exchanges that began while a step ran. */
function rowsDuring({ startedAt, duration }: AuthorizationStep, { trace, extent }: Source): number[] {
  if (startedAt === null || duration === null) return [];
  const { columns } = trace.index;
  const { clock } = trace.header;
  const microseconds = (wall: number) => clock.at + (wall - clock.wall) * 1000;
  const end = microseconds(startedAt + duration / 1000 + SLACK);
  const first = columns.firstAt(microseconds(startedAt - SLACK));
  const rows: number[] = [];
  for (let row = first ?? extent.rows; row < extent.rows && columns.at(row) <= end; row++)
    if (columns.kind(row) === 'http') rows.push(row);
  return rows;
}

const noExchanges = {
  code: 'no-exchanges',
  what: 'No step of the flow has an HTTP exchange in this trace, so there is nothing to make a HAR of.',
  next: 'Export the report instead.',
};
