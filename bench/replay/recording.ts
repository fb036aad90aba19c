import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { TRACE_FORMAT, TRACE_VERSION, type TraceHeader, type TraceRecord } from '#shared/trace/record.ts';

/** Calls that are written at once. */
const AT_ONCE = 1000;
/** Microseconds between two records. */
const APART = 40;
/** What differs between two recordings: one result of so many. */
const DIFFERS_EVERY = 1000;

const header = (day: number): TraceHeader => ({
  format: TRACE_FORMAT,
  version: TRACE_VERSION,
  app: { name: 'sightglass', version: '0.0.0' },
  createdAt: '2026-01-01T00:00:00.000Z',
  clock: { at: 0, wall: Date.UTC(2026, 0, day) },
  server: { name: 'bench', transport: 'stdio', command: 'server', args: [] },
});

/** The tool and the arguments of a call, and its result. */
export interface RecordedCall {
  readonly name: string;
  readonly arguments: object;
  readonly result: object;
}

/** Invoices with a time, which no two days have in common, and a total, of which one in a thousand differs. */
export const invoiceCall =
  (day: number) =>
  (place: number): RecordedCall => {
    const invoice = {
      id: `INV-${place}`,
      net: '1180.00',
      tax: { rate: 0.19, amount: '224.20' },
      total: place % DIFFERS_EVERY === 0 ? day : 1404.2,
      fetchedAt: new Date(Date.UTC(2026, 0, day) + place * 10).toISOString(),
    };
    return {
      name: `invoice-${place % 50}`,
      arguments: { number: place, currency: 'EUR' },
      result: { content: [{ type: 'text', text: JSON.stringify(invoice) }], structuredContent: invoice },
    };
  };

/** Writes the trace of a session with so many calls. */
export async function writeRecording(
  path: string,
  calls: number,
  callOf: (place: number) => RecordedCall,
  day = 1,
): Promise<void> {
  const file = createWriteStream(path, { mode: 0o600 });
  let seq = 0;
  const line = (direction: 'out' | 'in', message: object): string => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    const channel = direction === 'out' ? 'stdin' : 'stdout';
    const record: TraceRecord = {
      seq,
      at: seq++ * APART,
      kind: 'unit',
      direction,
      channel,
      text,
      size: text.length,
    };
    return `${JSON.stringify(record)}\n`;
  };
  const capabilities = { tools: {} };
  file.write(`${JSON.stringify(header(day))}\n`);
  const info = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  file.write(line('out', { id: 'first', method: 'initialize', params: info }));
  const serverInfo = { name: 'bench', version: '1' };
  file.write(
    line('in', { id: 'first', result: { protocolVersion: '2025-11-25', capabilities, serverInfo } }),
  );
  file.write(line('out', { method: 'notifications/initialized' }));
  for (let place = 0; place < calls; ) {
    let lines = '';
    for (const until = Math.min(calls, place + AT_ONCE); place < until; place++) {
      const { result, ...params } = callOf(place);
      lines += line('out', { id: place, method: 'tools/call', params }) + line('in', { id: place, result });
    }
    if (!file.write(lines)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}
