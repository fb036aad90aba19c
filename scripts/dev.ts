// `npm run dev`: rebuilds what changes. The page then reloads; the engine and its window are
// restarted. Arguments go to the app: npm run dev -- --web -- node server.js
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createBuilder } from 'vite';
import { projectRoot } from './step.ts';

/** The page is watched by the app itself; these are what it runs on. */
const restartOn: ReadonlySet<string> = new Set(['main', 'preload']);
const environments = ['client', 'main', 'preload'];

const builder = await createBuilder({
  configFile: `${projectRoot}/vite.config.ts`,
  logLevel: 'warn',
  build: { watch: {} },
});
const built = new Set<string>();
let app: ChildProcess | undefined;
let turn: Promise<void> = Promise.resolve();
let isEnding = false;

const watchers = await Promise.all(environments.map(watchEnvironment));

async function watchEnvironment(name: string) {
  const environment = builder.environments[name];
  const watcher = environment && (await builder.build(environment));
  if (!watcher || !('close' in watcher)) throw new Error(`The environment "${name}" cannot be watched.`);
  watcher.on('event', (event) => {
    if (event.code === 'ERROR') console.error(event.error.message);
    if (event.code !== 'END') return;
    built.add(name);
    if (built.size < environments.length) return;
    if (app === undefined || restartOn.has(name)) turn = turn.then(restart).catch(end);
  });
  return watcher;
}

async function restart(): Promise<void> {
  if (isEnding) return;
  await stop();
  app = spawn(process.execPath, ['dist/main/cli.js', ...process.argv.slice(2)], {
    cwd: projectRoot,
    env: { ...process.env, SIGHTGLASS_DEV: '1' },
    stdio: 'inherit',
  });
  app.once('exit', onOwnEnd);
}

/** The app was closed by the user, so there is nothing left to restart. */
function onOwnEnd(): void {
  void end();
}

async function stop(): Promise<void> {
  if (app === undefined || app.exitCode !== null || app.signalCode !== null) return;
  app.off('exit', onOwnEnd);
  const ended = once(app, 'exit');
  app.kill('SIGTERM');
  await ended;
}

async function end(failure?: unknown): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  if (failure !== undefined) console.error(failure);
  await stop();
  await Promise.all(watchers.map((watcher) => watcher.close()));
  process.exitCode = failure === undefined ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end());
