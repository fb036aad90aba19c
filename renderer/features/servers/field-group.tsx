import { type ReactNode, useId } from 'react';

/** Controls that belong together under one label, with a few words at its right. */
export function FieldGroup({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint: string;
  readonly children: ReactNode;
}) {
  const labelId = useId();
  return (
    <div role="group" aria-labelledby={labelId}>
      <div className="mb-1 flex items-baseline justify-between gap-3">
        <span id={labelId} className="font-medium">
          {label}
        </span>
        <span className="text-xs text-faint">{hint}</span>
      </div>
      {children}
    </div>
  );
}
