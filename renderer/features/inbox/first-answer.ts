import type { InboxEntry } from '#shared/contract/inbox.ts';
import { readJson, writeJson } from '#ui/schema-form/exact-json.ts';
import { initialValue } from '#ui/schema-form/initial-value.ts';
import { isSchema, type Schema, typesOf } from '#shared/json-schema/schema.ts';
import { elicitationForm } from './elicitation-form.ts';
import type { Question } from './read-question.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** The initial answer: the engine's suggestion, or one whose form is filled in with its defaults. */
export function firstAnswer({ suggestion, params }: InboxEntry, question: Question): string {
  const suggested = suggestion === null ? null : readJson(suggestion);
  if (suggested?.ok) return writeJson(suggested.value);
  if (suggestion !== null) return suggestion;
  switch (question.kind) {
    case 'sampling':
      return writeJson({
        role: 'assistant',
        content: { type: 'text', text: '' },
        model: 'answered-by-hand',
        stopReason: 'endTurn',
      });
    case 'form':
      return writeJson({
        action: 'accept',
        content: contentFor(params, elicitationForm(question.schema).ok),
      });
    case 'url':
      return writeJson({ action: 'accept' });
    case 'roots':
      return writeJson({ roots: [] });
    case 'unknown':
      return writeJson({});
  }
}

/** The defaults of a form. Without fields to fill in, also an empty value for each required field that has no default. */
function contentFor(params: string, hasFields: boolean): unknown {
  const read = readJson(params);
  // Parsed again from the text, so that default numbers keep their digits.
  const schema = read.ok && isObject(read.value) ? read.value.requestedSchema : undefined;
  if (!isSchema(schema)) return {};
  const start = initialValue(schema);
  if (hasFields) return isObject(start) ? start : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  const gaps = Object.entries(properties).filter(([name]) => required.includes(name));
  return {
    ...Object.fromEntries(
      gaps.map(([name, field]) => [name, isSchema(field) ? emptyValue(field) : null] as const),
    ),
    ...(isObject(start) && start),
  };
}

const emptyOf: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
};

function emptyValue(field: Schema): unknown {
  if (Array.isArray(field.enum) && field.enum.length > 0) return field.enum[0];
  return emptyOf[typesOf(field)[0] ?? ''] ?? null;
}
