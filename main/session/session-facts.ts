import type { Fault } from '#shared/contract/fault.ts';
import type { Agreement, Evidence, SessionView } from '#shared/contract/sessions.ts';
import type { PhaseName, ProcessChange } from '#shared/trace/record.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { Trace } from '#trace/trace.ts';
import { serverInfoOf } from './era/modern-era.ts';

/** What is known of a session at the moment, apart from its trace. */
export class SessionFacts {
  phase: PhaseName = 'connecting';
  reason: string | null = null;
  fault: Fault | null = null;
  remedies: SessionView['remedies'] = [];
  agreement: Agreement | null = null;
  closedAt: number | null = null;
  /** How many times the server let its session expire and it was opened again. */
  renewed = 0;
  missedPings = 0;
  logLevel: string | null = null;
  process: SessionView['process'] = null;
  readonly evidence: Evidence[] = [];
  readonly openedAt = Date.now();

  get isOpen(): boolean {
    return this.phase !== 'closed' && this.phase !== 'failed';
  }

  /** Before that, it cannot be used; a failure then is one to open it. */
  get isOpening(): boolean {
    return this.phase === 'connecting' || this.phase === 'detecting' || this.phase === 'initializing';
  }

  noteProcess(change: ProcessChange): void {
    if (change.what === 'spawn') this.process = { pid: change.pid, exitCode: null, signal: null };
    if (change.what === 'exit') {
      this.process = { pid: this.process?.pid ?? null, exitCode: change.code, signal: change.signal };
    }
  }

  /** A server of the modern era says who it is in the results it gives. True when that was news. */
  learnServer({ envelope }: RecordedMessage): boolean {
    if (this.agreement?.era !== 'modern' || this.agreement.server !== null) return false;
    if ('fault' in envelope || envelope.message.type !== 'result') return false;
    const server = serverInfoOf(envelope.message.result);
    if (server !== null) this.agreement = { ...this.agreement, server };
    return server !== null;
  }

  /** The part of a session's view that is of these facts. */
  get view() {
    const { phase, reason, fault, remedies, agreement, evidence, process, openedAt, closedAt } = this;
    const { missedPings, logLevel } = this;
    return {
      phase,
      reason,
      fault,
      remedies,
      agreement,
      evidence: [...evidence],
      process,
      openedAt,
      closedAt,
      missedPings,
      logLevel,
    };
  }
}

/** The part of a session's view that is of its trace. */
export const traceView = ({ index, file, durations, fault, findings }: Trace) => ({
  counts: {
    rows: index.columns.count,
    messages: index.messages,
    errors: index.errors,
    invalid: index.invalid,
    traceBytes: file.size,
  },
  findings: { ...findings.counts },
  medianDuration: durations.median(),
  traceFile: { path: file.path, fault },
});
