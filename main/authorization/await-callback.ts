import type { AuthorizationStep } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { AwaitedRedirect } from './callback-listener.ts';
import { CallbackLog } from './callback-log.ts';
import type { Conclusion, PlannedStep } from './flow-types.ts';
import type { PendingInput } from './pending-input.ts';
import { type ArrivedCallback, whyUntrusted } from './received-callback.ts';

interface AwaitOptions {
  readonly input: PendingInput;
  readonly signal: AbortSignal;
  /** Whether the browser is opened, and waited for until a limit. */
  readonly isAutomatic: boolean;
  readonly onWaiting: () => void;
  /** Called on success and on failure. */
  readonly onEnd: () => void;
  /** Shows in the step what came so far. */
  readonly show: (change: Partial<AuthorizationStep>) => void;
}

/** Waits for the redirect that answers a request, and concludes from it; the step shows every other one, too. */
export async function awaitCallback(
  act: Extract<PlannedStep['act'], { kind: 'callback' }>,
  { input, signal, show, ...how }: AwaitOptions,
): Promise<Conclusion> {
  const log = new CallbackLog(act);
  const { expected, isAnswer } = act;
  const awaited: AwaitedRedirect = {
    isAnswer,
    whyUntrusted: (request) => whyUntrusted(request, expected),
    onStray: (stray: ArrivedCallback) => {
      if (!signal.aborted && log.addStray(stray)) show({ ...log.shown, findings: [...log.findings] });
    },
  };
  const { redirectUri } = expected;
  const last = await input
    .callback(act.url, { ...how, awaited, redirectUri, signal })
    .catch((error: unknown) => {
      if (error instanceof FaultError) return error.fault;
      throw error;
    });
  if ('url' in last) {
    log.addLast(last);
    show({ ...log.shown, row: last.row });
  }
  const conclusion = await ('url' in last ? act.conclude(last) : act.failed(last));
  const { findings = [] } = conclusion;
  const others = log.findings.filter(({ rule }) => findings.every((one) => one.rule !== rule));
  return { ...conclusion, findings: [...others, ...findings] };
}
