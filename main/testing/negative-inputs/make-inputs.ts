import {
  type CatalogListName,
  catalogLists,
  listMethods,
  type Prompt,
  type Tool,
} from '#shared/contract/catalog.ts';
import type { NegativeInput, NegativeKind } from '#shared/contract/negative-inputs.ts';
import { memberText } from '#shared/json/members.ts';
import { errorCodes, isObject } from '#shared/protocol/jsonrpc.ts';
import { mayHaveCapability } from '#shared/protocol/capabilities.ts';
import { capabilityOf } from '#shared/protocol/methods.ts';
import type { TestedSession, Validate } from '#testing/tested-session.ts';
import { requiredOf, sampleValue, typeOf, withoutReference } from './sample-value.ts';

/** How the specification wants an input to be answered. */
export type Expectation =
  /** An error of the protocol with this code. */
  | { readonly kind: 'error'; readonly code: number }
  /** An error of the protocol with this code, or a result with `isError`. */
  | { readonly kind: 'rejection'; readonly code: number }
  /** Any response; the server goes on. */
  | { readonly kind: 'survival' }
  /** Any response without the content of a system file. */
  | { readonly kind: 'no-leak' };

/** An input with all that is needed to send it. */
export interface PreparedInput extends NegativeInput {
  readonly expectation: Expectation;
  /** The params of the request, or the arguments if it calls a tool: JSON text. */
  readonly text: () => string;
}

/** Limit of arguments of one tool that are left out or get a wrong type. */
const MAX_ARGUMENTS = 5;

/** Characters of a huge value: 1 MB. */
const HUGE = 1_048_576;

/** Not defined by any server. */
const UNKNOWN_NAME = 'sightglass-unknown-name';

const TRAVERSAL = '../../../../../../../../etc/passwd';

/** MCP 2025-06-18 resources, error handling; 2026-07-28 replaced it by -32602. */
const RESOURCE_NOT_FOUND = -32002;

/**
 * Makes inputs that a server has to refuse, or at least to survive, from its lists and schemas. What ends a server most
 * often comes last.
 */
export function makeInputs(session: TestedSession, validate: Validate): PreparedInput[] {
  const tools = session.tools.entries.flatMap((entry) =>
    entry.usable && !entry.duplicate
      ? [{ tool: entry.tool, schema: memberText(entry.raw, ['inputSchema']) ?? '{}' }]
      : [],
  );
  const prompts = session.prompts.entries.flatMap((entry) =>
    entry.usable && !entry.duplicate ? [entry.prompt] : [],
  );
  const inputs = [
    ...(isOffered(session, 'tools') ? [unknownTool] : []),
    ...tools.flatMap(({ tool, schema }) => toolInputs(tool, schema, validate)),
    ...catalogLists.filter((list) => isOffered(session, list)).map(badCursor),
    ...(isOffered(session, 'resources')
      ? [unknownResource(session.isModern), ...resourceTraversals(session)]
      : []),
    ...(isOffered(session, 'prompts') ? [unknownPrompt, ...prompts.flatMap(missingPromptArguments)] : []),
    ...(isObject(session.serverCapabilities?.logging) && !session.isModern ? [invalidLogLevel] : []),
  ];
  const isLast = ({ kind }: PreparedInput): boolean => kind === 'huge-value';
  return [...inputs.filter((input) => !isLast(input)), ...inputs.filter(isLast)];
}

function isOffered({ serverCapabilities }: TestedSession, list: CatalogListName): boolean {
  return mayHaveCapability(serverCapabilities, capabilityOf(listMethods[list]) ?? list);
}

const expectedText = (expectation: Expectation): string => {
  switch (expectation.kind) {
    case 'error':
      return `error ${expectation.code}`;
    case 'rejection':
      return `error ${expectation.code}, or a result with isError`;
    case 'survival':
      return 'any response';
    case 'no-leak':
      return 'an error, or a result without the file';
  }
};

function prepared(
  kind: NegativeKind,
  method: string,
  target: string | null,
  what: string,
  expectation: Expectation,
  text: () => string,
  mayDestroy = false,
): PreparedInput {
  const id = JSON.stringify([kind, method, target, what]);
  return {
    id,
    kind,
    method,
    target,
    what,
    expected: expectedText(expectation),
    mayDestroy,
    expectation,
    text,
  };
}

const invalidParams: Expectation = { kind: 'error', code: errorCodes.invalidParams };

/** MCP 2025-06-18 tools, error handling: an unknown tool is an error of the protocol. */
const unknownTool = prepared(
  'unknown-tool',
  'tools/call',
  null,
  `a tool that does not exist, ${UNKNOWN_NAME}`,
  invalidParams,
  () => JSON.stringify({ name: UNKNOWN_NAME, arguments: {} }),
);

/** MCP 2025-06-18 pagination: invalid cursors should result in -32602. */
const badCursor = (list: CatalogListName): PreparedInput =>
  prepared('bad-cursor', listMethods[list], null, 'a cursor that the server never gave', invalidParams, () =>
    JSON.stringify({ cursor: 'sightglass-made-up-cursor' }),
  );

const unknownResource = (isModern: boolean): PreparedInput =>
  prepared(
    'unknown-resource',
    'resources/read',
    null,
    'a resource that does not exist',
    { kind: 'error', code: isModern ? errorCodes.invalidParams : RESOURCE_NOT_FOUND },
    () => JSON.stringify({ uri: `${UNKNOWN_NAME}://none` }),
  );

/** Limit of resources, and of templates, whose paths are tried. */
const MAX_TRAVERSED = 2;

/** MCP 2025-06-18 resources, security considerations: servers must validate all URIs. */
function resourceTraversals({ resources, templates }: TestedSession): PreparedInput[] {
  const folders = resources.entries.flatMap((entry) => {
    // The last segment of the path is replaced; an opaque URI has no path.
    const folder = entry.usable
      ? /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^?#]*\/)?/.exec(entry.resource.uri)?.[0]
      : null;
    return folder == null ? [] : [(path: string) => `${folder}${path}`];
  });
  const filled = templates.entries.flatMap((entry) => {
    const template = entry.usable ? entry.template.uriTemplate : '';
    return /\{[^{}]*\}/.test(template) ? [(path: string) => template.replace(/\{[^{}]*\}/g, () => path)] : [];
  });
  const makers = [...folders.slice(0, MAX_TRAVERSED), ...filled.slice(0, MAX_TRAVERSED)];
  const uris = makers.flatMap((uriOf) => [uriOf(TRAVERSAL), uriOf(TRAVERSAL.replaceAll('..', '%2e%2e'))]);
  return [...new Set(uris)].map((uri) =>
    prepared('path-traversal', 'resources/read', null, `the URI is ${uri}`, { kind: 'no-leak' }, () =>
      JSON.stringify({ uri }),
    ),
  );
}

/** MCP 2025-06-18 prompts, error handling: unknown names and missing arguments are -32602. */
const unknownPrompt = prepared(
  'unknown-prompt',
  'prompts/get',
  null,
  `a prompt that does not exist, ${UNKNOWN_NAME}`,
  invalidParams,
  () => JSON.stringify({ name: UNKNOWN_NAME }),
);

function missingPromptArguments({ name, arguments: args = [] }: Prompt): PreparedInput[] {
  const required = args.filter((one) => one.required === true);
  return required.slice(0, MAX_ARGUMENTS).map((missing) => {
    const others = required.filter((one) => one.name !== missing.name).map((one) => [one.name, 'text']);
    return prepared(
      'missing-prompt-argument',
      'prompts/get',
      name,
      `without the required argument ${missing.name}`,
      invalidParams,
      () => JSON.stringify({ name, arguments: Object.fromEntries(others) }),
    );
  });
}

/** MCP 2025-06-18 logging, error handling. */
const invalidLogLevel = prepared(
  'invalid-log-level',
  'logging/setLevel',
  null,
  'a log level that does not exist',
  invalidParams,
  () => JSON.stringify({ level: UNKNOWN_NAME }),
);

/** MCP 2025-06-18 tools, security considerations: servers must validate all tool inputs. */
const rejection: Expectation = { kind: 'rejection', code: errorCodes.invalidParams };

function toolInputs(tool: Tool, schemaText: string, validate: Validate): PreparedInput[] {
  const { name, inputSchema } = tool;
  const sample = sampleValue({ ...inputSchema, type: 'object' }, inputSchema);
  const base = isObject(sample) ? sample : {};
  const properties = Object.entries(isObject(inputSchema.properties) ? inputSchema.properties : {}).map(
    ([key, schema]) => [key, withoutReference(schema, inputSchema)] as const,
  );
  const make = (kind: NegativeKind, what: string, expectation: Expectation, args: () => object) =>
    prepared(kind, 'tools/call', name, what, expectation, () => JSON.stringify(args()), mayDestroy(tool));
  // A value that the schema allows is not a negative input.
  const isInvalid = ({ text }: PreparedInput): boolean => validate(schemaText, text()).state === 'invalid';
  const strings = properties.filter(
    ([, schema]) => isObject(schema) && typeOf(schema) === 'string' && isFree(schema),
  );

  return [
    ...requiredOf(inputSchema)
      .slice(0, MAX_ARGUMENTS)
      .map((key) =>
        make('missing-argument', `without the required argument ${key}`, rejection, () => without(base, key)),
      )
      .filter(isInvalid),
    ...properties
      .slice(0, MAX_ARGUMENTS)
      .flatMap(([key, schema]) => {
        const wrong = wrongValue(schema);
        const what = `${key} is ${wrong.what}`;
        return make('wrong-type', what, rejection, () => ({ ...base, [key]: wrong.value }));
      })
      .filter(isInvalid),
    ...[
      make('extra-argument', 'with an argument that the schema does not allow', rejection, () => ({
        ...base,
        [UNKNOWN_NAME]: true,
      })),
    ].filter(isInvalid),
    ...strings
      .filter(([key]) => pathLike.test(key))
      .slice(0, 2)
      .map(([key]) =>
        make('path-traversal', `${key} is ${TRAVERSAL}`, { kind: 'no-leak' }, () => ({
          ...base,
          [key]: TRAVERSAL,
        })),
      ),
    ...strings.slice(0, 1).map(([key]) =>
      make('huge-value', `${key} is a string of 1 MB`, { kind: 'survival' }, () => ({
        ...base,
        [key]: 'x'.repeat(HUGE),
      })),
    ),
  ];
}

/** Names of arguments that are likely to be paths. */
const pathLike = /path|file|dir|folder|uri|url|source|location|name$/i;

/** Whether any string may be its value. */
const isFree = (schema: Readonly<Record<string, unknown>>): boolean =>
  schema.enum === undefined && schema.const === undefined;

const without = (base: object, key: string): object =>
  Object.fromEntries(Object.entries(base).filter(([name]) => name !== key));

/** A value that does not have the type of the schema. */
function wrongValue(schema: unknown): { readonly what: string; readonly value: unknown } {
  const type = isObject(schema) ? typeOf(schema) : undefined;
  if (type === 'string') return { what: 'a number instead of a string', value: 12_345 };
  if (type === 'array') return { what: 'an object instead of an array', value: { [UNKNOWN_NAME]: true } };
  if (type === 'number' || type === 'integer')
    return { what: 'a string instead of a number', value: 'not a number' };
  if (type === 'boolean') return { what: 'a string instead of a boolean', value: 'not a boolean' };
  if (type === 'object') return { what: 'a string instead of an object', value: 'not an object' };
  return { what: 'an array with an object', value: [{ [UNKNOWN_NAME]: true }] };
}

/** Whether a tool may be destructive, by its annotations and their defaults (MCP 2025-03-26 schema, ToolAnnotations). */
const mayDestroy = ({ annotations }: Tool): boolean =>
  annotations?.readOnlyHint !== true && annotations?.destructiveHint !== false;
