import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A version of JSON Schema that can be judged by. */
export interface Dialect {
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

function dialect(Compiler: typeof Ajv | typeof Ajv2020): Dialect {
  const judge = new Compiler({ strict: false, logger: false, validateFormats: false });
  // Compiles the dialect's own schema now, and not in the time that a server's schema is given.
  void judge.validateSchema({});
  return {
    problemOf(schema) {
      if (judge.validateSchema(schema) === true) return null;
      const [first] = judge.errors ?? [];
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

const draft7 = once(() => dialect(Ajv));
const draft2020 = once(() => dialect(Ajv2020));

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
