import { Info, OctagonAlert, TriangleAlert } from 'lucide-react';
import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import { cx } from '#ui/cx.ts';

type Severity = AuthorizationFinding['severity'];

/** The shapes differ from those of a step's state: a step that is done can have an error. */
const marks = {
  error: { Icon: OctagonAlert, tone: 'text-err' },
  warning: { Icon: TriangleAlert, tone: 'text-warn' },
  info: { Icon: Info, tone: 'text-info' },
} as const satisfies Readonly<Record<Severity, unknown>>;

/** The icon of a finding. Decorative: the text beside it says the same. */
export function FindingIcon({
  severity,
  className,
}: {
  readonly severity: Severity;
  readonly className?: string;
}) {
  const { Icon, tone } = marks[severity];
  return <Icon aria-hidden className={cx('shrink-0', tone, className)} />;
}

const order: readonly Severity[] = ['error', 'warning', 'info'];

/** The worst severity; null without findings. */
export const worstOf = (findings: readonly AuthorizationFinding[]): Severity | null =>
  order.find((severity) => findings.some((finding) => finding.severity === severity)) ?? null;
