import type { Result } from '#shared/contract/index.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { existsIn, methods, type MethodFacts } from '#shared/protocol/methods.ts';
import { isKnownRevision, newestLegacyRevision } from '#shared/protocol/revisions.ts';
import type { ComposerCatalog, JsonSchema } from './message-schema.ts';

export type ComposerContext = Result<'composer/context'>;

/** The beginning of a message. */
export interface Template {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly isRaw: boolean;
  /** JSON text on one line, or the text of raw bytes. */
  make(context: ComposerContext): string;
}

/** Tools, prompts and resources of a server that get a template of their own. */
const MAX_OF_LIST = 2000;

/** Every template for a revision: each method that a client may send, the other kinds of messages, and the catalog. */
export function templatesFor(
  revision: string,
  { tools, prompts, resources, params }: ComposerCatalog,
): readonly Template[] {
  const known = isKnownRevision(revision) ? revision : newestLegacyRevision;
  const own = methods.filter(({ method }) => existsIn(method, known, 'client'));
  const ofMethods = (kind: MethodFacts['kind'], group: string) =>
    own
      .filter((facts) => facts.kind === kind)
      .map(({ method }) => ({
        id: `method ${method}`,
        group,
        label: method,
        isRaw: false,
        make: (context: ComposerContext) =>
          messageText(kind, method, skeletonOf(params[method] ?? {}), context),
      }));
  return [
    ...ofMethods('request', 'Requests'),
    ...ofMethods('notification', 'Notifications'),
    ...otherKinds,
    ...tools
      .slice(0, MAX_OF_LIST)
      .flatMap((entry) => (entry.usable ? [toolTemplate(entry.tool.name, entry.tool.inputSchema)] : [])),
    ...prompts.slice(0, MAX_OF_LIST).flatMap((entry) => (entry.usable ? [promptTemplate(entry.prompt)] : [])),
    ...resources
      .slice(0, MAX_OF_LIST)
      .flatMap((entry) =>
        entry.usable
          ? [callTemplate('Resources', 'resources/read', entry.resource.uri, { uri: entry.resource.uri })]
          : [],
      ),
  ];
}

const fixed = (id: string, label: string, make: Template['make'], isRaw = false): Template => ({
  id,
  group: 'Other kinds',
  label,
  isRaw,
  make,
});

const otherKinds: readonly Template[] = [
  fixed('result', 'Response: result', () => '{"jsonrpc":"2.0","id":1,"result":{}}'),
  fixed(
    'error',
    'Response: error',
    () => '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}',
  ),
  fixed(
    'batch',
    'Batch',
    ({ nextId }) =>
      `[{"jsonrpc":"2.0","id":${nextId},"method":"ping"},{"jsonrpc":"2.0","id":${nextId + 1},"method":"tools/list"}]`,
  ),
  fixed('raw', 'Raw bytes', ({ nextId }) => `{"jsonrpc":"2.0","id":${nextId},"method":"ping"}`, true),
];

function toolTemplate(name: string, inputSchema: JsonSchema): Template {
  return callTemplate('Tools', 'tools/call', name, { name, arguments: skeletonOf(inputSchema) });
}

function promptTemplate({
  name,
  arguments: args = [],
}: {
  name: string;
  arguments?: readonly { name: string; required?: boolean | undefined }[] | undefined;
}): Template {
  const required = args.filter((one) => one.required === true).map((one) => [one.name, '']);
  const given = required.length > 0 ? { arguments: Object.fromEntries(required) } : {};
  return callTemplate('Prompts', 'prompts/get', name, { name, ...given });
}

const callTemplate = (group: string, method: string, name: string, params: object): Template => ({
  id: `${method} ${name}`,
  group,
  label: name,
  isRaw: false,
  make: (context) => messageText('request', method, params, context),
});

function messageText(
  kind: MethodFacts['kind'],
  method: string,
  params: unknown,
  { nextId, meta }: ComposerContext,
): string {
  const own = isObject(params) ? { ...params } : {};
  delete own._meta;
  const members = Object.entries(own).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  // The era demands it of requests only (MCP 2026-07-28 basic, `_meta`).
  if (kind === 'request' && meta !== null) members.unshift(`"_meta":${meta}`);
  const id = kind === 'request' ? `"id":${nextId},` : '';
  const ofParams = members.length > 0 ? `,"params":{${members.join(',')}}` : '';
  return `{"jsonrpc":"2.0",${id}"method":${JSON.stringify(method)}${ofParams}}`;
}

/** How deep required members are filled in. */
const MAX_DEPTH = 6;

/** The smallest value of a schema: of an object its required members. */
export function skeletonOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  const [choice] = Array.isArray(schema.enum) ? schema.enum : [];
  if (choice !== undefined) return choice;
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray);
  if (branches !== undefined && schema.properties === undefined) return skeletonOf(branches[0], depth + 1);
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'null':
      return null;
    default: {
      const { properties, required } = schema;
      if (!isObject(properties) || !Array.isArray(required)) return {};
      const names = required.filter((name): name is string => typeof name === 'string');
      return Object.fromEntries(names.map((name) => [name, skeletonOf(properties[name], depth + 1)]));
    }
  }
}
