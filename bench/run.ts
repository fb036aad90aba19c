// npm run bench -- trace|tools|logs|replay [--quick] [--electron] [--part NAME]… [--count N]
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { hosts } from './app/hosts.ts';
import { formatTable, type Table } from './report/table.ts';
import { logsTable } from './logs/index.ts';
import { replayTables } from './replay/index.ts';
import { toolsTable } from './tools/index.ts';
import { fullSize, quickSize, traceParts } from './trace/index.ts';

const usage = `Say what to measure:
  npm run bench -- tools               the list of a server with a thousand tools, and a search in it
  npm run bench -- logs                100,000 log messages in the Logs pane
  npm run bench -- replay              100,000 calls replayed, and two traces of as many compared; in no window
  npm run bench -- trace               everything of the trace, against the goals; takes a while
    --quick                            a little of each, to see that it works
    --part ${Object.keys(traceParts).join('|').padEnd(27)} only this; can be given several times
    --count 100000                     only the flood of so many notifications
    --electron                         in Electron instead of a browser; put before it what gives it a display`;

/** How often the tools are listed and searched, and how often the log messages come. */
const ROUNDS = 10;
const LOG_ROUNDS = 3;

const words = { web: 'in a browser', electron: 'in Electron' } as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      electron: { type: 'boolean', default: false },
      part: { type: 'string', multiple: true, default: Object.keys(traceParts) },
      count: { type: 'string' },
    },
  });
  const parts = values.part.flatMap((name) => (Object.hasOwn(traceParts, name) ? [traceParts[name]] : []));
  const subject = positionals.join();
  if (!['trace', 'tools', 'logs', 'replay'].includes(subject) || parts.length < values.part.length) {
    console.log(usage);
    return 2;
  }
  const whole = values.quick ? quickSize : fullSize;
  const chosen = values.count === undefined ? null : Number(values.count);
  const floods = whole.floods.filter(({ count }) => chosen === null || count === chosen);
  const size = { ...whole, floods: floods.length > 0 ? floods : [{ count: chosen ?? 0, rounds: 1 }] };

  const host = hosts[values.electron ? 'electron' : 'web']();
  console.log(`Sightglass ${words[host.name]}; ${new Date().toISOString().slice(0, 10)}; ${machine()}`);
  let isMissed = false;
  const print = (table: Table) => {
    isMissed ||= table.lines.some(({ goal }) => goal?.isMet === false);
    console.log(`\n${formatTable(table)}\n${surroundings()}`);
  };
  try {
    if (subject === 'tools') print(await toolsTable(host, values.quick ? 1 : ROUNDS));
    else if (subject === 'logs') print(await logsTable(host, values.quick ? 1 : LOG_ROUNDS, values.quick));
    else if (subject === 'replay') await replayTables(values.quick, print);
    else for (const part of parts) await part?.(host, size, print);
  } finally {
    await host.end();
  }
  return isMissed ? 1 : 0;
}

/** What the figures were measured on. */
function machine(): string {
  const [first] = cpus();
  return `${availableParallelism()} cores of ${first?.model.trim() ?? 'an unknown kind'}, Node ${process.versions.node}`;
}

/** What else the machine did, without which the figures cannot be judged. */
function surroundings(): string {
  const load = loadavg()[0] ?? 0;
  return `load ${load.toFixed(1)}${load > 2 * availableParallelism() ? ': busy with other work too' : ''}`;
}
