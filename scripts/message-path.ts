/**
 * Lists the project's files whose functions run on the two ways of a message (docs/architecture.md): from a raw line to a
 * row of the table, and from Run to a result. Drives the real app on its web host, with V8's coverage of the engine and
 * of the page.
 *
 *     node scripts/message-path.ts [PROJECT]   (another checkout with its node_modules; this one by default)
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type CDPSession, chromium, type Page } from 'playwright';
import { z } from 'zod';
import { findOrInstallBrowser } from './browser.ts';
import { projectRoot } from './step.ts';

/** Each way is gone this often; what only a timer did by chance is not in all of them. */
const TURNS = 4;
/** Milliseconds after which everything that a message causes has happened. */
const SETTLED = 1_500;
const POLL = 20;

const coverageSchema = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({
          functionName: z.string(),
          ranges: z.array(z.object({ startOffset: z.number(), count: z.number() })),
        }),
      ),
    }),
  ),
});
type Coverage = z.output<typeof coverageSchema>;

const answerSchema = z.object({
  id: z.number().optional(),
  result: z.unknown(),
  error: z.object({ message: z.string() }).optional(),
});

const sourceMapSchema = z.object({
  file: z.string().default(''),
  version: z.number(),
  sources: z.array(z.string()),
  sourcesContent: z.array(z.string()).default([]),
  names: z.array(z.string()),
  mappings: z.string(),
  sourceRoot: z.string().default(''),
});

/** One side of the app whose functions are counted. */
interface Side {
  start(): Promise<void>;
  /** The calls of each function since the last time. */
  take(): Promise<Coverage>;
  close(): Promise<void>;
  /** The built file of a script. */
  builtFile(url: string): string | null;
}

/** Counts of whole functions. */
const precise = { callCount: true, detailed: false };
const builtFiles = new Map<string, BuiltFile>();
const project = resolve(process.argv[2] ?? projectRoot);
const server = join(projectRoot, 'fixtures/signalled-server.ts');

await build();
const home = await mkdtemp(join(tmpdir(), 'sightglass-ways-'));
const engine = spawn(
  process.execPath,
  [
    '--inspect=127.0.0.1:0',
    join(project, 'dist/main/cli.js'),
    'open',
    '--web',
    '--',
    process.execPath,
    server,
  ],
  {
    cwd: project,
    // Behind npm the app also watches npm, from a timer.
    env: { ...process.env, SIGHTGLASS_HOME: home, npm_lifecycle_event: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  },
);
const browser = await chromium.launch({
  executablePath: findOrInstallBrowser(),
  chromiumSandbox: process.getuid?.() !== 0,
});
const sides: Side[] = [];
try {
  const [debugger_, address] = await Promise.all([
    printed(engine, 'stderr', /Debugger listening on (ws:\S+)/),
    printed(engine, 'stdout', /open (http:\/\/127\.0\.0\.1:\d+\/#token=\S+)/),
  ]);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  sides.push(await engineSide(debugger_), pageSide(await page.context().newCDPSession(page)));
  for (const side of sides) await side.start();
  report('From a raw line to a row', await filesOn(() => anotherLine(page)));
  await openTool(page);
  report('From Run to a result', await filesOn(() => run(page)));
} finally {
  for (const side of sides) await side.close();
  await browser.close();
  engine.kill('SIGTERM');
  if (engine.exitCode === null && engine.signalCode === null) await once(engine, 'exit');
  await rm(home, { recursive: true, force: true });
}

/** Builds the app with its functions as they are written: a minifier inlines them. */
async function build(): Promise<void> {
  const vite = spawn('npx', ['vite', 'build', '--minify', 'false', '--logLevel', 'error'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(vite, 'exit');
  if (vite.exitCode !== 0) throw new Error(`vite build of ${project} ended with ${vite.exitCode}`);
}

/** Resolves with the first group of the first line that matches. */
async function printed(child: ChildProcess, stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
  const input = child[stream];
  if (!input) throw new Error(`No ${stream}`);
  for await (const line of createInterface({ input })) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) {
      input.resume();
      return found;
    }
  }
  throw new Error(`${pattern} was not printed`);
}

/** Speaks to the inspector of the engine's process. */
async function engineSide(url: string): Promise<Side> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let last = 0;
  const send = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((settle, reject) => {
      const id = ++last;
      const look = ({ data }: MessageEvent) => {
        const answer = answerSchema.parse(JSON.parse(String(data)));
        if (answer.id !== id) return;
        socket.removeEventListener('message', look);
        if (answer.error) reject(new Error(answer.error.message));
        else settle(answer.result);
      };
      socket.addEventListener('message', look);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    async start() {
      await send('Profiler.enable');
      await send('Profiler.startPreciseCoverage', precise);
    },
    take: async () => coverageSchema.parse(await send('Profiler.takePreciseCoverage')),
    // Node waits at its end until nobody debugs it.
    close: async () => socket.close(),
    builtFile: (script) => (script.startsWith('file:') ? fileURLToPath(script) : null),
  };
}

function pageSide(session: CDPSession): Side {
  return {
    async start() {
      await session.send('Profiler.enable');
      await session.send('Profiler.startPreciseCoverage', precise);
    },
    take: () => session.send('Profiler.takePreciseCoverage'),
    close: () => session.detach(),
    builtFile: (script) =>
      /^http:.*\.js$/.test(script) ? join(project, 'dist/renderer', new URL(script).pathname) : null,
  };
}

/** The files whose functions ran each time that the action was taken. */
async function filesOn(action: () => Promise<void>): Promise<readonly string[]> {
  // The first time may load and prepare what further times only use.
  await action();
  let always: Set<string> | undefined;
  for (let turn = 0; turn < TURNS; turn++) {
    await Promise.all(sides.map((side) => side.take()));
    await action();
    const ran = new Set<string>();
    for (const side of sides) {
      for (const file of filesOf(side, await side.take())) ran.add(file);
    }
    always = always ? new Set([...always].filter((file) => ran.has(file))) : ran;
  }
  return [...(always ?? [])].toSorted();
}

function* filesOf(side: Side, { result }: Coverage): Generator<string> {
  for (const { url, functions } of result) {
    const file = side.builtFile(url);
    const built = file === null ? null : sourcesOf(file);
    if (!built) continue;
    for (const { ranges, functionName } of functions) {
      const [range] = ranges;
      // A script's own code has no name and starts at 0.
      if (!range || range.count === 0 || (functionName === '' && range.startOffset === 0)) continue;
      const source = built.sourceAt(range.startOffset);
      if (source) yield source;
    }
  }
}

interface BuiltFile {
  /** The project's file that the code at this place was built from. */
  sourceAt(offset: number): string | null;
}

function sourcesOf(file: string): BuiltFile | null {
  const known = builtFiles.get(file);
  if (known) return known;
  if (!resolve(file).startsWith(join(project, 'dist')) || !existsSync(`${file}.map`)) return null;
  const map = new SourceMap(sourceMapSchema.parse(JSON.parse(readFileSync(`${file}.map`, 'utf8'))));
  const starts = [0];
  const text = readFileSync(file, 'utf8');
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const made: BuiltFile = {
    sourceAt(offset) {
      let line = starts.findLastIndex((start) => start <= offset);
      if (line < 0) line = 0;
      const entry = map.findEntry(line, offset - (starts[line] ?? 0));
      if (!('originalSource' in entry) || !entry.originalSource) return null;
      const source = relative(project, resolve(dirname(file), entry.originalSource));
      return source.startsWith('..') || source.includes('node_modules') ? null : source;
    },
  };
  builtFiles.set(file, made);
  return made;
}

function rowCount(page: Page): Promise<string | null> {
  return page.getByRole('treegrid').getAttribute('aria-rowcount');
}

/** The server prints one more line. */
async function anotherLine(page: Page): Promise<void> {
  const before = await rowCount(page);
  process.kill(await serverPid(), 'SIGUSR2');
  while ((await rowCount(page)) === before) await sleep(POLL);
  await sleep(SETTLED);
}

async function openTool(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByRole('listbox', { name: 'Tools' }).getByRole('option', { name: 'echo' }).first().click();
}

/** The user runs the tool and sees its result. */
async function run(page: Page): Promise<void> {
  const before = await rowCount(page);
  await page.getByRole('button', { name: /^Run( Ctrl.*| ⌘.*)?$/ }).click();
  while ((await rowCount(page)) === before) await sleep(POLL);
  await page.getByRole('region', { name: 'Result' }).getByText('hello').first().waitFor();
  await sleep(SETTLED);
}

/** The engine's child that is the server. */
async function serverPid(): Promise<number> {
  const ps = spawn('ps', ['-e', '-o', 'pid=,args='], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: ps.stdout })) {
    const [, pid, args] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    if (args?.endsWith(server) && !args.includes('--inspect')) return Number(pid);
  }
  throw new Error('The server does not run');
}

function report(way: string, files: readonly string[]): void {
  const inPage = files.filter((file) => file.startsWith('renderer/'));
  const list = files.map((file) => `  ${file}\n`).join('');
  process.stdout.write(
    `${way}: ${files.length} files, ${files.length - inPage.length} of the engine and ${inPage.length} of the page\n${list}`,
  );
}
