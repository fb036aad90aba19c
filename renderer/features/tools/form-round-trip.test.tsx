import { join } from 'node:path';
import { cleanup, fireEvent } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
// oxlint-disable-next-line no-restricted-imports -- speaks to the processes of real servers
import { RawClient } from '#fixtures/raw-client.ts';
// oxlint-disable-next-line no-restricted-imports
import { modernMeta } from '#fixtures/http/ask.ts';
import { exampleOf } from '#fixtures/page/example-of.ts';
import { engine, entry } from '#fixtures/page/fake-tools.ts';
import { argumentText, CannotFill, fillIn, showAs, typedJson, typeJson } from '#fixtures/page/form-user.ts';
import { publishedSchemas } from '#fixtures/page/published-schemas.ts';
import { schemaCorpus, type SchemaSample } from '#fixtures/page/schema-corpus.ts';
import { showPane } from '#fixtures/page/tools-pane.tsx';
import { readJson } from '#ui/schema-form/exact-json.ts';
import { isSchema } from '#shared/json-schema/schema.ts';
// oxlint-disable-next-line no-restricted-imports -- what the engine says of the arguments
import { SchemaValidator } from '#session/validator.ts';
import { unsupportedReason } from '#ui/schema-form/unsupported-schema.ts';

vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

beforeEach(() => engine.reset());
afterEach(cleanup);

const forms = [...schemaCorpus, ...publishedSchemas].filter(({ isJson }) => !isJson);

/** Examples that hold what has no field: null, and members that the schema does not describe. */
const onlyAsJson = new Set([
  'nullable text that is null',
  'nullable number by anyOf that is null',
  'a list with nulls',
  'a form of pydantic',
  'an unknown member of an object',
  // A member that the user names is a text.
  'any argument',
]);

async function showTool({ schema }: SchemaSample): Promise<void> {
  await showPane([entry({ name: 'sample', inputSchema: schema })]);
  // Now the arguments are the user's.
  await showAs('JSON');
  typeJson(`${typedJson()} `);
}

/** Fills in the form of a new tool. */
async function fill(sample: SchemaSample): Promise<void> {
  await showTool(sample);
  await showAs('Form');
  fillIn(document.body, sample.example);
}

/** What is sent, as the engine validates it. On a busy machine its time limit may end the first try. */
function validation({ schema }: SchemaSample): string {
  const text = JSON.stringify(schema);
  for (let tries = 0; tries < 5; tries++) {
    const { state } = new SchemaValidator().validateText(text, argumentText());
    if (state !== 'unknown') return state;
  }
  return 'unknown';
}

async function expectFills(sample: SchemaSample): Promise<void> {
  await fill(sample);
  expect(JSON.parse(argumentText())).toEqual(sample.example);
  expect(validation(sample)).toBe('valid');
  await showAs('JSON');
  expect(JSON.parse(typedJson())).toEqual(sample.example);
  await showAs('Form');
  expect(JSON.parse(argumentText())).toEqual(sample.example);
}

/** Members that no schema describes, with numbers that JavaScript would write differently. */
const unknownMembers = '"x-unknown":{"n":[1.0,1e3,12345678901234567890,-0]}';

/** Types JSON, shows it as a form, changes a text there and takes the change back, and shows JSON again. */
async function expectKeeps(sample: SchemaSample): Promise<void> {
  const members = JSON.stringify(sample.example).slice(1, -1);
  const text = `{ ${unknownMembers}${members === '' ? '' : ',\n'}${members} }`;
  await showTool(sample);
  typeJson(text);
  await showAs('Form');
  await showAs('JSON');
  expect(typedJson()).toBe(text);
  await showAs('Form');
  const field = [...document.querySelectorAll('textarea')].find(
    (one) =>
      one.value !== '' &&
      one.placeholder !== 'JSON' &&
      one.getAttribute('aria-label') !== 'Arguments as JSON',
  );
  if (field === undefined) return;
  const before = field.value;
  fireEvent.change(field, { target: { value: `${before}1` } });
  expect(argumentText()).not.toBe(text);
  fireEvent.change(field, { target: { value: before } });
  await showAs('JSON');
  expect(JSON.parse(typedJson())).toEqual(JSON.parse(text));
  // No digit of a number is written differently.
  expect(typedJson().replaceAll(/\s/g, '')).toContain(unknownMembers);
}

describe('a form that is filled in field by field sends valid arguments', () => {
  test.each(forms.filter(({ name }) => !onlyAsJson.has(name)))('$name', expectFills);

  test.each(forms.filter(({ name }) => onlyAsJson.has(name)))('$name: not without JSON', async (sample) => {
    const failed = await fill(sample).catch((error: unknown) => error);
    if (failed !== undefined) expect(failed).toBeInstanceOf(CannotFill);
    else expect(JSON.parse(argumentText())).not.toEqual(sample.example);
  });
});

describe('JSON that is edited as a form and shown as JSON again loses nothing', () => {
  test.each(forms)('$name', expectKeeps);
});

const published = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [join('node_modules/@modelcontextprotocol', name, 'dist/index.js'), ...args],
});

const servers = [
  { name: 'server-everything', start: published('server-everything', 'stdio'), atLeast: 10 },
  { name: 'server-filesystem', start: published('server-filesystem', 'fixtures'), atLeast: 10 },
  { name: 'server-memory', start: published('server-memory'), atLeast: 9 },
  {
    name: 'the modern fixture',
    start: { command: process.execPath, args: ['fixtures/modern/server.ts'] },
    meta: { ...modernMeta, 'io.modelcontextprotocol/clientCapabilities': {} },
    atLeast: 10,
    // It refers to another document.
    onlyAsJson: ['wide-schema'],
  },
];

/** The argument schemas of all tools of a running server, with an example for each. */
async function toolsOf({ start, meta }: (typeof servers)[number]): Promise<readonly SchemaSample[]> {
  const client = new RawClient(start);
  try {
    if (meta === undefined) await client.open();
    const tools: SchemaSample[] = [];
    for (let cursor: unknown; ; ) {
      const { result } = await client.ask('tools/list', { ...(meta && { _meta: meta }), cursor });
      const listed = Array.isArray(result?.tools) ? result.tools.filter(isSchema) : [];
      for (const { name, inputSchema: schema } of listed) {
        if (isSchema(schema)) tools.push({ name: String(name), schema, example: exampleOf(schema) });
      }
      cursor = result?.nextCursor;
      if (cursor === undefined) return tools;
    }
  } finally {
    await client.close();
  }
}

test.each(servers)('every tool of $name round-trips', async (server) => {
  const tools = await toolsOf(server);
  expect(tools.length).toBeGreaterThanOrEqual(server.atLeast);
  const isForm = ({ schema }: SchemaSample) => unsupportedReason(schema, readJson('{}')) === null;
  expect(tools.filter((tool) => !isForm(tool)).map(({ name }) => name)).toEqual(server.onlyAsJson ?? []);
  for (const tool of tools) {
    if (isForm(tool)) await expectFills(tool);
    cleanup();
    await expectKeeps(tool);
    cleanup();
  }
});
