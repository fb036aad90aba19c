import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { manyLogsServer } from '#fixtures/many-logs/command.ts';
import { readDuration } from './app/page.ts';
import { nodeOptions } from './app/web.ts';
import { bareCallTime, bareFlood, withBareClient } from './bare/client.ts';
import { median } from './report/median.ts';
import { formatTable, none, ratioOf } from './report/table.ts';
import { floodServers, transports } from './servers/flood-server.ts';

test('the median is the middle, or between the two middles', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test('a table has aligned columns, and marks a goal that is missed', () => {
  const table = formatTable({
    title: 'Title',
    lines: [
      {
        what: 'time',
        app: '1,200 ms',
        bare: '900 ms',
        ratio: ratioOf(1200, 900),
        goal: { text: '1.5x', isMet: true },
      },
      {
        what: 'longest frame gap',
        app: '140 ms',
        bare: none,
        ratio: none,
        goal: { text: '100 ms', isMet: false },
      },
    ],
  });
  const lines = table.split('\n');
  expect(lines.at(0)).toBe('Title');
  expect(lines.slice(4, 6)).toEqual([
    'time                 1,200 ms       900 ms  1.33x  ✓ 1.5x',
    'longest frame gap      140 ms            –      –  ✗ 100 ms',
  ]);
});

test('the app is started with the options of Node that npm start gives it', async () => {
  const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    scripts: { start: string };
  };
  expect(scripts.start).toContain(` node ${nodeOptions.join(' ')} dist/main/cli.js`);
});

test('a duration is read as the table of the app shows it', () => {
  expect(readDuration('21  07:04:17.930  echo  #7  ok  312 µs  45 B')).toBe(312);
  expect(readDuration('echo 1.1 ms 45 B')).toBe(1100);
  expect(readDuration('echo 5.012 s 45 B')).toBe(5_012_000);
  expect(() => readDuration('echo 45 B')).toThrow('no duration');
});

test('a bare client gets every message of the server that logs much', async () => {
  await withBareClient({ kind: 'command', ...manyLogsServer(500) }, async (client) => {
    expect(await bareFlood(client, 'flood', 500)).toMatchObject({ received: 500 });
  });
});

test.each(transports)('a bare client gets the whole flood over %s', async (transport) => {
  const server = await floodServers[transport]({ count: 500, size: 200 });
  try {
    await withBareClient(server.opened, async (client) => {
      expect(await bareCallTime(client, 1)).toBeGreaterThan(0);
      expect(await bareFlood(client, 'flood', 500)).toMatchObject({ received: 500 });
    });
  } finally {
    await server.close();
  }
});
