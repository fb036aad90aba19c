import type { ChildProcess } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import spawn from 'cross-spawn';

/** The folder of the project, wherever the script was started from. */
export const projectRoot = fileURLToPath(new URL('..', import.meta.url));

export interface Step {
  readonly name: string;
  /** A program of node_modules/.bin or of PATH, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Show the output while it runs; otherwise it is shown only when the step fails. */
  readonly live?: boolean;
}

/** Runs one step, prints its line with the time it took, and says whether it succeeded. */
export async function runStep(step: Step): Promise<boolean> {
  const startedAt = performance.now();
  if (step.live) console.log(`▶ ${step.name}`);
  const { code, output } = await run(step);
  const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  if (code !== 0) process.stdout.write(output);
  console.log(`${code === 0 ? '✓' : '✗'} ${step.name.padEnd(24)}${seconds.padStart(9)}`);
  return code === 0;
}

async function run({ command, env, live }: Step): Promise<{ code: number; output: string }> {
  const [program, ...args] = command;
  const child: ChildProcess = spawn(program, args, {
    cwd: projectRoot,
    env: { ...process.env, ...env, PATH: withProjectPrograms(process.env.PATH) },
    stdio: live ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece: Buffer) => pieces.push(piece));
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
