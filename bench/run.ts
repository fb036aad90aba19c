// npm run bench -- NAME [numbers]; without a name it says which there are.
import { availableParallelism, loadavg } from 'node:os';
import { flood } from './flood.ts';
import type { Line } from './table.ts';
import { formatTable } from './table.ts';

interface Bench {
  readonly usage: string;
  readonly run: (args: readonly number[]) => Promise<{ title: string; lines: readonly Line[] }>;
}

/** Every benchmark, by name. */
const benches: Readonly<Record<string, Bench>> = {
  flood: { usage: 'flood [notifications=10000] [bytes of each=200] [rounds=3]', run: flood },
};

const [name = '', ...args] = process.argv.slice(2);
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (bench) {
  const loadBefore = loadavg()[0] ?? 0;
  const { title, lines } = await bench.run(args.map(Number));
  console.log(formatTable(title, lines));
  console.log(surroundings(loadBefore));
  if (lines.some(({ goal }) => goal?.isMet === false)) process.exitCode = 1;
} else {
  const usages = Object.values(benches).map(({ usage }) => `  npm run bench -- ${usage}`);
  console.log(`Say which benchmark to run:\n${usages.join('\n')}`);
  process.exitCode = 2;
}

/** What else the machine did, without which the figures cannot be judged. */
function surroundings(load: number): string {
  const cores = availableParallelism();
  const busy = load > cores / 2 ? ': busy with other work, so repeat this when it is quiet' : '';
  return `${cores} cores, load ${load.toFixed(1)} before the first round${busy}`;
}
