import type { ExchangeDetail } from '#shared/contract/trace.ts';
import type { HttpStep } from '#shared/trace/record.ts';
import { cx } from '#ui/cx.ts';
import { Section } from './section.tsx';

/** The duration of each step. */
export function TimingBars({ exchange }: { readonly exchange: ExchangeDetail }) {
  const { steps, span, total } = timingOf(exchange);
  const isOver = exchange.end !== null;
  const isReused = exchange.connected?.reused === true;
  return (
    <Section
      title="Timing"
      summary={[total === null ? 'still open' : exactMilliseconds(total), isReused && 'reused connection']
        .filter(Boolean)
        .join(', ')}
    >
      <dl className="mono grid grid-cols-[max-content_minmax(48px,1fr)_max-content] px-3">
        {steps.map((step) => (
          <div
            key={step.name}
            title={step.hint}
            className="col-span-3 grid h-row grid-cols-subgrid items-center gap-x-3"
          >
            <dt className={step.hasFailed ? 'text-err' : 'text-mute'}>{step.name}</dt>
            <dd className="contents">
              <Bar step={step} span={span} />
              <span className={cx('text-right', step.hasFailed && 'text-err')}>{lasted(step, isOver)}</span>
            </dd>
          </div>
        ))}
        {total !== null && (
          <div className="col-span-3 grid h-row grid-cols-subgrid items-center gap-x-3">
            <dt className="text-mute">Total</dt>
            <dd className="col-start-3 text-right font-semibold">{exactMilliseconds(total)}</dd>
          </div>
        )}
      </dl>
    </Section>
  );
}

function lasted({ from, to }: TimingStep, isOver: boolean): string {
  if (to !== null) return exactMilliseconds(to - from);
  return isOver ? 'never' : 'ongoing';
}

const percent = (part: number, whole: number): string => `${whole === 0 ? 0 : (100 * part) / whole}%`;

function Bar({ step: { from, to, hasFailed }, span }: { readonly step: TimingStep; readonly span: number }) {
  const left = `min(${percent(from, span)}, 100% - ${to === null ? 24 : 2}px)`;
  const width = to === null ? `calc(100% - ${left})` : percent(to - from, span);
  return (
    <span aria-hidden className="relative block h-2 overflow-hidden">
      <span
        className={cx(
          'absolute h-2 min-w-0.5 rounded-[2px]',
          hasFailed ? 'bg-err' : to === null ? 'bg-linear-to-r from-out to-transparent' : 'bg-out',
        )}
        style={{ left, width }}
      />
    </span>
  );
}

/** One step of an exchange, in microseconds from its start. */
interface TimingStep {
  readonly name: string;
  /** What is measured; a sentence. */
  readonly hint: string;
  readonly from: number;
  /** Null while ongoing, or when the record ends within it. */
  readonly to: number | null;
  readonly hasFailed: boolean;
}

interface Timing {
  readonly steps: readonly TimingStep[];
  /** The span of all bars: to the end, or to the last timestamp so far. */
  readonly span: number;
  /** Microseconds from start to end; null while the exchange is open. */
  readonly total: number | null;
}

/** The steps of connecting, in order. */
const connectionSteps = [
  { step: 'lookup', name: 'Lookup', hint: 'Finding the address of the host' },
  { step: 'connect', name: 'Connect', hint: 'Making the TCP connection' },
  { step: 'proxy', name: 'Proxy', hint: 'Having the proxy connect to the server' },
  { step: 'tls', name: 'TLS', hint: 'The TLS handshake' },
] as const satisfies readonly { step: HttpStep; name: string; hint: string }[];

const stepNames: Readonly<Partial<Record<HttpStep, string>>> = Object.fromEntries(
  connectionSteps.map(({ step, name }) => [step, name]),
);

/** The steps of an exchange, from its timestamps. */
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
    // Steps that succeeded before a failure have no timestamps of their own.
    const name = (end?.failure && stepNames[end.failure.step]) ?? 'Connecting';
    add(name, 'From the start until now; there was no connection yet', 0, endAt);
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
