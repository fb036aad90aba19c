import { z } from 'zod';
import { type RevisionSchema, requestParams } from '../definitions.ts';
import { described, formField } from '../form-field.ts';
import { chosen, chosenObject, flag, integer, list, number, text, texts } from '../kit.ts';

const titledOptions = list(z.looseObject({ const: text, title: text }));
const severalOf = { ...described, minItems: integer.optional(), maxItems: integer.optional() };

/** Elicitation of MCP 2025-11-25: a form or a page, choices with titles, several choices, defaults. */
export const elicitation: RevisionSchema['types'] = {
  ElicitRequestFormParams: (type, before) =>
    before().extend({ mode: z.literal('form').optional(), task: type('TaskMetadata').optional() }),
  ElicitRequestURLParams: (type) =>
    requestParams(type, {
      mode: z.literal('url'),
      message: text,
      elicitationId: text,
      url: text,
      task: type('TaskMetadata').optional(),
    }),
  ElicitRequestParams: (type) => {
    const form = type('ElicitRequestFormParams');
    const page = type('ElicitRequestURLParams');
    return chosenObject([form, page], ({ mode }) => {
      // Without a mode it is a form, as in the revision before.
      if (mode === undefined || mode === 'form') return form;
      return mode === 'url' ? page : { key: 'mode', expected: ['form', 'url'] };
    });
  },
  ElicitationSchema: (_, before) => before().extend({ $schema: text.optional() }),
  ElicitationValue: () => {
    const single = z.union([text, number, flag]);
    return chosen([single, texts], (value) => (Array.isArray(value) ? texts : single));
  },
  URLElicitationRequiredData: (type) => z.looseObject({ elicitations: list(type('ElicitRequestURLParams')) }),

  StringSchema: (_, before) => before().extend({ default: text.optional() }),
  NumberSchema: (_, before) => before().extend({ default: number.optional() }),
  UntitledSingleSelectEnumSchema: () =>
    z.looseObject({ type: z.literal('string'), ...described, enum: texts, default: text.optional() }),
  TitledSingleSelectEnumSchema: () =>
    z.looseObject({
      type: z.literal('string'),
      ...described,
      oneOf: titledOptions,
      default: text.optional(),
    }),
  UntitledMultiSelectEnumSchema: () =>
    z.looseObject({
      type: z.literal('array'),
      ...severalOf,
      items: z.looseObject({ type: z.literal('string'), enum: texts }),
      default: texts.optional(),
    }),
  TitledMultiSelectEnumSchema: () =>
    z.looseObject({
      type: z.literal('array'),
      ...severalOf,
      items: z.looseObject({ anyOf: titledOptions }),
      default: texts.optional(),
    }),
  LegacyTitledEnumSchema: () =>
    z.looseObject({
      type: z.literal('string'),
      ...described,
      enum: texts,
      enumNames: texts.optional(),
      default: text.optional(),
    }),
  EnumSchema: (type) => {
    const kinds = {
      untitled: type('UntitledSingleSelectEnumSchema'),
      titled: type('TitledSingleSelectEnumSchema'),
      severalUntitled: type('UntitledMultiSelectEnumSchema'),
      severalTitled: type('TitledMultiSelectEnumSchema'),
      legacy: type('LegacyTitledEnumSchema'),
    };
    return chosenObject(Object.values(kinds), ({ type: kind, items, ...field }) => {
      if (kind === 'array') {
        const isTitled = typeof items === 'object' && items !== null && Object.hasOwn(items, 'anyOf');
        return isTitled ? kinds.severalTitled : kinds.severalUntitled;
      }
      if (kind !== 'string') return { key: 'type', expected: ['string', 'array'] };
      if (Object.hasOwn(field, 'oneOf')) return kinds.titled;
      return Object.hasOwn(field, 'enumNames') ? kinds.legacy : kinds.untitled;
    });
  },
  PrimitiveSchemaDefinition: formField(['enum', 'oneOf'], ['array']),
};
