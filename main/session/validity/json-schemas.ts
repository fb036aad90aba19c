import { type Context, createContext, Script } from 'node:vm';
import { MissingRefError, type ValidateFunction, Ajv, type Options, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Validity } from '#shared/contract/calls.ts';
import { messageOf } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** Characters of a schema's text; longer ones are not compiled. */
const LONGEST_SCHEMA = 512 * 1024;
/** Milliseconds for one verdict: the engine does nothing else meanwhile. */
const TIME_LIMIT = 250;
/** Compiled schemas that are kept. */
const MOST_KEPT = 64;

/** A schema of the server, ready to judge values by; or why it cannot be. */
type Compiled =
  | { readonly check: ValidateFunction; readonly why: null; readonly unknownDialect: string | null }
  | { readonly check: null; readonly why: string };

/**
 * Judges values by the JSON Schemas that servers bring along. Nothing is ever fetched, and no schema, pattern or
 * value may hold the engine up or bring it down: what cannot be judged within bounds is `unknown`.
 */
export class JsonSchemas {
  /** By the schema's text, the one used last at the end. */
  readonly #compiled = new Map<string, Compiled>();

  validate(schemaText: string, value: unknown): Validity {
    if (schemaText.length > LONGEST_SCHEMA) {
      return unknown(`The schema is too long to be judged by: ${schemaText.length} characters.`);
    }
    const kept = this.#compiled.get(schemaText);
    try {
      const compile = kept === undefined ? readSchema(schemaText) : () => kept;
      const verdict = withinTime(TIME_LIMIT, () => judge(this.#keep(schemaText, compile()), value));
      return verdict.isInTime ? verdict.value : unknown(tookTooLong);
    } catch (error) {
      // A schema or a value may go deeper than the stack.
      return unknown(`It could not be judged: ${messageOf(error)}`);
    }
  }

  #keep(text: string, compiled: Compiled): Compiled {
    this.#compiled.delete(text);
    this.#compiled.set(text, compiled);
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size > MOST_KEPT && oldest !== undefined) this.#compiled.delete(oldest);
    return compiled;
  }
}

/** Reads a schema; gives what compiles it, to be run where time is limited. */
function readSchema(text: string): () => Compiled {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    return () => ({ check: null, why: `The schema is not JSON: ${messageOf(error)}` });
  }
  if (typeof schema === 'boolean') schema = schema ? {} : { not: {} };
  if (!isObject(schema))
    return () => ({ check: null, why: 'The schema is neither an object nor a boolean.' });
  // `$async` is the library's own, and would make a promise of every verdict.
  const { $schema, $async: _, ...rest } = schema;
  const { dialect, unknown: unknownDialect } = dialectOf($schema);
  return () => compileBy(dialect, rest, unknownDialect);
}

function compileBy(dialect: Dialect, schema: object, unknownDialect: string | null): Compiled {
  const problem = dialect.problemOf(schema);
  if (problem !== null) return { check: null, why: `The schema is no JSON Schema: ${problem}.` };
  try {
    return { check: dialect.compile(schema), why: null, unknownDialect };
  } catch (error) {
    // Other schemas are not fetched, wherever they are (MCP 2026-07-28 basic, JSON Schema usage).
    const isElsewhere = error instanceof MissingRefError;
    const why = isElsewhere
      ? `it refers to ${error.missingRef}, which is not in it; nothing is fetched.`
      : messageOf(error);
    return { check: null, why: `The schema cannot be used: ${why}` };
  }
}

const unknown = (why: string): Validity => ({ verdict: 'unknown', why });

const tookTooLong = `It took longer than ${TIME_LIMIT} ms and was given up: a pattern of the schema needs too long, or the schema or the value is too large.`;

function judge(compiled: Compiled, value: unknown): Validity {
  if (compiled.check === null) return unknown(compiled.why);
  const { check, unknownDialect } = compiled;
  const isValid = check(value);
  const problems = problemsOf(check.errors ?? []);
  // They may be many, and the compiled schema is kept.
  check.errors = null;
  if (unknownDialect !== null) return unknown(byOtherDialect(unknownDialect, isValid ? null : problems[0]));
  return isValid ? { verdict: 'valid' } : { verdict: 'invalid', problems };
}

const byOtherDialect = (name: string, problem: { pointer: string; message: string } | null | undefined) =>
  `The schema names a dialect that is not known here: ${name}. By 2020-12 the value would be ${
    problem ? `invalid: ${problem.pointer || 'the whole'} ${problem.message}.` : 'valid.'
  }`;

/** A version of JSON Schema that can be judged by. */
interface Dialect {
  /** Why the schema is none of this dialect; null when it is one. */
  readonly problemOf: (schema: object) => string | null;
  /** Compiles a schema by itself, so that the ids of two never meet. */
  readonly compile: (schema: object) => ValidateFunction;
}

/** Many servers write patterns that are none with the Unicode flag which JSON Schema asks for. */
const regExp = Object.assign(
  (pattern: string, flags: string) => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern);
    }
  },
  { code: 'new RegExp' },
);

/** Nothing is loaded (there is no `loadSchema`), nothing is told to the console, no value is changed. */
const options = {
  strict: false,
  allErrors: true,
  logger: false,
  // The dialect's own check comes first.
  validateSchema: false,
  // What a value inherits, such as `toString`, is no member of it.
  ownProperties: true,
  // Without it 19.99 is no multiple of 0.01.
  multipleOfPrecision: 9,
  code: { regExp },
} satisfies Options;

function dialectBy(Compiler: typeof Ajv | typeof Ajv2020): Dialect {
  const metaSchema = new Compiler({ strict: false, logger: false, validateFormats: false });
  // Compiles the dialect's own schema now, and not in the time that a server's schema is given.
  void metaSchema.validateSchema({});
  return {
    problemOf(schema) {
      if (metaSchema.validateSchema(schema) === true) return null;
      const [first] = metaSchema.errors ?? [];
      return `${first?.instancePath || 'the whole'} ${first?.message ?? 'is not allowed'}`;
    },
    compile(schema) {
      const compiler = new Compiler(options);
      addFormats(compiler);
      return compiler.compile(schema);
    },
  };
}

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

const draft7 = once(() => dialectBy(Ajv));
const draft2020 = once(() => dialectBy(Ajv2020));

const byUri: ReadonlyMap<string, () => Dialect> = new Map([
  ['//json-schema.org/draft-07/schema', draft7],
  ['//json-schema.org/draft/2020-12/schema', draft2020],
]);

/**
 * The dialect to read a schema by; 2020-12 when it names none (MCP 2025-11-25 basic, JSON Schema usage).
 * `unknown`: the name of another one that it says it follows.
 */
export function dialectOf($schema: unknown): { readonly dialect: Dialect; readonly unknown: string | null } {
  if ($schema === undefined) return { dialect: draft2020(), unknown: null };
  const name = typeof $schema === 'string' ? $schema : JSON.stringify($schema);
  const known = byUri.get(name.replace(/#$/, '').replace(/^https?:/, ''));
  return known === undefined ? { dialect: draft2020(), unknown: name } : { dialect: known(), unknown: null };
}

interface Problem {
  /** Where in the value (RFC 6901). */
  readonly pointer: string;
  readonly message: string;
}

/** More problems than this are not told. */
const MOST_PROBLEMS = 20;
/** Characters of a message; a schema may list values of any length. */
const LONGEST_MESSAGE = 300;

/** What is wrong with a value, in words; the first problems when there are many. */
const problemsOf = (errors: readonly ErrorObject[]): Problem[] =>
  errors.slice(0, MOST_PROBLEMS).map((error) => ({
    pointer: error.instancePath,
    message: cut(keywordMessage(error)),
  }));

/** What a keyword says more plainly with its own words than with the library's. */
const reworded: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => string>> = {
  additionalProperties: ({ additionalProperty }) => notAllowed(additionalProperty),
  unevaluatedProperties: ({ unevaluatedProperty }) => notAllowed(unevaluatedProperty),
  enum: ({ allowedValues }) =>
    Array.isArray(allowedValues)
      ? `must be one of ${allowedValues.map((value) => JSON.stringify(value)).join(', ')}`
      : 'must be one of the allowed values',
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  'false schema': () => 'must not be there',
};

const notAllowed = (member: unknown): string => `must not have the member ${JSON.stringify(member)}`;

function keywordMessage({ keyword, params, message }: ErrorObject): string {
  return reworded[keyword]?.(params) ?? message ?? `is not what ${keyword} asks for`;
}

const cut = (text: string): string =>
  text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;

/** What work came to that was given only so much time. */
type InTime<T> = { readonly isInTime: true; readonly value: T } | { readonly isInTime: false };

const script = new Script('work()');
let context: (Context & { work?: () => void }) | undefined;

/**
 * Does work that might never end, and stops it after so many milliseconds wherever it is, inside a regular
 * expression too. It must not wait for anything. What it throws is thrown; what it has begun to change is lost.
 */
function withinTime<T>(limit: number, work: () => T): InTime<T> {
  context ??= createContext({});
  let result: InTime<T> = { isInTime: false };
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
