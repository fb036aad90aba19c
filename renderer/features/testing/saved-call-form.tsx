import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '#bridge';
import { editSavedCall, isNameTaken, type OpenSavedCall } from '#model/tests-pane.ts';
import { useAction } from '#model/use-query.ts';
import {
  type Expectations,
  expectedStates,
  jsonTypes,
  patternSchema,
  type SavedCall,
  type TestFile,
  type ValueCheck,
} from '#shared/contract/saved-calls.ts';
import { parsePath } from '#shared/json/path.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Field, FieldError, Input, SelectBox, TextArea, TextField } from '#ui/field.tsx';
import { visibleLine } from '#ui/visible.ts';

/** What is entered for one saved call; texts as typed. */
interface Entered {
  readonly name: string;
  readonly arguments: string;
  readonly status: Expectations['status'];
  readonly code: string;
  readonly duration: string;
  readonly schema: 'none' | 'output' | 'own';
  readonly ownSchema: string;
  readonly values: readonly EnteredCheck[];
}

type CheckKind = ValueCheck['check']['kind'];

interface EnteredCheck {
  readonly id: number;
  readonly path: string;
  readonly kind: CheckKind;
  /** JSON, a type, a regular expression, `true` or `false`. */
  readonly value: string;
}

/** Edits a saved call: its name, its arguments, what is expected. */
export function SavedCallForm({
  editing,
  path,
  file,
  onSaved,
}: {
  readonly editing: OpenSavedCall;
  readonly path: string;
  /** Null until it is read. */
  readonly file: TestFile | null;
  readonly onSaved: () => void;
}) {
  const { index, call: saved } = editing;
  const [entered, setEntered] = useState(() => enteredOf(saved));
  const change = (part: Partial<Entered>) => setEntered((before) => ({ ...before, ...part }));
  const errors = errorsOf(entered);
  const nameError = isNameTaken(file, entered.name, index)
    ? 'Another call of the file has this name.'
    : errors.name;
  const canSave = nameError === undefined && Object.values(errors).every((error) => error === undefined);
  const saving = useAction(async () => {
    const replaces = index === null ? null : { index, name: saved.name };
    await call('saved-calls/save', { path, replaces, call: callOf(saved, entered) });
    editSavedCall(null);
    onSaved();
  });
  const title = index === null ? 'Save call' : 'Edit the saved call';
  return (
    <form
      aria-label={title}
      className="flex h-full min-h-0 flex-col"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (canSave) void saving.run();
      }}
    >
      <div className="flex min-h-0 flex-1 flex-col gap-2.5 overflow-y-auto px-4 pt-2.5 pb-2">
        <h2 className="text-lg font-semibold">
          {title}{' '}
          <span className="mono text-sm font-normal text-faint">
            {visibleLine(saved.tool ?? saved.method)}
          </span>
        </h2>
        <TextField
          label="Name"
          required
          ref={focus}
          value={entered.name}
          onChange={(name) => change({ name })}
          error={nameError}
        />
        <TextArea
          label="Arguments"
          hint="JSON"
          note={'Strings may contain ${variables} of the file.'}
          mono
          rows={2}
          value={entered.arguments}
          onChange={(text) => change({ arguments: text })}
          error={errors.arguments}
        />
        <div className="grid grid-cols-[repeat(auto-fit,minmax(130px,1fr))] items-start gap-2.5">
          <Field label="Status">
            {(control) => (
              <SelectBox
                {...control}
                value={entered.status}
                options={expectedStates.map((value) => ({ value, label: value }))}
                onChange={(status) => change({ status })}
              />
            )}
          </Field>
          {entered.status === 'protocol-error' && (
            <TextField
              label="Error code"
              placeholder="any"
              mono
              value={entered.code}
              onChange={(code) => change({ code })}
              error={errors.code}
            />
          )}
          <TextField
            label="At most"
            hint="milliseconds"
            placeholder="any time"
            inputMode="decimal"
            mono
            value={entered.duration}
            onChange={(duration) => change({ duration })}
            error={errors.duration}
          />
          <Field label="Schema">
            {(control) => (
              <SelectBox
                {...control}
                value={entered.schema}
                options={[
                  { value: 'none', label: 'not validated' },
                  { value: 'output', label: 'output schema' },
                  { value: 'own', label: 'of your own' },
                ]}
                onChange={(schema) => change({ schema })}
              />
            )}
          </Field>
        </div>
        {entered.schema === 'own' && (
          <TextArea
            label="JSON Schema"
            mono
            value={entered.ownSchema}
            onChange={(ownSchema) => change({ ownSchema })}
            error={errors.ownSchema}
          />
        )}
        <ValueChecks values={entered.values} onChange={(values) => change({ values })} />
        {saving.fault !== null && <FaultCard fault={saving.fault} />}
      </div>
      <div className="flex shrink-0 gap-2 border-t border-line px-4 py-1.5">
        <Button type="submit" variant="primary" disabled={!canSave || saving.isRunning}>
          Save
        </Button>
        <Button onClick={() => editSavedCall(null)}>Cancel</Button>
      </div>
    </form>
  );
}

const focus = (field: HTMLInputElement | null): void => field?.focus();

const checkLabels: Readonly<Record<CheckKind, string>> = {
  equals: 'equals',
  type: 'has type',
  matches: 'matches',
  exists: 'exists',
};

const kinds: readonly CheckKind[] = ['equals', 'type', 'matches', 'exists'];

const firstValues: Readonly<Record<CheckKind, string>> = {
  equals: 'null',
  type: 'string',
  matches: '',
  exists: 'true',
};

function ValueChecks({
  values,
  onChange,
}: {
  readonly values: readonly EnteredCheck[];
  readonly onChange: (values: readonly EnteredCheck[]) => void;
}) {
  const update = (id: number, part: Partial<EnteredCheck>) =>
    onChange(values.map((one) => (one.id === id ? { ...one, ...part } : one)));
  const nextId = Math.max(0, ...values.map(({ id }) => id)) + 1;
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">Values of the result</legend>
      {values.map((one, index) => {
        const error = checkError(one);
        const of = `of value ${index + 1}`;
        return (
          <div key={one.id}>
            <div className="flex flex-wrap items-center gap-1.5">
              <Input
                aria-label={`Path ${of}`}
                className="mono min-w-32 flex-1"
                value={one.path}
                onChange={({ target }) => update(one.id, { path: target.value })}
              />
              <SelectBox
                aria-label={`Check ${of}`}
                className="w-28"
                value={one.kind}
                options={kinds.map((value) => ({ value, label: checkLabels[value] }))}
                onChange={(kind) => update(one.id, { kind, value: firstValues[kind] })}
              />
              <Input
                aria-label={`Expected ${of}`}
                className="mono min-w-32 flex-1"
                value={one.value}
                onChange={({ target }) => update(one.id, { value: target.value })}
              />
              <IconButton
                label={`Remove value ${index + 1}`}
                onClick={() => onChange(values.filter(({ id }) => id !== one.id))}
              >
                <Trash2 aria-hidden className="size-3.5" />
              </IconButton>
            </div>
            {error !== undefined && <FieldError>{error}</FieldError>}
          </div>
        );
      })}
      <Button
        size="small"
        className="w-fit"
        icon={<Plus aria-hidden className="size-3" />}
        onClick={() =>
          onChange([...values, { id: nextId, path: '$.content', kind: 'exists', value: 'true' }])
        }
      >
        Add a value
      </Button>
    </fieldset>
  );
}

function enteredOf({ name, arguments: args, expect }: SavedCall): Entered {
  const { status, code, duration, schema, values } = expect;
  return {
    name,
    arguments: args,
    status,
    code: code === null ? '' : String(code),
    duration: duration === null ? '' : String(duration),
    schema: schema === null ? 'none' : schema === 'output' ? schema : 'own',
    ownSchema: schema === null || schema === 'output' ? '{}' : schema,
    values: values.map(({ path, check }, id) => ({ id, path, kind: check.kind, value: textOf(check) })),
  };
}

function textOf(check: ValueCheck['check']): string {
  switch (check.kind) {
    case 'equals':
      return check.value;
    case 'type':
      return check.type;
    case 'matches':
      return check.pattern;
    case 'exists':
      return String(check.exists);
  }
}

/** Null if the text is not a valid value for the check. */
function checkOf({ kind, value }: EnteredCheck): ValueCheck['check'] | null {
  switch (kind) {
    case 'equals':
      return isJson(value) ? { kind, value } : null;
    case 'type': {
      const type = jsonTypes.find((one) => one === value.trim());
      return type === undefined ? null : { kind, type };
    }
    case 'matches':
      return patternSchema.safeParse(value).success ? { kind, pattern: value } : null;
    case 'exists':
      return value === 'true' || value === 'false' ? { kind, exists: value === 'true' } : null;
  }
}

const wanted: Readonly<Record<CheckKind, string>> = {
  equals: 'The expected value must be JSON, such as "text" or 42.',
  type: `The type is one of ${jsonTypes.join(', ')}.`,
  matches: 'This is not a regular expression.',
  exists: 'Expected is true or false.',
};

function checkError(entered: EnteredCheck): string | undefined {
  if (parsePath(entered.path) === null) return 'The path is not a JSON path such as $.content[0].text.';
  return checkOf(entered) === null ? wanted[entered.kind] : undefined;
}

/** The saved call as entered. Call it without errors only. */
function callOf(saved: SavedCall, entered: Entered): SavedCall {
  return {
    ...saved,
    name: entered.name.trim(),
    arguments: entered.arguments,
    expect: {
      ...saved.expect,
      status: entered.status,
      code: entered.status !== 'protocol-error' || entered.code.trim() === '' ? null : Number(entered.code),
      duration: entered.duration.trim() === '' ? null : Number(entered.duration),
      schema: entered.schema === 'none' ? null : entered.schema === 'output' ? 'output' : entered.ownSchema,
      values: entered.values.flatMap((one) => {
        const check = checkOf(one);
        return check === null ? [] : [{ path: one.path, check }];
      }),
    },
  };
}

function errorsOf(
  entered: Entered,
): Partial<Record<'name' | 'arguments' | 'code' | 'duration' | 'ownSchema' | 'values', string>> {
  const { name, arguments: args, status, code, duration, schema, ownSchema, values } = entered;
  return {
    ...(name.trim() === '' && { name: 'A name is needed.' }),
    ...(!isJsonObject(args) && { arguments: 'The arguments must be a JSON object.' }),
    ...(status === 'protocol-error' && !/^(-?\d+)?$/.test(code.trim()) && { code: 'Not a whole number.' }),
    ...(!(duration.trim() === '' || Number(duration) > 0) && { duration: 'Not a number above 0.' }),
    ...(schema === 'own' && !isJsonObject(ownSchema) && { ownSchema: 'The schema must be a JSON object.' }),
    ...(values.some((one) => checkError(one) !== undefined) && { values: 'A value has an error.' }),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isJsonObject = (text: string): boolean => isJson(text) && isObject(JSON.parse(text));
