import { targetOf } from '#shared/json-schema/references.ts';
import { isSchema, type Schema } from '#shared/json-schema/schema.ts';

/** Parts of a schema, references included, that a form can render without blocking the page. */
const MAX_PARTS = 2_000;
/** Nesting levels. */
const DEEPEST = 64;
/** Characters copied for all alternatives: each is tried on a copy of the whole schema. */
const MAX_COPIED = 64 * 1024 * 1024;

/** Keywords that hold one schema, a list of them, or schemas by name. */
const single = ['items', 'additionalItems', 'additionalProperties', 'if', 'then', 'else', 'not', 'contains'];
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const named = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'];

interface Part {
  readonly schema: Schema;
  readonly depth: number;
  /** The references followed so far. A cycle ends here, as it does in a form. */
  readonly refs: Refs | null;
}

interface Refs {
  readonly target: Schema;
  readonly before: Refs | null;
}

/**
 * Why a schema is too large for a form, as the end of a sentence; null if it is not. References count as expanded, so
 * that a short schema whose references fork at each level is rejected before a form expands it.
 */
export function overFormLimits(root: Schema): string | null {
  const open: Part[] = [{ schema: root, depth: 0, refs: null }];
  let parts = 0;
  let alternatives = 0;
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (++parts > MAX_PARTS) return `its schema unfolds into more than ${MAX_PARTS} parts.`;
    const { schema, depth, refs } = part;
    if (depth > DEEPEST) return `its schema is nested more than ${DEEPEST} levels deep.`;
    const target = targetOf(schema, root);
    if (target !== undefined && !leadsBack(refs, target)) {
      open.push({ schema: target, depth, refs: { target, before: refs } });
    }
    for (const keyword of ['anyOf', 'oneOf']) alternatives += lengthOf(schema[keyword]);
    for (const inner of partsOf(schema)) open.push({ schema: inner, depth: depth + 1, refs });
    if (open.length > MAX_PARTS) return `its schema unfolds into more than ${MAX_PARTS} parts.`;
  }
  if (alternatives > 0 && alternatives * JSON.stringify(root).length > MAX_COPIED) {
    return `its schema is too large to try its ${alternatives} alternatives.`;
  }
  return null;
}

function* partsOf(schema: Schema): Generator<Schema> {
  for (const keyword of single) {
    const value = schema[keyword];
    if (isSchema(value)) yield value;
  }
  for (const keyword of lists) {
    const value = schema[keyword];
    if (Array.isArray(value)) yield* value.filter(isSchema);
  }
  for (const keyword of named) {
    const value = schema[keyword];
    if (isSchema(value)) yield* Object.values(value).filter(isSchema);
  }
}

function leadsBack(refs: Refs | null, target: Schema): boolean {
  for (let one = refs; one !== null; one = one.before) if (one.target === target) return true;
  return false;
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
