import { useState } from 'react';
import { call } from '#bridge';
import { useAction } from '#model/use-query.ts';
import {
  entryFields,
  entryTitles,
  type EntryValues,
  type FlowEntry,
  otherTitles,
} from '#shared/authorization/manual-entry.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { TextField } from '#ui/field.tsx';

/** What a flow could not find, entered by the user. The values go to the engine alone, and are kept nowhere else. */
export function ManualEntry({
  flow,
  entry: { kind, fields },
}: {
  readonly flow: AuthorizationFlow;
  readonly entry: FlowEntry;
}) {
  const [isOpen, setOpen] = useState(false);
  const [values, setValues] = useState<EntryValues>({});
  const enter = useAction(async () => {
    await call('authorization/enter', { flowId: flow.id, values });
  });
  const title = entryTitles[kind];
  if (!isOpen)
    return (
      <Button size="small" onClick={() => setOpen(true)}>
        {flow.canOverride ? otherTitles[kind] : title}
      </Button>
    );
  return (
    <form
      aria-label={title}
      className="basis-full rounded-ui border border-line px-2.5 py-2"
      onSubmit={(submit) => {
        submit.preventDefault();
        void enter.run();
      }}
    >
      <p className="mb-1.5 font-medium">{title}</p>
      {fields.map(({ name, value }, at) => {
        const { label, note, isSecret } = entryFields[name];
        return (
          <TextField
            key={name}
            label={label}
            note={note === '' ? undefined : note}
            mono
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user has just opened the form
            autoFocus={at === 0}
            className="mb-2"
            value={values[name] ?? value}
            onChange={(next) => setValues({ ...values, [name]: next })}
            {...(isSecret && { type: 'password', autoComplete: 'off' })}
          />
        );
      })}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="small" variant="primary" disabled={enter.isRunning}>
          Go on with this
        </Button>
        <Button size="small" onClick={() => setOpen(false)}>
          Close
        </Button>
      </div>
      {enter.fault !== null && <FaultCard fault={enter.fault} className="mt-2" />}
    </form>
  );
}
