import { Plus } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '#ui/button.tsx';
import { FieldGroup } from '../field-group.tsx';
import type { FieldProps } from '../field-props.ts';
import { type ClientDraft, ruleRow } from './client-draft.ts';
import { RuleFieldsOf } from './rule-row.tsx';

/** How questions of the server are answered without asking the user. */
export function RuleFields({ draft: { rules }, errors, change, judge }: FieldProps<ClientDraft>) {
  const addButton = useRef<HTMLButtonElement>(null);
  const move = (from: number, to: number) => {
    const rule = rules[from];
    if (rule !== undefined) change({ rules: rules.toSpliced(from, 1).toSpliced(to, 0, rule) });
  };
  return (
    <FieldGroup label="Rules" hint="answers without you; the first that fits counts">
      <ol className="flex flex-col gap-1.5">
        {rules.map((rule, place) => (
          <li key={rule.key}>
            <RuleFieldsOf
              rule={rule}
              place={place}
              count={rules.length}
              isReached={rules.findIndex(({ method }) => method === rule.method) === place}
              errors={errors}
              judge={judge}
              onChange={(part) => change({ rules: rules.with(place, { ...rule, ...part }) })}
              onMove={(by) => move(place, place + by)}
              onRemove={() => {
                change({ rules: rules.toSpliced(place, 1) });
                // The button that had the focus is gone.
                addButton.current?.focus();
              }}
            />
          </li>
        ))}
      </ol>
      <div className="mt-1.5 flex items-center gap-2">
        <Button
          ref={addButton}
          size="small"
          icon={<Plus aria-hidden className="size-3" />}
          onClick={() => change({ rules: [...rules, ruleRow()] })}
        >
          Add a rule
        </Button>
        <span className="text-xs text-faint">What no rule answers waits in the Inbox.</span>
      </div>
    </FieldGroup>
  );
}
