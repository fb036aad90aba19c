import { useId } from 'react';
import { TextField } from '#ui/field.tsx';
import { Segmented } from '#ui/segmented.tsx';
import type { StdioDraft } from './draft/stdio-draft.ts';
import type { FieldProps } from './field-props.ts';
import { NamedValues } from './named-values/named-values.tsx';
import { variables } from './named-values/value-kinds.ts';

export function WorkingFolderField({ draft, errors, change, judge }: FieldProps<StdioDraft>) {
  return (
    <TextField
      mono
      label="Working folder"
      placeholder="your home folder"
      value={draft.cwd}
      error={errors.cwd}
      onChange={(cwd) => change({ cwd })}
      onBlur={() => judge('cwd')}
    />
  );
}

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
}: FieldProps<StdioDraft> & { readonly serverId: string | null }) {
  const titleId = useId();
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
      <p className="mb-2 text-xs text-faint">{inheritance[draft.inherit]}</p>
      <NamedValues
        kind={variables}
        rows={draft.env}
        errors={errors}
        serverId={serverId}
        onChange={(env) => change({ env })}
        judge={judge}
      />
    </div>
  );
}
