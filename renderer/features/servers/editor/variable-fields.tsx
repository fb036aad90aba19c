import { useAppInfo } from '#model/app-info.ts';
import { Checkbox } from '#ui/field.tsx';
import { FieldGroup } from './form-parts.tsx';
import { type Draft, type VariableRow, variableRows } from '../draft/draft.ts';
import { visibleLine } from '#ui/visible.ts';
import { VariableInput } from '../variable-input.tsx';

/** The values of the placeholders in the settings, such as `${input:token}`. Renders nothing if there are none. */
export function VariableFields({
  draft,
  change,
}: {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}) {
  const keepsSecrets = useAppInfo(({ info }) => info?.keepsSecrets ?? true);
  const rows = variableRows(draft);
  if (rows.length === 0) return null;
  const set = (name: string, part: Partial<VariableRow>) =>
    change({ variables: rows.map((row) => (row.name === name ? { ...row, ...part } : row)) });
  return (
    <FieldGroup label="Variables" hint="replaced when the server starts">
      <ul className="flex flex-col gap-2">
        {rows.map(({ isStored, ...variable }) => {
          const { name, value, secret } = variable;
          return (
            <li key={name} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3">
              <VariableInput
                variable={variable}
                label={<span className="mono font-normal">{visibleLine(`\${${name}}`)}</span>}
                hint={isStored ? 'as stored' : 'not given yet'}
                value={value ?? ''}
                onChange={(typed) => set(name, { value: typed === '' ? null : typed })}
              />
              <Checkbox
                label="secret"
                className="mt-7"
                aria-label={`${visibleLine(name)} is a secret`}
                checked={secret}
                onChange={(isSecret) => set(name, { secret: isSecret })}
              />
            </li>
          );
        })}
      </ul>
      {!keepsSecrets && rows.some(({ secret }) => secret) && (
        <p className="mt-1 text-xs text-faint">
          No key store here: secrets are forgotten when Sightglass quits.
        </p>
      )}
    </FieldGroup>
  );
}
