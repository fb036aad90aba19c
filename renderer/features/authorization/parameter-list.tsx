import { Eye, EyeOff, FlaskConical, Lock, Plus, Trash2, Undo2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ParameterPlace } from '#shared/authorization/parameters.ts';
import type { AuthorizationParameter } from '#shared/contract/authorization.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { ParameterName } from './parameter-help.tsx';

const HIDDEN = '••••';

/** The parameters of a query, a form or a head: each with its value, why it has it, and whether it is sent. */
export function ParameterList({
  label,
  parameters,
  place,
  given,
  isEditable,
  onChange,
  reveal,
  onRow,
  wrongName,
  menuOf,
}: {
  /** Such as `Query parameters`. */
  readonly label: string;
  readonly parameters: readonly AuthorizationParameter[];
  /** What they are parameters of; null if of nothing that OAuth defines. */
  readonly place: ParameterPlace | null;
  /** The parameters before the user changed them, to mark what differs and to restore a secret. */
  readonly given: readonly AuthorizationParameter[];
  readonly isEditable: boolean;
  readonly onChange: (parameters: readonly AuthorizationParameter[]) => void;
  /** Reads a secret after the user's click; null if it is not available, as in a recorded session. */
  readonly reveal: ((name: string) => Promise<string | null>) | null;
  readonly onRow: (row: number) => void;
  /** The parameter that a wrong value was chosen for. */
  readonly wrongName: string | null;
  /** The menu of wrong values of a parameter; null if it has none. */
  readonly menuOf: (name: string) => ReactNode;
}) {
  const replace = (at: number, change: AuthorizationParameter | null) =>
    onChange(parameters.flatMap((one, index) => (index !== at ? [one] : change === null ? [] : [change])));
  return (
    <>
      <ul aria-label={label} className="@container">
        {parameters.map((parameter, at) => (
          <Parameter
            // Names may repeat, and change while they are typed.
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            parameter={parameter}
            place={place}
            given={given[at] ?? null}
            // Those that the engine gave keep their places.
            isAdded={at >= given.length}
            isEditable={isEditable}
            isWrong={wrongName === parameter.name}
            onChange={(change) => replace(at, change)}
            reveal={reveal}
            onRow={onRow}
            menu={menuOf(parameter.name)}
          />
        ))}
      </ul>
      {parameters.length === 0 && <p className="px-3 py-1.5 text-mute">None.</p>}
      {isEditable && (
        <Button
          size="small"
          variant="quiet"
          className="mx-2 my-1"
          icon={<Plus aria-hidden className="size-3.5" />}
          disabled={parameters.some(({ name }) => name === '')}
          onClick={() =>
            onChange([
              ...parameters,
              { name: '', value: '', fingerprint: null, isOn: true, note: '', row: null },
            ])
          }
        >
          Add
        </Button>
      )}
    </>
  );
}

function Parameter({
  parameter,
  place,
  given,
  isAdded,
  isEditable,
  isWrong,
  onChange,
  reveal,
  onRow,
  menu,
}: {
  readonly parameter: AuthorizationParameter;
  readonly place: ParameterPlace | null;
  readonly given: AuthorizationParameter | null;
  readonly isAdded: boolean;
  readonly isEditable: boolean;
  readonly isWrong: boolean;
  readonly onChange: (change: AuthorizationParameter | null) => void;
  readonly reveal: ((name: string) => Promise<string | null>) | null;
  readonly onRow: (row: number) => void;
  readonly menu: ReactNode;
}) {
  const { name, value, fingerprint, isOn, row } = parameter;
  // The note of one that was left out says why.
  const note = isOn && given?.isOn === false ? '' : parameter.note;
  const change = changeOf(parameter, given);
  const [revealed, setRevealed] = useState<string | null>(null);
  const says = name === '' ? 'the new parameter' : visibleLine(name);
  const isSecret = fingerprint !== null;
  const shown = value ?? revealed;
  const isReplaced =
    given !== null && given.value === null && (value !== null || fingerprint !== given.fingerprint);
  const toggle = () => {
    if (revealed !== null) setRevealed(null);
    else reveal?.(name).then(setRevealed, () => setRevealed(null));
  };
  return (
    <li
      className={cx(
        'grid min-h-row grid-cols-[20px_152px_minmax(0,1fr)] @max-[390px]:grid-cols-[20px_112px_minmax(0,1fr)] items-center border-b border-line/60 px-3',
        isWrong ? 'bg-hover' : 'hover:bg-hover/60',
      )}
    >
      {isEditable ? (
        <input
          type="checkbox"
          aria-label={`Send ${says}`}
          checked={isOn}
          onChange={({ target }) => onChange({ ...parameter, isOn: target.checked })}
          className="size-3.5 accent-accent outline-offset-1"
        />
      ) : (
        <Lock aria-hidden className="size-3 text-faint" />
      )}
      {isAdded && isEditable ? (
        <input
          aria-label="Name of the parameter"
          placeholder="name"
          spellCheck={false}
          value={name}
          onChange={({ target }) => onChange({ ...parameter, name: target.value })}
          className={cx(cellLook, 'text-key')}
        />
      ) : (
        <ParameterName
          place={place}
          name={name}
          className={cx('pr-2', isOn ? 'text-key' : 'text-faint line-through')}
        />
      )}
      <span className="flex min-w-0 items-center gap-x-1.5 @max-[390px]:flex-wrap">
        {isEditable ? (
          <input
            aria-label={`Value of ${says}`}
            spellCheck={false}
            autoComplete="off"
            disabled={!isOn}
            placeholder={isSecret && shown === null ? `${HIDDEN} ${fingerprint}` : ''}
            value={shown ?? ''}
            onChange={({ target }) => onChange({ ...parameter, value: target.value })}
            className={cellLook}
          />
        ) : shown === null ? (
          <span className="mono min-w-0 flex-1">
            <span role="img" aria-label="hidden" className="text-mute">
              {HIDDEN}
            </span>{' '}
            <span className="text-faint">{fingerprint}</span>
          </span>
        ) : (
          <PlainText
            inline
            text={shown}
            className={cx('mono min-w-0 flex-1 py-0.5', !isOn && 'line-through')}
          />
        )}
        {(note !== '' || row !== null || change !== null) && (
          <small className="flex max-w-[45%] min-w-0 shrink-2 items-center gap-1.5 text-xs text-faint @max-[390px]:order-last @max-[390px]:max-w-full @max-[390px]:basis-full @max-[390px]:pb-1">
            {change !== null && <span className="shrink-0 font-medium text-text">{change}</span>}
            <span title={visibleLine(note)} className="truncate">
              {visibleLine(note)}
            </span>
            <RowLink row={row} onOpen={onRow} />
          </small>
        )}
        <span className="flex shrink-0 items-center empty:hidden">
          {isReplaced && isEditable && (
            <IconButton
              size="small"
              label={`Restore ${says}`}
              onClick={() => onChange({ ...parameter, value: null, fingerprint: given.fingerprint })}
            >
              <Undo2 aria-hidden className="size-3.5" />
            </IconButton>
          )}
          {isSecret && value === null && reveal !== null && (
            <IconButton
              size="small"
              label={`${revealed === null ? 'Show' : 'Hide'} ${says}`}
              onClick={toggle}
            >
              {revealed === null ? (
                <Eye aria-hidden className="size-3.5" />
              ) : (
                <EyeOff aria-hidden className="size-3.5" />
              )}
            </IconButton>
          )}
          {isAdded && isEditable && (
            <IconButton size="small" label={`Remove ${says}`} onClick={() => onChange(null)}>
              <Trash2 aria-hidden className="size-3.5" />
            </IconButton>
          )}
          {isWrong && menu === null && (
            <FlaskConical aria-label="wrong value" className="size-3.5 text-accent" />
          )}
          {menu}
        </span>
      </span>
    </li>
  );
}

/** What the user changed about a parameter; null if nothing. @param given as it was planned; null for one that was added */
function changeOf(
  { value, fingerprint, isOn }: AuthorizationParameter,
  given: AuthorizationParameter | null,
): string | null {
  if (given === null) return 'added';
  if (isOn !== given.isOn) return isOn ? 'switched on' : 'switched off';
  return value !== given.value || fingerprint !== given.fingerprint ? 'edited' : null;
}

/** A field as high as its row, whose border shows when it is used. */
const cellLook =
  'mono h-[22px] w-full min-w-0 flex-1 truncate rounded-sm border border-transparent bg-transparent px-1 -ml-[5px] text-text field-focus hover:border-line disabled:opacity-50';
