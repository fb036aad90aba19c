import { MissingRefError, type ValidateFunction } from 'ajv';
import type { Validity } from '#shared/contract/calls.ts';
import { messageOf } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type Dialect, dialectOf } from './dialects.ts';
import { problemsOf } from './problem-words.ts';
import { withinTime } from './time-limit.ts';

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
