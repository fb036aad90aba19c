import type { ReactNode } from 'react';

/** Shown instead of empty content: what belongs here, and what to do next. */
export function EmptyState({
  title,
  icon,
  actions,
  children,
}: {
  readonly title: string;
  readonly icon?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className="grid h-full min-h-0 place-items-center overflow-auto p-6">
      <div className="flex max-w-[480px] flex-col items-center text-center">
        {icon && (
          <div aria-hidden className="mb-3 text-faint [&>svg]:size-6">
            {icon}
          </div>
        )}
        <h2 className="text-lg font-semibold">{title}</h2>
        {children && <div className="mt-1 max-w-[420px] text-mute">{children}</div>}
        {actions && <div className="mt-4 flex flex-wrap justify-center gap-2">{actions}</div>}
      </div>
    </div>
  );
}
