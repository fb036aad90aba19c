import { visibleText } from '../visible.ts';

/**
 * Makes a server's schema safe for the editor. Removes text the editor would render as Markdown, snippets it would
 * insert, and regular expressions, which could block its thread.
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

/** Escapes text for Markdown: no links, images or tags. */
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

/** Keywords whose keys are names chosen by the server, not keywords. */
const named = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
