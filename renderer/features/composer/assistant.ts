import { useEffect, useMemo, useRef } from 'react';
import { completionOf } from '#model/completion.ts';
import type { SessionStatus } from '#model/sessions.ts';
import {
  leafValue,
  nodeAt,
  type PathStep,
  placeAt,
  type TreeNode,
  type TreePlace,
  treeOf,
} from '#shared/json/tree.ts';
import type {
  EditorAssistant,
  EditorDescription,
  EditorSuggestion,
  EditorSuggestions,
} from '#ui/json-editor/assistant.ts';
import {
  type ComposerCatalog,
  knownRevision,
  messageSchema,
  methodDescription,
  promptSchema,
} from './message-schema.ts';
import {
  descriptionOf,
  membersOf,
  type SchemaGraft,
  type SchemaPlace,
  schemasAt,
  typesOf,
  valuesOf,
} from './schema-places.ts';

export type { ComposerCatalog } from './message-schema.ts';

interface Sources {
  readonly session: SessionStatus;
  readonly catalog: ComposerCatalog;
}

/** Suggests what can stand in a message, from the schemas of the revision and the lists of the server. Stays the same. */
export function useAssistant(session: SessionStatus, catalog: ComposerCatalog): EditorAssistant {
  const latest = useRef<Sources>({ session, catalog });
  useEffect(() => {
    latest.current = { session, catalog };
  });
  return useMemo(
    () => ({
      suggest: (text: string, offset: number) => suggest(text, offset, latest.current),
      describe: (text: string, offset: number) => describe(text, offset, latest.current),
    }),
    [],
  );
}

/** A message of the document: in a batch, one of several. */
interface MessageAt {
  readonly tree: TreeNode | undefined;
  readonly method: unknown;
  /** The path inside the message. */
  readonly path: readonly PathStep[];
  readonly schemas: (path: readonly PathStep[]) => readonly SchemaPlace[];
  readonly grafts: readonly SchemaGraft[];
}

function messageAt(
  text: string,
  root: TreeNode | null,
  place: TreePlace,
  { session, catalog }: Sources,
): MessageAt {
  const isBatch = root?.kind === 'array';
  const tree = root === null ? undefined : isBatch ? root.items[Number(place.path[0] ?? 0)] : root;
  const path = isBatch ? place.path.slice(1) : place.path;
  const valueAt = (at: readonly PathStep[]) =>
    leafValue(text, tree === undefined ? undefined : nodeAt(tree, at));
  const method = valueAt(['method']);
  const grafts = graftsFor(method, valueAt(['params', 'name']), catalog);
  const schema = messageSchema(method, knownRevision(session.agreement?.revision), catalog.params);
  return { tree, method, path, grafts, schemas: (at) => schemasAt(schema, at, { text, tree }, grafts) };
}

const ARGUMENTS = ['params', 'arguments'] as const;

/** The schema of the arguments of a tool or prompt. */
function graftsFor(
  method: unknown,
  name: unknown,
  { tools, prompts }: ComposerCatalog,
): readonly SchemaGraft[] {
  if (method === 'tools/call') {
    const entry = tools.find((one) => one.usable && one.tool.name === name);
    if (entry?.usable) {
      return [
        { path: ARGUMENTS, schema: entry.tool.inputSchema, owner: `Input schema of ${entry.tool.name}` },
      ];
    }
  }
  if (method === 'prompts/get') {
    const entry = prompts.find((one) => one.usable && one.prompt.name === name);
    if (entry?.usable) {
      return [
        { path: ARGUMENTS, schema: promptSchema(entry.prompt), owner: `Arguments of ${entry.prompt.name}` },
      ];
    }
  }
  return [];
}

/** What can stand at an offset of the text. */
export async function suggest(
  text: string,
  offset: number,
  sources: Sources,
): Promise<EditorSuggestions | null> {
  const root = treeOf(text);
  const place = placeAt(root, offset);
  if (place === null || (root === null && text.trim() !== '')) return null;
  const message = messageAt(text, root, place, sources);
  const { start, end } = place;
  if (place.role === 'key') return { start, end, suggestions: members(text, place, message) };
  const named = names(message, sources.catalog);
  const asked = named.length > 0 ? [] : await completions(text, place, message, sources);
  const schemas = message.schemas(message.path);
  const values = valuesOf(schemas).map(
    (value): EditorSuggestion => ({
      kind: 'value',
      label: value.startsWith('"') ? String(JSON.parse(value)) : value,
      text: value,
      description: message.path.at(-1) === 'method' ? methodHint(value, sources) : descriptionOf(schemas),
    }),
  );
  const own = [...named, ...asked, ...values];
  return { start, end, suggestions: own.length > 0 ? own : blanks(schemas) };
}

function methodHint(value: string, { session }: Sources): string {
  return methodDescription(String(JSON.parse(value)), knownRevision(session.agreement?.revision));
}

/** The members that the object at a key may have and has not yet. */
function members(text: string, place: TreePlace, { path, schemas }: MessageAt): EditorSuggestion[] {
  const { object, start, end, hasColon } = place;
  const present = new Set(object?.members.filter(({ keyStart }) => keyStart !== start).map(({ key }) => key));
  const isNew = start === end;
  const before = text.slice(0, start).trimEnd().at(-1);
  const after = text.slice(end).trimStart().at(0);
  const lead = isNew && before !== undefined && !'{,'.includes(before) ? ', ' : '';
  const trail = after === '"' ? ',' : '';
  return [...membersOf(schemas(path))]
    .filter(([key]) => !present.has(key))
    .map(([key, member]): EditorSuggestion => {
      const written = JSON.stringify(key);
      const inner = schemas([...path, key]);
      const { value, caret } = blankOf(inner);
      const whole = hasColon ? written : `${lead}${written}: ${value}${trail}`;
      const types = [...new Set(inner.flatMap(({ schema }) => typesOf(schema)))].join(' or ');
      return {
        kind: 'member',
        label: key,
        detail: [types, member.isRequired ? 'required' : 'optional'].filter(Boolean).join(', '),
        description: [descriptionOf(inner), member.owner].filter(Boolean).join('\n\n') || undefined,
        text: whole,
        caret: hasColon ? undefined : lead.length + written.length + 2 + caret,
        goesOn: !hasColon && (valuesOf(inner).length > 0 || value === '""'),
      };
    });
}

/** An empty value of the first type that schemas name, and where its content goes. */
function blankOf(schemas: readonly SchemaPlace[]): { readonly value: string; readonly caret: number } {
  const [type] = schemas.flatMap(({ schema }) => typesOf(schema));
  const isChoice = valuesOf(schemas).some((value) => !value.startsWith('"'));
  if (type === 'string' || (type === undefined && valuesOf(schemas).length > 0 && !isChoice))
    return { value: '""', caret: 1 };
  if (type === 'object') return { value: '{}', caret: 1 };
  if (type === 'array') return { value: '[]', caret: 1 };
  return { value: '', caret: 0 };
}

function blanks(schemas: readonly SchemaPlace[]): EditorSuggestion[] {
  const { value, caret } = blankOf(schemas);
  return value === '' || value === '""'
    ? []
    : [{ kind: 'value', label: value, text: value, caret, goesOn: true }];
}

/** Names from the catalog: tools, prompts, URIs of resources. */
function names({ method, path }: MessageAt, catalog: ComposerCatalog): EditorSuggestion[] {
  const at = path.join('/');
  const list = (
    entries: readonly {
      readonly name: string;
      readonly description?: string | undefined;
      readonly detail?: string;
    }[],
  ) =>
    entries.map(
      ({ name, description, detail }): EditorSuggestion => ({
        kind: 'name',
        label: name,
        text: JSON.stringify(name),
        ...(detail !== undefined && { detail }),
        ...(description !== undefined && { description }),
      }),
    );
  const isCompletion = method === 'completion/complete';
  if (at === 'params/name' && method === 'tools/call') {
    return list(catalog.tools.flatMap((one) => (one.usable ? [one.tool] : [])));
  }
  if ((at === 'params/name' && method === 'prompts/get') || (at === 'params/ref/name' && isCompletion)) {
    return list(catalog.prompts.flatMap((one) => (one.usable ? [one.prompt] : [])));
  }
  const isUri = at === 'params/uri' && typeof method === 'string' && method.startsWith('resources/');
  if (isUri || (at === 'params/ref/uri' && isCompletion)) {
    const resources = catalog.resources.flatMap((one) =>
      one.usable ? [{ name: one.resource.uri, description: one.resource.description }] : [],
    );
    const templates = catalog.templates.flatMap((one) =>
      one.usable
        ? [{ name: one.template.uriTemplate, description: one.template.description, detail: 'template' }]
        : [],
    );
    return list(isCompletion ? templates : [...resources, ...templates]);
  }
  return [];
}

/** Values of a prompt's argument that the server suggests (MCP completion). */
async function completions(
  text: string,
  place: TreePlace,
  { tree, method, path }: MessageAt,
  { session }: Sources,
): Promise<EditorSuggestion[]> {
  const [first, second, argument, ...deeper] = path;
  const isArgument =
    first === ARGUMENTS[0] && second === ARGUMENTS[1] && typeof argument === 'string' && deeper.length === 0;
  if (method !== 'prompts/get' || !isArgument || tree === undefined) return [];
  const name = leafValue(text, nodeAt(tree, ['params', 'name']));
  if (typeof name !== 'string') return [];
  const others: Record<string, string> = {};
  for (const { key, value } of nodeAt(tree, ARGUMENTS)?.members ?? []) {
    const known = leafValue(text, value ?? undefined);
    if (typeof known === 'string') others[key] = known;
  }
  const value = leafValue(text, nodeAt(tree, path));
  const completion = await completionOf(session, {
    ref: { type: 'ref/prompt', name },
    argument,
    value: place.start === place.end || typeof value !== 'string' ? '' : value,
    others,
  });
  return (completion?.values ?? []).map(
    (one): EditorSuggestion => ({
      kind: 'value',
      label: one,
      text: JSON.stringify(one),
      detail: 'from the server',
    }),
  );
}

/** What is known of the key or value at an offset. */
export function describe(text: string, offset: number, sources: Sources): EditorDescription | null {
  const root = treeOf(text);
  const place = placeAt(root, offset);
  if (root === null || place === null || place.start === place.end) return null;
  const message = messageAt(text, root, place, sources);
  const key = leafValue(text, { kind: 'string', start: place.start, end: place.end, members: [], items: [] });
  const path = place.role === 'key' ? [...message.path, String(key)] : message.path;
  const { start, end } = place;
  if (place.role === 'value' && path.join('/') === 'method' && typeof message.method === 'string') {
    const said = methodDescription(message.method, knownRevision(sources.session.agreement?.revision));
    return { start, end, lines: [message.method, said] };
  }
  const schemas = message.schemas(path);
  if (schemas.length === 0) return null;
  const types = [...new Set(schemas.flatMap(({ schema }) => typesOf(schema)))].join(' or ');
  const isRequired = schemas.some((one) => one.isRequired);
  const head = `${path.at(-1) ?? 'message'}: ${types === '' ? 'any value' : types}${isRequired ? ', required' : ''}`;
  const values = valuesOf(schemas);
  const lines = [
    head,
    descriptionOf(schemas),
    values.length > 0 && values.length <= MAX_VALUES ? `One of ${values.join(', ')}` : undefined,
    schemas.find(({ owner }) => owner !== null)?.owner,
  ];
  return { start, end, lines: lines.filter((line): line is string => typeof line === 'string') };
}

/** Values named in a description. */
const MAX_VALUES = 20;
