import { type ReactNode, type Ref, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { AdviceLine } from '#ui/schema-form/validation-line.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { type ExactJson, readJson, writeJson } from '#ui/schema-form/exact-json.ts';
import { FormView } from '#ui/schema-form/form-view.tsx';
import { unsupportedReason } from '#ui/schema-form/unsupported-schema.ts';
import type { Validation, ValidationError } from '#shared/contract/calls.ts';
import type { AnswerDraft } from './answer-draft.ts';
import { elicitationForm } from './elicitation-form.ts';
import { Part } from './pane-layout.tsx';
import type { Question } from './read-question.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** Where the keyboard leads to an answer. */
export interface AnswerHandle {
  focus(): void;
}

/** The content of an answer in the fields of its form, and below them the whole answer as it will be sent. */
export function FormAnswer({
  question,
  draft,
  json,
  ref,
}: {
  readonly question: Extract<Question, { readonly kind: 'form' }>;
  readonly draft: AnswerDraft;
  /** The editor of the answer as JSON, in place of the fields where there can be none. */
  readonly json: ReactNode;
  readonly ref: Ref<AnswerHandle>;
}) {
  const form = useMemo(() => elicitationForm(question.schema), [question]);
  const answer = useMemo(() => acceptedContent(readJson(draft.text)), [draft.text]);
  const [formFault, setFormFault] = useState<string | null>(null);
  const reason = useMemo(() => {
    if (!form.ok) return form.reason;
    if (formFault !== null) return formFault;
    if (!answer.ok) return answer.reason;
    return unsupportedReason(form.schema, { ok: true, value: answer.content });
  }, [form, formFault, answer]);
  if (reason !== null || !form.ok || !answer.ok) {
    return (
      <div className="flex flex-col gap-1.5">
        <AdviceLine tone="warn">
          <PlainText inline text={`No form can show this: ${reason ?? ''} It is written as JSON.`} />
        </AdviceLine>
        {json}
      </div>
    );
  }
  return (
    <>
      <FocusPlace ref={ref}>
        {Object.keys(Object(form.schema.properties)).length === 0 && (
          <p className="text-mute">The form has no fields.</p>
        )}
        <FormView
          schema={form.schema}
          value={answer.content}
          errors={contentErrors(draft.validation)}
          onChange={(content) => draft.write(writeJson({ ...answer.result, content }))}
          onFault={setFormFault}
        />
      </FocusPlace>
      <SentAnswer text={draft.text} />
    </>
  );
}

/** Fields of an answer. The focus goes to the first of them. */
export function FocusPlace({
  ref,
  children,
}: {
  readonly ref: Ref<AnswerHandle>;
  readonly children: ReactNode;
}) {
  const place = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => ({
    focus: () => place.current?.querySelector<HTMLElement>('textarea, input, select, button')?.focus(),
  }));
  return <div ref={place}>{children}</div>;
}

/** The whole answer, to be read before it is sent. */
export function SentAnswer({ text }: { readonly text: string }) {
  return (
    <Part name="Will be sent">
      <JsonText raw={text} className="rounded-ui border border-line bg-raise px-2.5 py-1.5" />
    </Part>
  );
}

type AcceptedContent =
  | { readonly ok: true; readonly result: object; readonly content: ExactObject }
  | { readonly ok: false; readonly reason: string };

type ExactObject = Extract<ExactJson, { readonly ok: true }>['value'];

/** The content of an answer that accepts a form; a text that is edited as JSON may be anything else. */
function acceptedContent(read: ExactJson): AcceptedContent {
  if (!read.ok) return { ok: false, reason: read.at === null ? 'the answer is not valid JSON.' : read.error };
  if (!isObject(read.value)) return { ok: false, reason: 'the answer is not an object.' };
  const { action, content = {} } = read.value;
  if (action !== 'accept') return { ok: false, reason: 'the answer does not accept the form.' };
  // Parsed from JSON text above.
  return { ok: true, result: read.value, content };
}

const CONTENT = '/content';

/** Errors of the content, each at its field. */
function contentErrors(validation: Validation | null): readonly ValidationError[] {
  if (validation?.state !== 'invalid') return noErrors;
  return validation.errors.flatMap((error) =>
    error.pointer.startsWith(`${CONTENT}/`)
      ? [{ ...error, pointer: error.pointer.slice(CONTENT.length) }]
      : [],
  );
}

const noErrors: readonly never[] = [];
