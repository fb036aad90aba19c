import { visibleLine } from '#ui/visible.ts';
import { useOpening } from './opening.ts';
import { ProgressBar } from './progress-bar.tsx';

/** Files whose bytes are being taken in. */
export function IncomingRows() {
  const incoming = useOpening((opening) => opening.incoming);
  return incoming.map(({ id, name, share }) => (
    <div key={id} className="px-3.5 py-1.5">
      <div className="flex gap-2">
        <span className="min-w-0 flex-1 truncate text-mute">{visibleLine(name)}</span>
        <span className="shrink-0 text-xs text-faint tabular-nums">{Math.floor(share * 100)} %</span>
      </div>
      <ProgressBar label={`${name} is being taken in`} share={share} className="mt-1" />
    </div>
  ));
}
