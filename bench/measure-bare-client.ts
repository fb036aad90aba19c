import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { setTimeout as sleep } from 'node:timers/promises';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import type { FloodSettings } from './flood.ts';
import { median } from './median.ts';

export interface BareFigures {
  /** Milliseconds from the call that sets the flood off to its last notification. */
  readonly floodTime: number;
  /** How many different notifications came. */
  readonly received: number;
  /** Median microseconds of a call of `echo`. */
  readonly callTime: number;
}

/** Milliseconds between two calls, about what clicking takes: a process that slept a moment answers later. */
const PAUSE = 100;

/** The official client doing the same with the same server, and nothing else. */
export async function measureBareClient({ count, size, calls }: FloodSettings): Promise<BareFigures> {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const server = misbehavingServer('on-call', `flood:${count}:${size}`);
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  try {
    const callTime = await medianCallTime(client, calls);
    return { callTime, ...(await floodTime(client, count)) };
  } finally {
    await client.close();
  }
}

async function medianCallTime(client: Client, calls: number): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    await sleep(PAUSE);
    const startedAt = performance.now();
    await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
    times.push((performance.now() - startedAt) * 1000);
  }
  return median(times);
}

async function floodTime(client: Client, count: number): Promise<{ floodTime: number; received: number }> {
  const places = new Set<unknown>();
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
  await client.callTool({ name: 'flood', arguments: {} }, { timeout: 600_000 });
  await all;
  return { floodTime: endedAt - startedAt, received: places.size };
}
