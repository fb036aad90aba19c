import { visibleText } from '../visible.ts';

/**
 * A server's schema as the editor may have it. Left out: what the editor would draw as Markdown, snippets it
 * would insert, and regular expressions, which could keep its thread busy for ever.
 */
export function toEditorSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toEditorSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema)
    .filter(([keyword]) => !leftOut.has(keyword))
    .map(([keyword, value]) => [keyword, convert(keyword, value)] as const);
  const said = 'description' in schema ? schema.description : undefined;
  return Object.fromEntries(
    typeof said === 'string' ? [...kept, ['markdownDescription', quoted(said)]] : kept,
  );
}

/** Text that Markdown shows as it is: no links, no pictures, no tags. */
function quoted(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${visibleText(text)}\n${fence}`;
}

function convert(keyword: string, value: unknown): unknown {
  if (values.has(keyword)) return value;
  if (!named.has(keyword) || typeof value !== 'object' || value === null) return toEditorSchema(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toEditorSchema(inner)]));
}

const leftOut = new Set([
  'title',
  'description',
  'enumDescriptions',
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
