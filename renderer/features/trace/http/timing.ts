import type { ExchangeDetail } from '#shared/contract/trace.ts';
import type { HttpStep } from '#shared/trace/record.ts';

/** One stretch of an exchange, in microseconds from its beginning. */
export interface TimingStep {
  readonly name: string;
  /** What is measured, in a sentence. */
  readonly hint: string;
  readonly from: number;
  /** Null while it goes on, and for good when the record ends within it. */
  readonly to: number | null;
  readonly hasFailed: boolean;
}

export interface Timing {
  readonly steps: readonly TimingStep[];
  /** What all bars together span: to the end, or to the last stamp so far. */
  readonly span: number;
  /** From the beginning to the end; null without one. */
  readonly total: number | null;
}

/** The steps of making a connection, in their order. */
const connectionSteps = [
  { step: 'lookup', name: 'Lookup', hint: 'Finding the address of the host' },
  { step: 'connect', name: 'Connect', hint: 'Making the TCP connection' },
  { step: 'proxy', name: 'Proxy', hint: 'Having the proxy connect to the server' },
  { step: 'tls', name: 'TLS', hint: 'The TLS handshake' },
] as const satisfies readonly { step: HttpStep; name: string; hint: string }[];

const stepNames: Readonly<Partial<Record<HttpStep, string>>> = Object.fromEntries(
  connectionSteps.map(({ step, name }) => [step, name]),
);

/** Where the time of an exchange went, from its stamps. */
export function timingOf({ request, connected, responses, end }: ExchangeDetail): Timing {
  const response = responses.find(({ interim }) => interim !== true);
  const after = (at: number | undefined) => (at === undefined ? null : Math.max(0, at - request.at));
  const endAt = after(end?.at);
  const connectedAt = after(connected?.at);
  const responseAt = after(response?.at);
  const hasFailed = end?.how === 'failed' || end?.how === 'cut';
  const steps: TimingStep[] = [];
  const add = (name: string, hint: string, from: number, to: number | null) =>
    steps.push({ name, hint, from, to, hasFailed: false });

  if (connected === null || connectedAt === null) {
    // The steps that went well before a failure have no stamps of their own.
    const name = (end?.failure && stepNames[end.failure.step]) ?? 'Connecting';
    add(name, 'From the beginning to here; there was no connection yet', 0, endAt);
  } else {
    const took = connectionSteps.map(({ step }) => connected.took[step] ?? 0);
    let from = Math.max(0, connectedAt - took.reduce((sum, each) => sum + each, 0));
    add('Queued', 'Waiting for a connection', 0, from);
    for (const [order, { name, hint, step }] of connectionSteps.entries()) {
      if (connected.took[step] === undefined) continue;
      const to = from + (took[order] ?? 0);
      add(name, hint, from, to);
      from = to;
    }
    add(
      'Wait',
      'Sending the request and waiting for the head of the response',
      connectedAt,
      responseAt ?? endAt,
    );
    if (responseAt !== null) add('Body', 'From the head of the response to its end', responseAt, endAt);
  }
  const last = steps.at(-1);
  if (last !== undefined && hasFailed) steps[steps.length - 1] = { ...last, hasFailed };
  const lastStamp = Math.max(...steps.map(({ from, to }) => to ?? from));
  return { steps, span: endAt ?? lastStamp, total: endAt };
}

const milliseconds = new Intl.NumberFormat('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 });

/** Microseconds as exact milliseconds: `1,204.031 ms`. */
export const exactMilliseconds = (microseconds: number): string =>
  `${milliseconds.format(microseconds / 1000)} ms`;
