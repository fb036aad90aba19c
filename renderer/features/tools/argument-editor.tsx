import { lazy, Suspense, useCallback, useMemo, Component, type ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { JsonEditor } from '#ui/json-editor/json-editor.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { readJson, writeJson } from '#ui/schema-form/exact-json.ts';
import { isSchema, type Schema } from '#ui/schema-form/schema.ts';
import type { Validation } from '#shared/contract/calls.ts';
import type { Draft } from './drafts.ts';
import { unsupportedReason } from './unsupported-schema.ts';

const SchemaForm = lazy(() => import('#ui/schema-form/schema-form.tsx'));

interface ArgumentEditorProps {
  /** Undefined for an entry without a usable schema. */
  readonly schema: Schema | undefined;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly validation: Validation | null;
  /** Why no form can be made of the schema; null if one can. */
  readonly formFault: string | null;
  readonly onFormFault: (why: string) => void;
  readonly onSubmit: (() => void) | null;
}

/** The arguments as a form or as JSON. The JSON is sent; the form is a view of it. */
export function ArgumentEditor(props: ArgumentEditorProps) {
  const { schema, draft, onChange, validation, formFault, onFormFault, onSubmit } = props;
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
      </div>
    );
  }
  if (takesNothing(schema) && isEmpty(read.value)) {
    return <p className="text-mute">This tool takes no arguments.</p>;
  }
  return (
    <FormBoundary onFault={onFormFault}>
      <Suspense fallback={<div aria-busy aria-label="The form is loading" className="h-12" />}>
        <SchemaForm
          schema={schema}
          value={read.value}
          errors={validation?.state === 'invalid' ? validation.errors : noErrors}
          onChange={onFormChange}
        />
      </Suspense>
    </FormBoundary>
  );
}

const noErrors: readonly never[] = [];

/** Whether a schema describes no arguments. */
const takesNothing = (schema: Schema): boolean =>
  Object.keys(isSchema(schema.properties) ? schema.properties : {}).length === 0 &&
  !['$ref', 'oneOf', 'anyOf', 'allOf', 'patternProperties', 'if'].some((keyword) => keyword in schema) &&
  (schema.additionalProperties === undefined || schema.additionalProperties === false);

const isEmpty = (value: unknown): boolean => isSchema(value) && Object.keys(value).length === 0;

interface Props {
  /** Called when rendering the form fails. */
  readonly onFault: (why: string) => void;
  readonly children: ReactNode;
}

/** Catches errors of the form library on unusual schemas; the arguments are then edited as JSON. */
class FormBoundary extends Component<Props, { readonly hasFault: boolean }> {
  override state = { hasFault: false };

  static getDerivedStateFromError() {
    return { hasFault: true };
  }

  override componentDidCatch(error: unknown) {
    const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    this.props.onFault(`its schema makes no form (${why}).`);
  }

  override render() {
    return this.state.hasFault ? null : this.props.children;
  }
}
