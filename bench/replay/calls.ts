import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { withBareClient } from '../bare/client.ts';
import { count, milliseconds } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { bothLine, ownLine, type Line, type Table } from '../report/table.ts';
import { floodServers } from '../servers/flood-server.ts';
import { runCli } from './cli.ts';
import { type RecordedCall, writeRecording } from './recording.ts';

/** Times the bare client may take. */
const GOAL = 1.3;
const concurrencies = [1, 16];

const replaySchema = z.object({
  replay: z.object({ duration: z.number() }),
  comparison: z.object({ counts: z.object({ same: z.number(), noise: z.number() }) }),
});

/** A recording of calls of `echo` is replayed, and a bare client makes the same calls. */
export async function replayTable(calls: number, rounds: number): Promise<Table> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-bench-replay-'));
  const { opened } = await floodServers.stdio({ count: 1, size: 200 });
  if (opened.kind !== 'command') throw new Error('a server over stdio is a command');
  const recording = join(folder, 'calls.mcptrace');
  try {
    await writeRecording(recording, calls, await echoCall(opened));
    const lines: Line[] = [];
    for (const concurrency of concurrencies) {
      const bare: number[] = [];
      const app: Awaited<ReturnType<typeof replay>>[] = [];
      for (let round = 0; round < rounds; round++) {
        bare.push(await bareCalls(opened, calls, concurrency));
        app.push(await replay(recording, opened, concurrency));
      }
      const [time, bareTime] = [median(app.map((one) => one.duration)), median(bare)];
      const same = Math.min(...app.map((one) => one.same));
      lines.push(
        bothLine(`${count(calls)} calls, ${concurrency} at a time`, time, bareTime, milliseconds, {
          text: `at most ${GOAL}x`,
          isMet: time <= GOAL * bareTime,
        }),
        ownLine('  calls without a difference', same, count, { text: 'all', isMet: same === calls }),
      );
    }
    return { title: `a recording is replayed over stdio; rounds: ${rounds}`, lines };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const contentSchema = z.array(z.object({ type: z.literal('text'), text: z.string() }));

type Command = Extract<Parameters<typeof withBareClient>[0], { kind: 'command' }>;

const messageOf = (place: number) => ({ message: `call number ${place}` });

/** What the server answers, as a recording of it has it. */
async function echoCall(opened: Command): Promise<(place: number) => RecordedCall> {
  const { content } = await withBareClient(opened, (client) =>
    client.callTool({ name: 'echo', arguments: messageOf(0) }),
  );
  const answered = contentSchema.parse(content);
  return (place) => ({
    name: 'echo',
    arguments: messageOf(place),
    result: {
      content: answered.map((block) => ({
        ...block,
        text: block.text.replaceAll(messageOf(0).message, messageOf(place).message),
      })),
    },
  });
}

/** Milliseconds that the official client takes for so many calls. */
function bareCalls(opened: Command, calls: number, concurrency: number): Promise<number> {
  return withBareClient(opened, async (client) => {
    const startedAt = performance.now();
    let next = 0;
    const caller = async () => {
      while (next < calls) await client.callTool({ name: 'echo', arguments: messageOf(next++) });
    };
    await Promise.all(Array.from({ length: concurrency }, caller));
    return performance.now() - startedAt;
  });
}

async function replay(recording: string, { command, args }: Command, concurrency: number) {
  const options = ['--json', '--allow-writes', '--concurrency', String(concurrency)];
  const printed = await runCli(['replay', recording, ...options, '--', command, ...args], [0, 1]);
  const { replay: run, comparison } = replaySchema.parse(JSON.parse(printed));
  return { duration: run.duration, same: comparison.counts.same + comparison.counts.noise };
}
