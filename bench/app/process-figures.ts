import { readFile } from 'node:fs/promises';

/** Clock ticks a second, as Linux tells times of processes. */
const TICKS = 100;

/** The most bytes of memory a process ever held; null where only Linux tells. */
export async function mostMemory(pid: number): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

/** Milliseconds of processor that a process has used; null where only Linux tells. */
export async function processorTime(pid: number): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program may hold spaces; what follows it does not.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return ((Number(user) + Number(system)) * 1000) / TICKS;
}
