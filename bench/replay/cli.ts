import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/main/cli.js', import.meta.url));

/** What a command of the built terminal app prints. @param ends the exit codes that are expected */
export async function runCli(args: readonly string[], ends: readonly number[] = [0]): Promise<string> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code === null || !ends.includes(code))
    throw new Error(`sightglass ${args[0]} ended with ${code}: ${errors}`);
  return printed;
}
