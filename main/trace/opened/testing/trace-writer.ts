// Another process that records a session: `trace-writer.ts PATH`. It writes what its parent sends it: a notification for
// a number, the end of the session for "end"; and answers when that is on disk.
import { Trace } from '#trace/trace.ts';
import { Redactor } from '#trace/recorder/redaction.ts';
import { bothClocks, now } from '#wire/transport.ts';
import { header } from './trace-text.ts';

const [path = ''] = process.argv.slice(2);
const trace = await Trace.create({
  path,
  header: { ...header, clock: bothClocks() },
  redactor: new Redactor(new Map()),
  onChange: () => {},
  onCongested: () => {},
});
let units = 0;
trace.phase('ready', null);
await trace.file.flush();
process.send?.('begun');

process.on('message', (told) => {
  void write(told).then(() => process.send?.('written'));
});

async function write(told: unknown): Promise<void> {
  if (told === 'end') {
    trace.phase('closed', 'Disconnected.');
    await trace.close();
    return;
  }
  const message = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: told } };
  trace.record({
    kind: 'message-bytes',
    at: now(),
    unit: units++,
    first: true,
    more: false,
    cut: false,
    direction: 'in',
    channel: 'stdout',
    bytes: Buffer.from(JSON.stringify(message)),
  });
  await trace.file.flush();
}
