import type { TraceHeader, TraceRecord } from '#shared/trace/record.ts';

/** The header of a trace that was written long ago. */
export const header: TraceHeader = {
  format: 'mcptrace',
  version: 1,
  app: { name: 'sightglass', version: '0.0.0' },
  createdAt: '2026-01-02T03:04:05.678Z',
  clock: { at: 1000, wall: Date.parse('2026-01-02T03:04:05.678Z') },
  server: { name: 'notes', transport: 'stdio', command: 'node', args: ['notes.js'] },
};

/** A message that came from the server or went to it. */
export function unit(seq: number, message: object, direction: 'in' | 'out' = 'in'): TraceRecord {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  const channel = direction === 'in' ? 'stdout' : 'stdin';
  return { seq, at: 1000 + seq * 10, kind: 'unit', direction, channel, text, size: Buffer.byteLength(text) };
}

/** Notifications with these numbers. */
export const notifications = (from: number, count: number): TraceRecord[] =>
  Array.from({ length: count }, (_, place) =>
    unit(from + place, { method: 'notifications/message', params: { level: 'info', data: from + place } }),
  );

/** A line each; what is text already stands as it is. */
export const linesOf = (...lines: readonly (object | string)[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

/** A trace file of these records. */
export const traceText = (...records: readonly (object | string)[]): string => linesOf(header, ...records);
