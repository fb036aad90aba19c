import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { cx } from '../cx.ts';
import type { DiffText, MountedDiff } from './monaco-diff.ts';

export interface JsonDiffHandle {
  focus(): void;
}

/** Two JSON texts side by side, with what differs. Plain texts until Monaco has loaded, or if it cannot load. */
export function JsonDiff({
  left,
  right,
  labels,
  shownLines,
  ref,
}: {
  /** Must be stable. */
  readonly left: DiffText;
  readonly right: DiffText;
  /** Accessible names of both sides. */
  readonly labels: readonly [left: string, right: string];
  /** The line of each side to scroll to, from 1; null to stay. Must be stable. */
  readonly shownLines: readonly [left: number | null, right: number | null];
  readonly ref?: Ref<JsonDiffHandle>;
}) {
  const host = useRef<HTMLDivElement>(null);
  const [mounted, setMounted] = useState<MountedDiff | null>(null);
  const [leftLabel, rightLabel] = labels;
  useEffect(() => {
    let isWanted = true;
    let diff: MountedDiff | undefined;
    const mount = async () => {
      const { mountDiff } = await import('./monaco-diff.ts');
      if (!isWanted || host.current === null) return;
      diff = mountDiff(host.current, { leftLabel, rightLabel });
      setMounted(diff);
    };
    mount().catch(() => undefined);
    return () => {
      isWanted = false;
      setMounted(null);
      diff?.dispose();
    };
  }, [leftLabel, rightLabel]);
  useEffect(() => mounted?.setTexts(left, right), [mounted, left, right]);
  useEffect(() => mounted?.reveal(...shownLines), [mounted, left, right, shownLines]);
  useImperativeHandle(ref, () => ({ focus: () => mounted?.focus() }), [mounted]);
  return (
    <div className="relative h-full min-h-0 overflow-hidden bg-raise">
      {mounted === null && (
        <div className="absolute inset-0 grid grid-cols-2 overflow-auto">
          {[left, right].map(({ text }, index) => (
            <pre key={labels[index]} className="mono min-w-0 overflow-x-auto px-3 py-1.5 leading-[18px]">
              {text}
            </pre>
          ))}
        </div>
      )}
      <div ref={host} className={cx('absolute inset-0', mounted === null && 'invisible')} />
    </div>
  );
}
