import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { TRACE_FORMAT, TRACE_VERSION, type TraceHeader, type TraceRecord } from '#shared/trace/record.ts';

/** Records written at once. */
const AT_ONCE = 1000;
/** Microseconds between two records. */
const APART = 10;

const header: TraceHeader = {
  format: TRACE_FORMAT,
  version: TRACE_VERSION,
  app: { name: 'sightglass', version: '0.0.0' },
  createdAt: '2026-01-01T00:00:00.000Z',
  clock: { at: 0, wall: Date.UTC(2026, 0, 1) },
  server: { name: 'bench', transport: 'stdio', command: 'server', args: [] },
};

/** Writes a trace of so many records: calls of a tool, each with its answer, among log messages. */
export async function writeTraceFile(path: string, records: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = createWriteStream(path, { mode: 0o600 });
  file.write(`${JSON.stringify(header)}\n`);
  for (let seq = 0; seq < records; ) {
    let lines = '';
    for (const until = Math.min(records, seq + AT_ONCE); seq < until; seq++) {
      lines += `${JSON.stringify(recordOf(seq))}\n`;
    }
    if (!file.write(lines)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}

const CALL_EVERY = 20;

function recordOf(seq: number): TraceRecord {
  const id = Math.floor(seq / CALL_EVERY);
  const isIn = seq % CALL_EVERY !== 0;
  const text = JSON.stringify({ jsonrpc: '2.0', ...messageOf(seq, id) });
  return {
    seq,
    at: seq * APART,
    kind: 'unit',
    direction: isIn ? 'in' : 'out',
    channel: isIn ? 'stdout' : 'stdin',
    text,
    size: text.length,
  };
}

function messageOf(seq: number, id: number) {
  switch (seq % CALL_EVERY) {
    case 0:
      return { id, method: 'tools/call', params: { name: `tool-${id % 50}`, arguments: { number: seq } } };
    case 3:
      return { id, result: { content: [{ type: 'text', text: `answer ${id}` }] } };
    default:
      return {
        method: 'notifications/message',
        params: { level: 'info', data: { place: seq, padding: 'x'.repeat(80) } },
      };
  }
}
