import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Remedy } from '#shared/contract/sessions.ts';

/** Why a session could not be opened, and what may help when it is tried again. */
export class OpenFault extends FaultError {
  override readonly name = 'OpenFault';
  readonly remedies: readonly Remedy[];

  constructor(fault: Fault, remedies: readonly Remedy[]) {
    super(fault);
    this.remedies = remedies;
  }
}

/** The server refused our revision, and speaks only these. */
export function noCommonRevision(asked: string, supported: readonly string[]): OpenFault {
  const list = supported.length === 0 ? 'none' : supported.join(', ');
  return new OpenFault(
    {
      code: 'revision-refused',
      what: `The server does not speak revision ${asked}.`,
      why: `It says that it supports ${list}.`,
      next: 'Connect with one of the revisions it supports.',
    },
    supported.map((revision) => ({ kind: 'revision', revision })),
  );
}
