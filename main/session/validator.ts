import { type Context, createContext, Script } from 'node:vm';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Validation, ValidationError } from '#shared/contract/calls.ts';
import type { ToolList } from '#shared/contract/catalog.ts';
import { messageOf } from '#shared/contract/fault.ts';
import { formatQuantity, truncate } from '#shared/format.ts';
import { draftOf, isSchema } from '#shared/json-schema/schema.ts';
import { MAX_SCHEMA_LENGTH, type SchemaFault, schemaFaults, tooLong } from '#shared/json-schema/faults.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { memberText } from '#shared/json/members.ts';
import { type Dialect, dialects, plainSchema } from './schema-dialects.ts';

/** Validates calls against the schemas of the listed tools: their arguments, and the structured content of results. */
export class ToolValidator {
  readonly #tools: () => ToolList;
  readonly #schemas = new SchemaValidator();

  constructor(tools: () => ToolList) {
    this.#tools = tools;
  }

  /** Prepares the most frequent dialect, so that the first call does not wait for it. */
  prepare(): void {
    if (this.#tools().entries.length > 0) prepareValidation();
  }

  /** Validates the arguments of a call, JSON text, against `inputSchema`; null if the tool is not listed. */
  ofArguments(tool: string, argsText: string): Validation | null {
    const listed = this.#textOf(tool);
    if (listed === null) return null;
    const schema = memberText(listed, ['inputSchema']);
    if (schema === null) return { state: 'unknown', reason: 'The tool has no inputSchema.' };
    return this.#schemas.validateText(schema, argsText);
  }

  /**
   * Validates the result of a call against `outputSchema` (MCP 2025-06-18 tools, output schema); null if the tool is
   * not listed or has no such schema, or if the call did not succeed.
   */
  ofOutput(tool: string, result: unknown): Validation | null {
    const listed = this.#textOf(tool);
    const schema = listed === null ? null : memberText(listed, ['outputSchema']);
    if (schema === null || !isObject(result) || result.isError === true) return null;
    // In the modern era only this result type is final.
    if (result.resultType !== undefined && result.resultType !== 'complete') return null;
    if (!Object.hasOwn(result, 'structuredContent')) return { state: 'invalid', errors: [noContent] };
    return this.#schemas.validate(schema, result.structuredContent);
  }

  /** The listed tool of this name as written: the first usable entry, or else an unusable one. */
  #textOf(tool: string): string | null {
    const { entries } = this.#tools();
    const usable = entries.find((entry) => entry.usable && entry.tool.name === tool);
    return (usable ?? entries.find((entry) => !entry.usable && entry.name === tool))?.raw ?? null;
  }
}

const noContent = {
  pointer: '',
  keyword: 'required',
  message: 'structuredContent is missing, although the tool has an outputSchema',
};

/** Limit of milliseconds of one validation, which blocks the engine. */
const TIME_LIMIT = 250;
/** Limit of compiled schemas to keep. */
const MAX_KEPT = 64;
/** Limit of reported errors. */
const MAX_ERRORS = 20;
/** Limit of characters of a message; a schema may list values of any length. */
const MAX_MESSAGE_LENGTH = 300;

/** A schema that is ready to validate values, or the reason it cannot be used. */
type Compiled =
  | { readonly check: ValidateFunction; readonly reason: null; readonly unknownDialect: string | null }
  | { readonly check: null; readonly reason: string };

/**
 * Validates values against the JSON Schemas of servers. Never fetches anything. No schema, pattern or value can block
 * or crash the engine: what cannot be validated within the limits is `unknown`.
 */
export class SchemaValidator {
  /** The compiled schemas, by their text; the most recently used last. */
  readonly #compiled = new Map<string, Compiled>();

  /** @param schemaText JSON text, as the server wrote it */
  validate(schemaText: string, value: unknown): Validation {
    if (schemaText.length > MAX_SCHEMA_LENGTH) return unknown(`${tooLong(schemaText.length).text}.`);
    const kept = this.#compiled.get(schemaText);
    try {
      const compiling = kept === undefined ? readSchema(schemaText) : () => kept;
      const run = runWithin(TIME_LIMIT, () => check(this.#keep(schemaText, compiling()), value));
      return run.isInTime ? run.value : unknown(tookTooLong);
    } catch (error) {
      // A schema or a value may be nested deeper than the stack.
      return unknown(`It could not be validated: ${messageOf(error)}`);
    }
  }

  /** Validates a value that is JSON text. */
  validateText(schemaText: string, text: string): Validation {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return unknown(`The value is not JSON: ${messageOf(error)}`);
    }
    return this.validate(schemaText, value);
  }

  #keep(text: string, compiled: Compiled): Compiled {
    this.#compiled.delete(text);
    this.#compiled.set(text, compiled);
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size > MAX_KEPT && oldest !== undefined) this.#compiled.delete(oldest);
    return compiled;
  }
}

/** Prepares the default dialect, which takes a moment the first time. */
const prepareValidation = (): void => void dialects['2020-12']();

/** Reads a schema. Returns what compiles it, to be run under the time limit. */
function readSchema(text: string): () => Compiled {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    return () => ({ check: null, reason: `The schema is not JSON: ${messageOf(error)}` });
  }
  if (typeof schema === 'boolean') schema = schema ? {} : { not: {} };
  const fault = schemaFaults(schema).find(({ kind }) => kind !== 'dialect');
  if (fault !== undefined) return () => ({ check: null, reason: reasonOf(fault) });
  if (!isSchema(schema)) return () => ({ check: null, reason: 'The schema is not an object.' });
  const { draft, unknown: unknownDialect } = draftOf(schema);
  // Making a dialect takes a moment the first time, which is not the schema's fault.
  const dialect = dialects[draft]();
  const plain = plainSchema(schema, draft);
  return () => compile(dialect, plain, unknownDialect);
}

function reasonOf({ kind, pointer, text }: SchemaFault): string {
  if (kind === 'form') return `${text}.`;
  return `The schema cannot be used because of ${pointer || 'its top level'}. ${text}.`;
}

function compile(dialect: Dialect, schema: object, unknownDialect: string | null): Compiled {
  // Finds what the check before it does not know; what that finds is explained better.
  const invalid = dialect.errorIn(schema);
  if (invalid !== null) return { check: null, reason: `The schema is not a JSON Schema: ${invalid}.` };
  try {
    return { check: dialect.compile(schema), reason: null, unknownDialect };
  } catch (error) {
    return { check: null, reason: `The schema cannot be used: ${messageOf(error)}` };
  }
}

function check(compiled: Compiled, value: unknown): Validation {
  if (compiled.check === null) return unknown(compiled.reason);
  const { check: isValidBy, unknownDialect } = compiled;
  const isValid = isValidBy(value);
  const errors = errorsOf(isValidBy.errors ?? []);
  // There may be many errors, and the compiled schema is kept.
  isValidBy.errors = null;
  if (unknownDialect !== null) return unknown(byOtherDialect(unknownDialect, isValid ? null : errors[0]));
  return isValid ? { state: 'valid' } : { state: 'invalid', errors };
}

const unknown = (reason: string): Validation => ({ state: 'unknown', reason });

const tookTooLong = `It took longer than ${TIME_LIMIT} ms and was given up: a pattern of the schema needs too long, or the schema or the value is too large.`;

const byOtherDialect = (name: string, error: ValidationError | null | undefined) =>
  `The schema names a dialect that is not known here: ${name}. By 2020-12 the value would be ${
    error ? `invalid: ${error.pointer || 'the whole'} ${error.message}.` : 'valid.'
  }`;

/** Whether an error is in a branch of `anyOf` and the like: that no branch matches is one error. */
const inBranch = /\/(?:anyOf|oneOf|not|contains)\/.+/;

/** The errors of a value: the first ones if there are many. */
function errorsOf(errors: readonly ErrorObject[]): ValidationError[] {
  const own = errors.filter(({ schemaPath }) => !inBranch.test(schemaPath));
  // If every error is in a branch, report one.
  return (own.length > 0 ? own : errors.slice(0, 1)).slice(0, MAX_ERRORS).map(toValidationError);
}

function toValidationError(error: ErrorObject): ValidationError {
  const { keyword, instancePath, params, message } = error;
  const member = memberNames[keyword]?.(params);
  const said = messages[keyword]?.(error) ?? message ?? `violates ${keyword}`;
  return {
    pointer: member === undefined ? instancePath : instancePath + pointerOf([member]),
    keyword,
    message: truncate(said, MAX_MESSAGE_LENGTH),
  };
}

/** The member that an error of these keywords is about; it is reported for the object or array that holds it. */
const memberNames: Readonly<Record<string, (params: ErrorObject['params']) => string | number>> = {
  required: ({ missingProperty }) => missingProperty,
  additionalProperties: ({ additionalProperty }) => additionalProperty,
  unevaluatedProperties: ({ unevaluatedProperty }) => unevaluatedProperty,
  additionalItems: ({ limit }) => limit,
  items: ({ limit }) => limit,
  unevaluatedItems: ({ len }) => len,
};

const notAllowed = () => 'is not allowed by the schema';

/** Our messages by keyword. */
const messages: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: () => 'is required',
  additionalProperties: notAllowed,
  unevaluatedProperties: notAllowed,
  additionalItems: notAllowed,
  items: notAllowed,
  unevaluatedItems: notAllowed,
  'false schema': notAllowed,
  type: ({ params, data }) => `must be ${[params.type].flat().join(' or ')}, not ${typeName(data)}`,
  anyOf: () => 'fits none of the alternatives',
  oneOf: ({ params }) =>
    params.passingSchemas === null
      ? 'fits none of the alternatives'
      : 'fits more than one of the alternatives, must fit exactly one',
  enum: ({ params }) =>
    Array.isArray(params.allowedValues)
      ? `must be one of ${params.allowedValues.map((value) => JSON.stringify(value)).join(', ')}`
      : 'must be one of the allowed values',
  const: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}`,
  minimum: limitMessage,
  maximum: limitMessage,
  exclusiveMinimum: limitMessage,
  exclusiveMaximum: limitMessage,
  multipleOf: ({ params }) => `must be a multiple of ${params.multipleOf}`,
  minLength: ({ params, data }) =>
    `must have at least ${formatQuantity(params.limit, 'character')}, has ${lengthOf(data)}`,
  maxLength: ({ params, data }) =>
    `must have at most ${formatQuantity(params.limit, 'character')}, has ${lengthOf(data)}`,
  minItems: ({ params, data }) =>
    `must have at least ${formatQuantity(params.limit, 'entry', 'entries')}, has ${lengthOf(data)}`,
  maxItems: ({ params, data }) =>
    `must have at most ${formatQuantity(params.limit, 'entry', 'entries')}, has ${lengthOf(data)}`,
  uniqueItems: ({ params }) => `duplicate items at indexes ${params.j} and ${params.i}`,
  pattern: () => 'does not match the pattern',
  format: ({ params }) => `is not a valid ${params.format}`,
};

const comparisons: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '>': 'more than',
  '<=': 'at most',
  '<': 'less than',
};

function limitMessage({ params }: ErrorObject): string {
  return `must be ${comparisons[params.comparison] ?? params.comparison} ${params.limit}`;
}

const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** Characters of a string, by code point as JSON Schema counts, or entries of an array. */
const lengthOf = (value: unknown): number =>
  typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : 0;

type Run<T> = { readonly isInTime: true; readonly value: T } | { readonly isInTime: false };

const script = new Script('work()');
let context: (Context & { work?: () => void }) | undefined;

/**
 * Runs synchronous work that might never end, and stops it on timeout, even inside a regular
 * expression. Throws what the work throws. Changes made by the work may be incomplete.
 */
function runWithin<T>(limit: number, work: () => T): Run<T> {
  context ??= createContext({});
  let result: Run<T> = { isInTime: false };
  context.work = () => {
    result = { isInTime: true, value: work() };
  };
  try {
    script.runInContext(context, { timeout: limit });
  } catch (error) {
    if (!isObject(error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return { isInTime: false };
  } finally {
    delete context.work;
  }
  return result;
}
