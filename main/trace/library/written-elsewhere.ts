import { open } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { z } from 'zod';

/** Milliseconds after which a file that did not change is written by nobody: a session notes the time every minute. */
const QUIET = 2 * 60_000;
/** Bytes of the end that are looked at. */
const TAIL = 64 * 1024;

const lineSchema = z.object({ kind: z.string(), phase: z.string().optional() });

/** Whether another process seems to be writing a trace: it changed just now, and its session has not ended. */
export async function isWrittenElsewhere(path: string, stats: Stats): Promise<boolean> {
  if (Date.now() - stats.mtimeMs > QUIET) return false;
  const tail = await readTail(path, stats.size).catch(() => '');
  for (const text of tail.split('\n').toReversed()) {
    const line = lineOf(text);
    // Marks may come after a session has ended.
    if (line === null || line.kind === 'mark') continue;
    return !(line.kind === 'phase' && (line.phase === 'closed' || line.phase === 'failed'));
  }
  return true;
}

async function readTail(path: string, size: number): Promise<string> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(Math.min(TAIL, size));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function lineOf(text: string): z.infer<typeof lineSchema> | null {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
