import { Plus } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { useAppInfo } from '#model/app-info.ts';
import { Button } from '#ui/button.tsx';
import type { DraftErrors } from '../draft/part.ts';
import type { NamedValue } from './named-value.ts';
import { NamedValueRow } from './named-value-row.tsx';
import { emptyRow, rowsOf, type ValueKind } from './value-kinds.ts';

/** Edits rows of name, value and secret: the variables of a process, the headers of a URL. */
export function NamedValues({
  kind,
  rows,
  errors,
  serverId,
  onChange,
  judge,
  shortcuts = [],
}: {
  readonly kind: ValueKind;
  readonly rows: readonly NamedValue[];
  readonly errors: DraftErrors;
  readonly serverId: string | null;
  readonly onChange: (rows: readonly NamedValue[]) => void;
  readonly judge: (place: string) => void;
  /** Rows that are often wanted; the user has only the value left to write. */
  readonly shortcuts?: readonly { readonly label: ReactNode; readonly row: () => NamedValue }[];
}) {
  const keepsSecrets = useAppInfo(({ info }) => info?.keepsSecrets ?? true);
  const [added, setAdded] = useState<number | null>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = (row: NamedValue) => {
    setAdded(row.key);
    onChange([...rows, row]);
  };
  const replace = (place: number, ...others: readonly NamedValue[]) =>
    onChange(rows.toSpliced(place, 1, ...others));

  return (
    <>
      <ul className="flex flex-col gap-1.5">
        {rows.map((row, place) => (
          <li key={row.key}>
            <NamedValueRow
              kind={kind}
              row={row}
              error={errors[`${kind.place}.${place}`]}
              valueError={errors[`${kind.place}.${place}.value`]}
              serverId={serverId}
              isNew={row.key === added}
              onChange={(next) => replace(place, next)}
              onRemove={() => {
                replace(place);
                // The button that had the focus is gone.
                addButton.current?.focus();
              }}
              onLeave={() => {
                judge(`${kind.place}.${place}`);
                judge(`${kind.place}.${place}.value`);
              }}
              onPaste={(text) => {
                const lines = kind.parse(text);
                if (lines === null) return false;
                replace(place, ...rowsOf(kind, lines));
                return true;
              }}
            />
          </li>
        ))}
      </ul>
      <div className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <Button
          ref={addButton}
          size="small"
          icon={<Plus aria-hidden className="size-3" />}
          onClick={() => add(emptyRow(kind))}
        >
          Add a {kind.one}
        </Button>
        {shortcuts.map(({ label, row }, place) => (
          <Button
            key={place}
            size="small"
            icon={<Plus aria-hidden className="size-3" />}
            onClick={() => add(row())}
          >
            {label}
          </Button>
        ))}
        <span className="text-xs text-faint">
          {rows.some(({ secret }) => secret) && !keepsSecrets
            ? 'No key store here: secrets are forgotten when Sightglass quits.'
            : kind.pasteHint}
        </span>
      </div>
    </>
  );
}
