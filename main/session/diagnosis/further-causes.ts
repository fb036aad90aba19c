import type { Fault } from '#shared/contract/fault.ts';
import { hasCarriageReturn, inspectCommand } from '#transports/command-file.ts';
import type { ConnectLog } from './connect-log.ts';
import type { ConnectTarget } from './diagnose.ts';
import { withTlsProbe } from './tls-probe.ts';

/** The fault of a connection with a cause that the connection itself did not show. */
export const withFurtherCauses = (fault: Fault, target: ConnectTarget, log: ConnectLog): Promise<Fault> =>
  target.kind === 'stdio' ? withScriptCause(fault, target) : withTlsProbe(fault, target, log);

/** Faults of a process that ran and sent no message. */
const silentFaults: ReadonlySet<string> = new Set(['ended-before-initialize', 'initialize-timeout']);

/** Looks at the first line of the script that was run: with Windows line ends it fails in many ways, by what its line names. */
async function withScriptCause(
  fault: Fault,
  { target }: Extract<ConnectTarget, { kind: 'stdio' }>,
): Promise<Fault> {
  if (!silentFaults.has(fault.code) || fault.why?.includes('carriage return') === true) return fault;
  const file = await inspectCommand(target);
  if (file === null || file.script === null || !hasCarriageReturn(file.script)) return fault;
  return {
    ...fault,
    why: [
      `The first line of ${file.path} ends with a carriage return (Windows line ends), which the system takes as part of it.`,
      fault.why,
    ]
      .filter(Boolean)
      .join(' '),
    next: 'Save the file with Unix line ends (LF), or start it through its interpreter.',
  };
}
