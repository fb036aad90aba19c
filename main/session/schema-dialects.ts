import { Ajv, type Options, type ValidateFunction } from 'ajv';
import AjvDraft4 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft6 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import {
  type Draft,
  isSchema,
  namedKeywords,
  type Schema,
  valueKeywords,
} from '#shared/json-schema/schema.ts';

/** A version of JSON Schema. */
export interface Dialect {
  /** The reason that a schema is not valid in this dialect; null if it is. */
  readonly errorIn: (schema: object) => string | null;
  /** Compiles a schema on its own, so that the ids of two schemas never meet. */
  readonly compile: (schema: object) => ValidateFunction;
}

/** Many servers write patterns that are invalid with the Unicode flag, which JSON Schema requires. */
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

/** Nothing is fetched (there is no `loadSchema`), nothing is logged, no value is changed. */
const options = {
  strict: false,
  allErrors: true,
  logger: false,
  // Needed by the messages below.
  verbose: true,
  // `errorIn` comes first.
  validateSchema: false,
  // Inherited properties such as `toString` are not members of a value.
  ownProperties: true,
  // Without it 19.99 is not a multiple of 0.01.
  multipleOfPrecision: 9,
  code: { regExp },
} satisfies Options;

function dialectBy(create: (options: Options) => Ajv): Dialect {
  const metaSchema = create({ strict: false, logger: false, validateFormats: false });
  // Compiles the dialect's own schema now, and not in the time of a server's schema.
  void metaSchema.validateSchema({});
  return {
    errorIn(schema) {
      if (metaSchema.validateSchema(schema) === true) return null;
      const [first] = metaSchema.errors ?? [];
      return `${first?.instancePath || 'the whole'} ${first?.message ?? 'is not allowed'}`;
    },
    compile(schema) {
      const compiler = create(options);
      addFormats(compiler);
      return compiler.compile(schema);
    },
  };
}

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

function createDraft6(own: Options): Ajv {
  const draft = new Ajv({ ...own, ...refAlone, defaultMeta: draft6.$id });
  draft.addMetaSchema(draft6);
  return draft;
}

/** Up to draft-07 keywords beside `$ref` have no meaning. */
const refAlone = { ignoreKeywordsWithRef: true } satisfies Options;

/** Every dialect, made when it is first used. */
export const dialects: Readonly<Record<Draft, () => Dialect>> = {
  'draft-04': once(() => dialectBy((own) => new AjvDraft4({ ...own, ...refAlone }))),
  'draft-06': once(() => dialectBy(createDraft6)),
  'draft-07': once(() => dialectBy((own) => new Ajv({ ...own, ...refAlone }))),
  '2019-09': once(() => dialectBy((own) => new Ajv2019(own))),
  '2020-12': once(() => dialectBy((own) => new Ajv2020(own))),
};

/**
 * A schema without what only the library gives a meaning, or refuses where JSON Schema ignores it: `$async`, `nullable`
 * without a type, and beyond draft-04 `id`. A `$dynamicRef` becomes a `$ref` where both mean the same: the library takes
 * it for the root if the validation has not passed its anchor yet.
 */
export function plainSchema({ $schema: _, $async: __, ...schema }: Schema, draft: Draft): Schema {
  const text = JSON.stringify(schema);
  if (!/"(?:nullable|id|\$dynamicRef|\$anchor)":/.test(text)) return schema;
  // Which anchor is meant depends on the way to it only between resources with ids of their own.
  const isOneResource = (text.match(/"\$id":/g) ?? []).length <= 1;
  const anchors = isOneResource ? [schema.$anchor, schema.$dynamicAnchor] : [];
  return plainPart(schema, {
    draft,
    hasStaticAnchors: draft === '2020-12' && isOneResource,
    rootNames: new Set(anchors.filter((anchor) => typeof anchor === 'string').map((anchor) => `#${anchor}`)),
  });
}

interface Plain {
  readonly draft: Draft;
  /** Whether a `$dynamicRef` means what a `$ref` means. */
  readonly hasStaticAnchors: boolean;
  /** References to the root by its anchors, which the library does not know. */
  readonly rootNames: ReadonlySet<string>;
}

function plainPart(part: Schema, plain: Plain): Schema {
  const kept = Object.entries(part).filter(
    ([keyword, value]) => !isForeign(keyword, value, part, plain.draft),
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (valueKeywords.has(keyword)) return [keyword, value];
      const isStatic = keyword === '$dynamicRef' && plain.hasStaticAnchors && part.$ref === undefined;
      if ((isStatic || keyword === '$ref') && typeof value === 'string') {
        return ['$ref', plain.rootNames.has(value) ? '#' : value];
      }
      if (!namedKeywords.has(keyword) || !isSchema(value)) return [keyword, plainValue(value, plain)];
      const named = Object.entries(value).map(([name, inner]) => [name, plainValue(inner, plain)] as const);
      return [keyword, Object.fromEntries(named)];
    }),
  );
}

function plainValue(value: unknown, plain: Plain): unknown {
  if (Array.isArray(value)) return value.map((one) => plainValue(one, plain));
  return isSchema(value) ? plainPart(value, plain) : value;
}

function isForeign(keyword: string, value: unknown, { type }: Schema, draft: Draft): boolean {
  if (keyword === 'nullable') return value !== true || type === undefined;
  return keyword === 'id' && draft !== 'draft-04';
}
