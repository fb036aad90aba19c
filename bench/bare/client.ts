import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Opened } from '../app/app.ts';
import { median } from '../report/median.ts';

export interface BareFigures {
  /** Milliseconds from the call that sets the flood off to its last notification. */
  readonly time: number;
  /** How many different notifications came. */
  readonly received: number;
  /** Milliseconds of processor that the client used meanwhile. */
  readonly processor: number;
}

/** Milliseconds between two calls, about what clicking takes: a process that slept a moment answers later. */
const PAUSE = 100;

/** The official client on the same server, and nothing else. */
export async function withBareClient<T>(
  opened: Exclude<Opened, { kind: 'nothing' }>,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const transport =
    opened.kind === 'url'
      ? new StreamableHTTPClientTransport(new URL(opened.url))
      : new StdioClientTransport({ command: opened.command, args: [...opened.args], stderr: 'ignore' });
  await client.connect(transport);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Median microseconds of so many calls of `echo`. */
export async function bareCallTime(client: Client, calls: number): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    await sleep(PAUSE);
    const startedAt = performance.now();
    await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
    times.push((performance.now() - startedAt) * 1000);
  }
  return median(times);
}

/** Calls a tool that sends so many log messages, and waits for all of them. */
export async function bareFlood(client: Client, tool: string, count: number): Promise<BareFigures> {
  const places = new Set<unknown>();
  const processorBefore = process.cpuUsage();
  const startedAt = performance.now();
  let endedAt = Number.NaN;
  const all = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/message', ({ params: { data } }) => {
      places.add(typeof data === 'object' && data !== null && 'place' in data ? data.place : undefined);
      if (places.size < count) return;
      endedAt = performance.now();
      resolve();
    });
  });
  await client.callTool({ name: tool, arguments: {} }, { timeout: 600_000 });
  await all;
  const { user, system } = process.cpuUsage(processorBefore);
  return { time: endedAt - startedAt, received: places.size, processor: (user + system) / 1000 };
}
