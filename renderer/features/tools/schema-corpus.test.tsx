import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { type SchemaSample, schemaCorpus } from '#fixtures/page/schema-corpus.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { readJson, writeJson } from '#ui/schema-form/exact-json.ts';
import SchemaForm from '#ui/schema-form/schema-form.tsx';
// oxlint-disable-next-line no-restricted-imports -- what the engine says of the arguments
import { SchemaValidator } from '#session/validator.ts';
import { unsupportedReason } from '#ui/schema-form/unsupported-schema.ts';

const validator = new SchemaValidator();

beforeEach(() => void fakeEngine({}));
afterEach(cleanup);

/** What the engine says of arguments. On a busy machine its time limit may end the first try. */
function validate({ schema }: SchemaSample, value: unknown): Validation {
  const text = JSON.stringify(schema);
  let validation = validator.validate(text, value);
  for (let tries = 1; validation.state === 'unknown' && tries < 5; tries++) {
    validation = new SchemaValidator().validate(text, value);
  }
  return validation;
}

/** A form over JSON text, as the arguments of a tool are kept. Returns the text as it is now. */
function showForm({ schema }: SchemaSample, text: string): () => string {
  let latest = text;
  function Host() {
    const [current, setCurrent] = useState(latest);
    latest = current;
    const read = readJson(current);
    return (
      <SchemaForm
        schema={schema}
        value={read.ok ? read.value : {}}
        errors={[]}
        onChange={(value) => setCurrent(writeJson(value))}
      />
    );
  }
  render(<Host />);
  return () => latest;
}

/** Changes a text field and takes the change back; the form then writes all arguments again. */
function touch(): void {
  const fields = screen.queryAllByRole<HTMLInputElement>('textbox');
  const field =
    screen.queryByRole<HTMLInputElement>('textbox', { name: 'note' }) ??
    fields.find(({ value }) => value !== '');
  if (field === undefined) return;
  const before = field.value;
  fireEvent.change(field, { target: { value: `${before}x` } });
  fireEvent.change(field, { target: { value: before } });
}

test('the corpus has at least 150 schemas, and each example is valid', () => {
  expect(schemaCorpus.length).toBeGreaterThanOrEqual(150);
  expect(new Set(schemaCorpus.map(({ name }) => name)).size).toBe(schemaCorpus.length);
  const invalid = schemaCorpus.filter((sample) => validate(sample, sample.example).state !== 'valid');
  expect(invalid.map(({ name }) => name)).toEqual([]);
});

test.each(schemaCorpus.filter(({ isJson }) => isJson))('$name is left to JSON, and why is said', (sample) => {
  const text = JSON.stringify(sample.example);
  expect(unsupportedReason(sample.schema, readJson(text))).not.toBeNull();
});

test.each(schemaCorpus.filter(({ isJson }) => !isJson))('$name', (sample) => {
  const text = JSON.stringify(sample.example);
  expect(unsupportedReason(sample.schema, readJson(text))).toBeNull();
  const now = showForm(sample, text);
  // Showing the arguments changes nothing.
  expect(now()).toBe(text);
  touch();
  expect(JSON.parse(now())).toEqual(sample.example);
  const sent = JSON.parse(now()) as unknown;
  expect(validate(sample, sent)).toEqual({ state: 'valid' });
});
