import { type Schema, Validator } from '@cfworker/json-schema';
import { ROOT_SCHEMA_PREFIX, type RJSFSchema, type ValidatorType, withIdRefPrefix } from '@rjsf/utils';
import { withPlainNumbers } from './exact-json.ts';
import { isSchema } from './schema.ts';
import { draftOf } from './validate.ts';

/**
 * What the form library asks while it draws: which alternative fits the arguments at hand. The schemas it gives
 * are form schemas, which hold no regular expressions, so this may run on the page. Problems are found by the
 * server's own schema in a thread and handed to the form from outside.
 */
export const formValidator: ValidatorType = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
  isValid(schema, value, rootSchema) {
    try {
      const validator = new Validator(copyOf(schema), draftOf(rootSchema));
      validator.addSchema(copyOf(rootSchema), ROOT_SCHEMA_PREFIX);
      return validator.validate(value === undefined ? null : withPlainNumbers(value)).valid;
    } catch {
      // A schema that cannot be used fits nothing; why is said beside the form.
      return false;
    }
  },
};

/** A copy, because the validator writes into schemas, with its references leading into the root schema. */
function copyOf(schema: RJSFSchema): Schema {
  const copy: unknown = withIdRefPrefix(structuredClone(schema));
  return isSchema(copy) ? copy : {};
}
