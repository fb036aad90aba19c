import type { ErrorObject } from 'ajv';

export interface Problem {
  /** Where in the value (RFC 6901). */
  readonly pointer: string;
  readonly message: string;
}

/** More problems than this are not told. */
const MOST_PROBLEMS = 20;
/** Characters of a message; a schema may list values of any length. */
const LONGEST_MESSAGE = 300;

/** What is wrong with a value, in words; the first problems when there are many. */
export const problemsOf = (errors: readonly ErrorObject[]): Problem[] =>
  errors.slice(0, MOST_PROBLEMS).map((error) => ({
    pointer: error.instancePath,
    message: cut(messageOf(error)),
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

function messageOf({ keyword, params, message }: ErrorObject): string {
  return reworded[keyword]?.(params) ?? message ?? `is not what ${keyword} asks for`;
}

const cut = (text: string): string =>
  text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
