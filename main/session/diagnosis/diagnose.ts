import type { Diagnosis, DiagnosisStep, DiagnosisStepName } from '#shared/contract/diagnosis.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Agreement, Evidence } from '#shared/contract/sessions.ts';
import { formatDuration } from '#shared/format.ts';
import { wrongDeclarations } from '#shared/wrong-declarations.ts';
import type { StdioTarget } from '#transports/stdio.ts';
import type { ConnectLog } from './connect-log.ts';
import { httpSteps } from './http-steps.ts';
import { factsOf, type MeasuredStep, notMeasured, truncateStep } from './step.ts';
import { stdioSteps } from './stdio-steps.ts';

// To add a cause that a server prints: a row in `output-causes.ts`, the most specific first. To add a step: its name and label
// in `shared/contract/diagnosis.ts`, what it measures in `stdio-steps.ts` or `http-steps.ts`, from what `connect-log.ts`
// collects; a further connection (`tls-probe.ts`) only if the first does not say enough. To add a fault that breaks another
// step than the handshake: a line in `stepsOfFaults`. Each with a server in `diagnose.test.ts`.

/** Where a session connects to. */
export type ConnectTarget =
  | { readonly kind: 'stdio'; readonly target: StdioTarget }
  | {
      readonly kind: 'http';
      /** Without its secrets. */
      readonly url: string;
      readonly challengeOf: (exchange: number) => string | undefined;
    };

interface DiagnoseOptions {
  readonly log: ConnectLog;
  readonly target: ConnectTarget;
  readonly agreement: Agreement | null;
  /** The steps that detected era and transport. */
  readonly evidence: readonly Evidence[];
  /** Why the connection failed; null if it did not. */
  readonly fault: Fault | null;
  /** The row of an HTTP exchange. */
  readonly rowOf: (exchange: number) => number | null;
  /** Replaces secrets in any value. */
  readonly redacted: <T>(value: T) => T;
}

/** The steps of a connection: those before the broken one with what was measured, that one with its fault. */
export async function diagnose(options: DiagnoseOptions): Promise<Diagnosis> {
  const { log, target, fault, rowOf, redacted } = options;
  const measured = redacted([
    ...(target.kind === 'stdio'
      ? await stdioSteps(target.target, log.process)
      : httpSteps({ ...target, log, rowOf })),
    handshakeStep(options),
  ]);
  const broken = fault === null ? null : brokenStep(fault, measured, log);
  const place = measured.findIndex(({ name }) => name === broken);
  return {
    steps: measured.map((step, index): DiagnosisStep => {
      if (fault === null || index < place) return { ...truncateStep(step), fault: null };
      if (index === place) return { ...truncateStep(step), state: 'failed', fault };
      return { ...notMeasured(step.name), state: 'skipped', fault: null };
    }),
  };
}

function handshakeStep({ agreement, evidence, log }: DiagnoseOptions): MeasuredStep {
  const step = { name: 'handshake', row: null } as const;
  if (agreement === null) return notMeasured('handshake');
  const { era, revision, server, handshake } = agreement;
  const who = server === null ? null : `${server.name} ${server.version}`;
  const time = handshake === null ? null : formatDuration(handshake);
  const spoken = `${era} ${revision}`;
  const wrong = wrongDeclarations(agreement);
  const declared = wrong.map(({ path }) => path || 'capabilities').join(', ');
  return {
    ...step,
    state: log.isAnswered ? 'ok' : 'unknown',
    measured: [
      spoken,
      who,
      time === null ? 'no probe' : `answered in ${time}`,
      log.starts > 1 ? 'started twice' : null,
      declared === '' ? null : `wrongly declared: ${declared}`,
    ]
      .filter(Boolean)
      .join(', '),
    facts: factsOf({
      Revision: spoken,
      Server: who,
      Time: time,
      Evidence: evidence.map(({ text }) => text).join(' '),
      'Wrongly declared': wrong.map(({ text }) => text).join('; '),
    }),
  };
}

/** The step that a fault belongs to. Every other fault is found in the handshake. */
const stepsOfFaults: Readonly<Record<string, DiagnosisStepName>> = {
  'command-not-found': 'command',
  'command-not-executable': 'executable',
  'working-folder-missing': 'spawn',
  'command-line-too-long': 'spawn',
  'spawn-failed': 'spawn',
  'http-lookup': 'lookup',
  'http-connect': 'connect',
  'http-proxy': 'proxy',
  'http-tls': 'tls',
  'http-request': 'http',
  'http-response': 'http',
  'http-body': 'http',
  'http-redirect': 'http',
  'http-status-401': 'authorization',
  'http-status-403': 'authorization',
};

function brokenStep({ code }: Fault, steps: readonly MeasuredStep[], log: ConnectLog): DiagnosisStepName {
  const stateOf = (name: DiagnosisStepName) => steps.find((step) => step.name === name)?.state;
  if (code === 'http-response' && log.speaksTls) return 'tls';
  // The file is there, and its interpreter is not.
  if (code === 'command-not-found' && stateOf('command') === 'ok') return 'executable';
  const named = stepsOfFaults[code];
  if (named !== undefined) return named;
  if (code.startsWith('http-status-')) return 'http';
  if (code.startsWith('tls-')) return 'tls';
  // Without any message, or without any response, the handshake was not reached.
  if (stateOf('output') === 'unknown') return 'output';
  return stateOf('http') === 'unknown' ? 'http' : 'handshake';
}
