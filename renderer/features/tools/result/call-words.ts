import type { Call } from '#shared/contract/calls.ts';
import type { DotTone } from '#ui/status-dot.tsx';
import { formatBytes, formatDuration } from '#shared/format.ts';

interface StateWord {
  readonly word: string;
  /** A colour of text; never the only sign. */
  readonly colour: string;
  readonly dot: DotTone;
}

/** How a call went, in a word. */
export const callWords: Readonly<Record<Call['state'], StateWord>> = {
  running: { word: 'running', colour: 'text-info', dot: 'busy' },
  ok: { word: 'ok', colour: 'text-in', dot: 'ok' },
  'tool-error': { word: 'tool error', colour: 'text-warn', dot: 'busy' },
  'protocol-error': { word: 'protocol error', colour: 'text-err', dot: 'error' },
  cancelled: { word: 'cancelled', colour: 'text-mute', dot: 'off' },
  'timed-out': { word: 'timed out', colour: 'text-err', dot: 'error' },
  lost: { word: 'lost', colour: 'text-err', dot: 'error' },
};

/** `5.012 s · 214 B · 10 progress`: what was measured, as far as there is something. */
export const callMeasures = ({ state, duration, size, progress }: Call): string =>
  [
    duration === null ? null : formatDuration(duration),
    size === null ? null : formatBytes(size),
    progress === null || state === 'running' ? null : `${progress.count} progress`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
