import { Plus } from 'lucide-react';
import { useId } from 'react';
import { useAppInfo } from '#model/app-info.ts';
import { Button } from '#ui/button.tsx';
import { FieldError } from '#ui/field.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { type EnvDraft, envDraft, looksSecret, parseEnvLines } from './draft.ts';
import { EnvironmentRow } from './environment-row.tsx';
import type { FieldsProps } from './setting-fields.tsx';

const inheritance = {
  safe: 'Gets PATH, HOME and the few others every program needs, and the variables below.',
  all: 'Gets every variable Sightglass was started with, and the variables below.',
} as const;

/** What the server's process finds in its environment. */
export function EnvironmentFields({
  draft,
  errors,
  change,
  judge,
  serverId,
}: FieldsProps & { readonly serverId: string | null }) {
  const keepsSecrets = useAppInfo(({ info }) => info?.keepsSecrets ?? true);
  const titleId = useId();
  const replace = (place: number, ...rows: readonly EnvDraft[]) =>
    change({ env: draft.env.toSpliced(place, 1, ...rows) });
  const hasSecret = draft.env.some(({ secret }) => secret);
  return (
    <div role="group" aria-labelledby={titleId}>
      <div className="mb-1 flex items-center justify-between gap-3">
        <span id={titleId} className="font-medium">
          Environment
        </span>
        <Segmented
          label="Inherited variables"
          className="-my-1"
          value={draft.inherit}
          onChange={(inherit) => change({ inherit })}
          options={[
            { id: 'safe', label: 'safe' },
            { id: 'all', label: 'all' },
          ]}
        />
      </div>
      <p className="text-xs text-faint">{inheritance[draft.inherit]}</p>
      <ul className="mt-2 flex flex-col gap-1.5">
        {draft.env.map((row, place) => (
          <li key={row.key}>
            <EnvironmentRow
              row={row}
              serverId={serverId}
              onChange={(next) => replace(place, next)}
              onRemove={() => replace(place)}
              onLeave={() => judge(`env.${place}`)}
              onPaste={(text) => {
                const entries = parseEnvLines(text);
                if (entries === null) return false;
                replace(place, ...entries.map(({ name, value }) => envDraft(name, value, looksSecret(name))));
                return true;
              }}
            />
            {errors[`env.${place}`] !== undefined && <FieldError>{errors[`env.${place}`]}</FieldError>}
          </li>
        ))}
      </ul>
      <div className="mt-1.5 flex items-center gap-3">
        <Button
          size="small"
          icon={<Plus aria-hidden className="size-3" />}
          onClick={() => change({ env: [...draft.env, envDraft()] })}
        >
          Add a variable
        </Button>
        <span className="text-xs text-faint">
          {hasSecret && !keepsSecrets
            ? 'No key store here: secrets are forgotten when Sightglass quits.'
            : 'Lines of NAME=value can be pasted into a name.'}
        </span>
      </div>
    </div>
  );
}
