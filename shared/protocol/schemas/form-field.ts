import type { Define } from './definitions.ts';
import { chosenObject, text } from './kit.ts';

/** What every field of a form may say about itself. */
export const described = { title: text.optional(), description: text.optional() };

/**
 * A field of a form (MCP elicitation), told apart by its `type`.
 *
 * @param choiceKeys a field of type `string` is a choice when it has one of them
 * @param choiceTypes fields of these types are always choices
 */
export const formField =
  (choiceKeys: readonly string[], choiceTypes: readonly string[] = []): Define =>
  (type) => {
    const [words, number, flag, choice] = [
      type('StringSchema'),
      type('NumberSchema'),
      type('BooleanSchema'),
      type('EnumSchema'),
    ];
    const byType = new Map<unknown, typeof words>([
      ['string', words],
      ['number', number],
      ['integer', number],
      ['boolean', flag],
      ...choiceTypes.map((name) => [name, choice] as const),
    ]);
    return chosenObject([words, number, flag, choice], (field) => {
      if (field.type === 'string' && choiceKeys.some((key) => Object.hasOwn(field, key))) return choice;
      return byType.get(field.type) ?? { key: 'type', expected: [...byType.keys()].map(String) };
    });
  };
