import type { RowDetail } from '#shared/contract/trace.ts';
import { PlainText } from '#ui/plain-text.tsx';

/** A row without text, as a table of facts. */
export function EventDetails({ detail }: { readonly detail: RowDetail }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 p-3">
      {eventFacts(detail).map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="text-faint">{label}</dt>
          <dd className={label === 'what' ? '' : 'mono leading-[1.6]'}>
            {(typeof value === 'string' ? [value] : value).map((line, index) => (
              <PlainText key={index} text={line} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface EventFact {
  readonly label: string;
  /** Several values are listed. Untrusted text. */
  readonly value: string | readonly string[];
}

/** What happened to the process, the session, its switches or its authorization. */
function eventFacts({ row, process, phase }: RowDetail): EventFact[] {
  if (row.kind === 'switches' || row.kind === 'authorization' || row.kind === 'definitions') {
    return [{ label: 'what', value: row.summary }];
  }
  if (phase !== null) {
    const reason = phase.reason === null ? [] : [{ label: 'reason', value: phase.reason }];
    return [{ label: 'phase', value: phase.phase }, ...reason];
  }
  return process === null ? [] : processFacts(process);
}

function processFacts(change: NonNullable<RowDetail['process']>): EventFact[] {
  switch (change.what) {
    case 'spawn':
      return [
        { label: 'what', value: 'The process was started.' },
        ...commandFacts(change),
        { label: 'environment', value: change.env.length > 0 ? change.env : 'nothing set' },
        { label: 'pid', value: String(change.pid) },
      ];
    case 'spawn-failed':
      return [
        { label: 'what', value: 'The process could not be started.' },
        ...commandFacts(change),
        { label: 'error', value: `${change.code}: ${change.message}` },
      ];
    case 'stdin-failed':
      return [
        { label: 'what', value: 'Its standard input cannot be written any more.' },
        { label: 'error', value: change.message },
      ];
    case 'stdout-closed':
      return [
        {
          label: 'what',
          value: 'It closed its standard output but is still running: no more messages can arrive.',
        },
      ];
    case 'shutdown':
      return [{ label: 'what', value: shutdownSteps[change.step] }];
    case 'exit':
      return [
        { label: 'what', value: 'The process exited.' },
        change.signal === null
          ? { label: 'exit code', value: `${change.code ?? 'unknown'}` }
          : { label: 'signal', value: change.signal },
      ];
  }
}

const commandFacts = ({ command, args, cwd }: { command: string; args: string[]; cwd: string }) => [
  { label: 'command', value: command },
  { label: 'arguments', value: args.length > 0 ? args : 'none' },
  { label: 'folder', value: cwd },
];

/** MCP 2025-06-18 lifecycle, shutdown over stdio: close the input, then SIGTERM, then SIGKILL. */
const shutdownSteps = {
  'close-stdin': 'Sightglass closed its standard input, which asks it to exit.',
  sigterm: 'It did not exit when its input was closed: Sightglass sent SIGTERM.',
  sigkill: 'It did not exit on SIGTERM: Sightglass sent SIGKILL.',
} as const;
