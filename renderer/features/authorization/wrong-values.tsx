import { ChevronDown, FlaskConical, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AuthorizationStep } from '#shared/contract/authorization.ts';
import { findWrongValue, type WrongValue } from '#shared/authorization/wrong-values.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { Menu, type MenuEntries } from '#ui/menu.tsx';
import { visibleLine } from '#ui/visible.ts';

type Choose = (name: string | null) => void;

const entriesOf = (values: readonly WrongValue[], chosen: string | null, onChoose: Choose): MenuEntries =>
  values.map(({ name, label, detail }) => ({
    label,
    detail,
    isChecked: name === chosen,
    onSelect: () => onChoose(name === chosen ? null : name),
  }));

/** Every wrong value that a request can have. */
export function WrongValues({
  values,
  chosen,
  onChoose,
}: {
  readonly values: readonly WrongValue[];
  readonly chosen: string | null;
  readonly onChoose: Choose;
}) {
  if (values.length === 0) return null;
  return (
    <Menu
      entries={entriesOf(values, chosen, onChoose)}
      trigger={
        <Button
          size="small"
          variant="quiet"
          aria-label="Wrong values"
          icon={<FlaskConical aria-hidden className="size-3.5" />}
        >
          <span className="@max-[480px]:hidden">Wrong values</span>
          <ChevronDown aria-hidden className="size-3" />
        </Button>
      }
    />
  );
}

/** The wrong values of one parameter, on its line. Null if it has none. */
export function wrongValueMenu(
  values: readonly WrongValue[],
  parameter: string,
  chosen: string | null,
  onChoose: Choose,
): ReactNode {
  const own = values.filter((one) => one.parameter === parameter);
  if (own.length === 0) return null;
  return (
    <Menu
      entries={entriesOf(own, chosen, onChoose)}
      trigger={
        <IconButton size="small" label={`Wrong values of ${visibleLine(parameter)}`}>
          <FlaskConical
            aria-hidden
            className={own.some(({ name }) => name === chosen) ? 'size-3.5 text-accent' : 'size-3.5'}
          />
        </IconButton>
      }
    />
  );
}

/** Which wrong value is sent, how it must be rejected, and whether it was. */
export function WrongValueNote({
  step: { isWrongAccepted },
  name,
  onRemove,
}: {
  readonly step: AuthorizationStep;
  readonly name: string;
  /** Null once it was sent. */
  readonly onRemove: (() => void) | null;
}) {
  const value = findWrongValue(name);
  if (value === null) return null;
  const { label, detail, expected, source, rejectedBy } = value;
  const by = rejectedBy === 'client' ? 'this client' : 'the authorization server';
  return (
    <div
      role="note"
      aria-label="Wrong value"
      className="flex shrink-0 items-start gap-2 border-y border-line bg-accent-soft/40 px-3 py-1.5"
    >
      <FlaskConical aria-hidden className="mt-[3px] size-3.5 shrink-0 text-accent" />
      <div className="min-w-0 flex-1">
        <p>
          <span className="font-medium">{label}</span>
          {detail !== '' && <span className="text-mute">: {detail}</span>}
        </p>
        {isWrongAccepted === null ? (
          <p className="text-xs text-mute">
            Must be rejected by {by}: {expected} ({source}).
          </p>
        ) : (
          <p className={isWrongAccepted ? 'text-xs text-err' : 'text-xs text-in'}>
            {isWrongAccepted
              ? `Accepted, but ${by} must reject it: ${expected} (${source}).`
              : `Rejected, as it must be (${source}).`}
          </p>
        )}
      </div>
      {onRemove !== null && (
        <IconButton size="small" label="Remove the wrong value" onClick={onRemove}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      )}
    </div>
  );
}
