import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process, told apart from a later one with the same pid. */
export interface ProcessRef {
  readonly pid: number;
  readonly parent: number;
  readonly started: string;
  /** Its command line. */
  readonly command: string;
}

/** Every process below this one. */
export function descendantsOf(pid: number): ProcessRef[] {
  const all = listProcesses();
  const found: ProcessRef[] = [];
  const below = (parent: number) => {
    for (const one of all.filter((candidate) => candidate.parent === parent)) {
      found.push(one);
      below(one.pid);
    }
  };
  below(pid);
  return found;
}

/** Those of the processes that still run. A zombie has ended. */
export function stillRunning(processes: readonly ProcessRef[]): ProcessRef[] {
  const now = listProcesses();
  return processes.filter((one) =>
    now.some(({ pid, started }) => pid === one.pid && started === one.started),
  );
}

function listProcesses(): ProcessRef[] {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

function fromProc(): ProcessRef[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid): ProcessRef[] => {
      let stat: string;
      let command: string;
      try {
        stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      } catch {
        return []; // It ended since the folder was listed.
      }
      // proc(5): state and parent follow the name; the start time is the 22nd field.
      const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z') return [];
      return [{ pid: Number(pid), parent: Number(parent), started: rest[17] ?? '', command }];
    });
}

function fromPs(): ProcessRef[] {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,stat=,lstart=,args='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line): ProcessRef[] => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.{24})\s+(.*)$/.exec(line);
    if (!match || match[3]?.startsWith('Z')) return [];
    return [
      { pid: Number(match[1]), parent: Number(match[2]), started: match[4] ?? '', command: match[5] ?? '' },
    ];
  });
}
