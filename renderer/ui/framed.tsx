import type { ReactNode } from 'react';

/** A framed part of a result with a title bar. */
export function Framed({
  title,
  note,
  actions,
  children,
}: {
  readonly title: ReactNode;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className="overflow-hidden rounded-ui border border-line bg-raise">
      <div className="flex min-h-[26px] items-center gap-2 border-b border-line py-px pr-1 pl-2.5 text-xs">
        <span className="font-medium text-mute">{title}</span>
        <span className="min-w-0 flex-1 text-faint">{note}</span>
        {actions}
      </div>
      {children && <div className="px-2.5 py-2">{children}</div>}
    </div>
  );
}
