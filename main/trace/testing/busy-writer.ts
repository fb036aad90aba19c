// Writes a trace in a thread that is too busy for its event loop, and kills itself in the middle of it:
// `busy-writer.ts PATH flood|lone MILLISECONDS`.
import { setImmediate } from 'node:timers/promises';
import { TraceFile } from '#trace/trace-file.ts';

const [path = '', what, time] = process.argv.slice(2);
const file = await TraceFile.create(path, {
  format: 'mcptrace',
  version: 1,
  app: { name: 'sightglass', version: '0' },
  createdAt: new Date().toISOString(),
  clock: { at: 0, wall: 0 },
  server: { name: 's', transport: 'stdio', command: 'c', args: [] },
});
await file.flush();

let seq = 0;
const append = () => file.append(JSON.stringify({ seq: seq++, text: 'x'.repeat(200) }));

if (what === 'lone') {
  append();
  // The thread is not left before it was asked what else there is to do.
  await setImmediate();
}
const begun = process.threadCpuUsage();
const worked = () => {
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
};
while (worked() < Number(time)) if (what === 'flood') append();
process.kill(process.pid, 'SIGKILL');
