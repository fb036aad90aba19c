import { z } from 'zod';
import { type MessageContext, paramsType } from './index.ts';
import { alternativesOf, memberOf } from './kit.ts';

/** A JSON Schema as far as an editor reads it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The schema of the params of a method; null if that side may not send it in that revision. */
export function paramsSchema(context: MessageContext): JsonSchema | null {
  const type = paramsType(context);
  return type && toJsonSchema(type);
}

const made = new WeakMap<z.ZodType, JsonSchema>();

function toJsonSchema(type: z.ZodType): JsonSchema {
  const known = made.get(type);
  if (known !== undefined) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // The library does not see what the kit checks by code.
      if (!(zodSchema instanceof z.ZodType)) return;
      const member = memberOf(zodSchema);
      if (member !== null) {
        const keyword = jsonSchema.type === 'array' ? 'items' : 'additionalProperties';
        Object.assign(jsonSchema, { [keyword]: toJsonSchema(member) });
      }
      const alternatives = alternativesOf(zodSchema);
      if (alternatives !== null) Object.assign(jsonSchema, { anyOf: alternatives.map(toJsonSchema) });
    },
  });
  made.set(type, schema);
  return schema;
}
