import { type ReactNode, useCallback, useMemo } from 'react';
import { Button } from '#ui/button.tsx';
import { JsonEditor } from '#ui/json-editor/json-editor.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { readJson, writeJson } from '#ui/schema-form/exact-json.ts';
import { FormView } from '#ui/schema-form/form-view.tsx';
import { appliedSchemas, membersOf } from '#shared/json-schema/members.ts';
import type { Schema } from '#shared/json-schema/schema.ts';
import type { Validation } from '#shared/contract/calls.ts';
import type { Draft } from './drafts.ts';
import { unsupportedReason } from '#ui/schema-form/unsupported-schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

interface ArgumentEditorProps {
  /** Undefined for an entry without a usable schema. */
  readonly schema: Schema | undefined;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly validation: Validation | null;
  /** Why no form can be made of the schema; null if a form can be made. */
  readonly formFault: string | null;
  readonly onFormFault: (why: string) => void;
  readonly onSubmit: (() => void) | null;
  /** Rendered with the form, once it has loaded. */
  readonly children: ReactNode;
}

/** The arguments as a form or as JSON. The JSON is sent; the form is a view of it. */
export function ArgumentEditor(props: ArgumentEditorProps) {
  const { schema, draft, onChange, validation, formFault, onFormFault, onSubmit, children } = props;
  const { text, mode } = draft;
  const read = useMemo(() => readJson(text), [text]);
  const unsupported = useMemo(
    () => (schema === undefined ? null : (formFault ?? unsupportedReason(schema, read))),
    [schema, formFault, read],
  );
  const onFormChange = useCallback((value: unknown) => onChange({ text: writeJson(value) }), [onChange]);

  if (mode === 'json' || schema === undefined || unsupported !== null || !read.ok) {
    return (
      <div className="flex flex-col gap-1.5">
        {mode === 'form' && unsupported !== null && (
          <div className="flex items-start gap-2 rounded-ui border border-line border-l-2 border-l-warn bg-panel px-2.5 py-1.5 text-sm">
            <PlainText
              text={`The form cannot show this: ${unsupported} It is shown as JSON.`}
              className="flex-1"
            />
            <Button size="small" variant="quiet" onClick={() => onChange({ mode: 'json' })}>
              Stay in JSON
            </Button>
          </div>
        )}
        <JsonEditor
          label="Arguments as JSON"
          value={text}
          schema={schema}
          onChange={(typed) => onChange({ text: typed })}
          onSubmit={onSubmit ?? undefined}
        />
        {children}
      </div>
    );
  }
  if (takesNothing(schema) && isEmpty(read.value)) {
    return (
      <p className="text-mute">
        This tool takes no arguments.
        {children}
      </p>
    );
  }
  return (
    <FormView
      schema={schema}
      value={read.value}
      errors={validation?.state === 'invalid' ? validation.errors : noErrors}
      onChange={onFormChange}
      onFault={onFormFault}
    >
      {children}
    </FormView>
  );
}

const noErrors: readonly never[] = [];

/** Whether a schema describes no arguments, and allows none that it does not describe. */
function takesNothing(schema: Schema): boolean {
  const { named, patterns, others } = membersOf(schema, schema);
  const isOpen = appliedSchemas(schema, schema).some((part) => part.additionalProperties === true);
  return named.size === 0 && patterns.length === 0 && others.length === 0 && !isOpen;
}

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;
