import type { ChildProcess } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import spawn from 'cross-spawn';

/** The folder of the project, wherever the script was started from. */
export const projectRoot = fileURLToPath(new URL('..', import.meta.url));

export interface Step {
  readonly name: string;
  /** A program of node_modules/.bin or of PATH, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Show the output while it runs: as it is, or each line after the step's name. Otherwise only when it fails. */
  readonly live?: 'as-is' | 'labelled';
  /** An exit code that means: this cannot run here. It counts as no failure, and a line says so. */
  readonly skipCode?: number;
}

/**
 * Where Node keeps what it has compiled, and TypeScript without its types: tests start thousands of processes of the
 * same few programs.
 */
const compileCache = join(projectRoot, 'node_modules', '.cache', 'node-compile');

/** Runs one step, prints its line with the time it took, and says whether it succeeded. */
export async function runStep(step: Step): Promise<boolean> {
  const startedAt = performance.now();
  if (step.live === 'as-is') console.log(`▶ ${step.name}`);
  const { code, output } = await run(step);
  const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  if (code !== 0 && code === step.skipCode) {
    console.log(`- ${step.name}: SKIPPED, it ended with ${code}`);
    return true;
  }
  if (code !== 0) process.stdout.write(output);
  console.log(`${code === 0 ? '✓' : '✗'} ${step.name.padEnd(24)}${seconds.padStart(9)}`);
  return code === 0;
}

async function run({ name, command, env, live }: Step): Promise<{ code: number; output: string }> {
  const [program, ...args] = command;
  const child: ChildProcess = spawn(program, args, {
    cwd: projectRoot,
    env: {
      NODE_COMPILE_CACHE: compileCache,
      ...process.env,
      ...env,
      PATH: withProjectPrograms(process.env.PATH),
    },
    stdio: live === 'as-is' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    if (live) createInterface({ input: stream }).on('line', (line) => console.log(`${name} │ ${line}`));
    else stream.on('data', (piece: Buffer) => pieces.push(piece));
  }
  const code = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      pieces.push(Buffer.from(`${program}: ${error.message}\n`));
      resolve(127);
    });
    child.once('close', (exitCode) => resolve(exitCode ?? 1));
  });
  return { code, output: Buffer.concat(pieces).toString() };
}

function withProjectPrograms(path = ''): string {
  const programs = join(projectRoot, 'node_modules', '.bin');
  return path.split(delimiter)[0] === programs ? path : programs + delimiter + path;
}
