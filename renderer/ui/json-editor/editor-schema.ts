/**
 * A server's schema as the editor may have it. Left out: what the editor would draw as Markdown, snippets it
 * would insert, and regular expressions, which could keep its thread busy for ever.
 */
export function toEditorSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toEditorSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !leftOut.has(keyword))
      .map(([keyword, value]) => [keyword, convert(keyword, value)]),
  );
}

function convert(keyword: string, value: unknown): unknown {
  if (values.has(keyword)) return value;
  if (!named.has(keyword) || typeof value !== 'object' || value === null) return toEditorSchema(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toEditorSchema(inner)]));
}

const leftOut = new Set([
  'markdownDescription',
  'markdownEnumDescriptions',
  'defaultSnippets',
  'errorMessage',
  'patternErrorMessage',
  'deprecationMessage',
  'pattern',
  'patternProperties',
]);

/** Keywords that hold values, not schemas. */
const values = new Set(['default', 'const', 'enum', 'examples', 'required']);

/** Keywords whose keys are names that the server chose, so none of them is a keyword. */
const named = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
