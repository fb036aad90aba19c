import type { OpenComparison } from '#shared/contract/comparison.ts';

/** `+18 %`, `−9 %`, `0 %`; a factor from 10 times on. */
export function changeText(share: number): string {
  if (share >= 9) return `×${Math.round(share + 1)}`;
  const percent = Math.round(share * 100);
  return percent === 0 ? '0 %' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
}

/** How much longer a step takes, as a share; null if one side does not know it. */
export const changeOf = (recorded: number | null, other: number | null): number | null =>
  recorded === null || other === null || recorded === 0 ? null : other / recorded - 1;

/** A change from which on latency is worth a colour. */
const NOTABLE = 0.1;

/** The tone of a change of latency. */
export function toneOfChange(share: number | null): string {
  if (share === null || Math.abs(share) < NOTABLE) return 'text-mute';
  return share > 0 ? 'text-warn' : 'text-in';
}

/** How the 95th percentile changed; null without calls of both sides. */
export const p95Change = ({ latency }: OpenComparison): number | null =>
  latency === null ? null : changeOf(latency.recorded.p95, latency.other.p95);
