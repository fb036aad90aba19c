import type { PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '#shared/contract/catalog.ts';
import type { Prompt } from '#shared/contract/catalog.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { existsIn, methodFacts, methodIn, methods } from '#shared/protocol/methods.ts';
import { isKnownRevision, newestLegacyRevision, type Revision } from '#shared/protocol/revisions.ts';

/** The lists of a server that messages are completed from. */
export interface ComposerCatalog {
  readonly tools: readonly ToolEntry[];
  readonly prompts: readonly PromptEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly templates: readonly TemplateEntry[];
  /** The schemas of the params of each method of the revision; empty until they are loaded. */
  readonly params: Readonly<Record<string, JsonSchema>>;
}

/** A JSON Schema, of the protocol or of a server. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const knownRevision = (revision: string | undefined): Revision =>
  revision !== undefined && isKnownRevision(revision) ? revision : newestLegacyRevision;

/** The methods that a client may send in a revision. */
export const clientMethods = (revision: Revision): readonly string[] =>
  methods.map(({ method }) => method).filter((method) => existsIn(method, revision, 'client'));

/** The schema of one message by its method, with the params as the revision has them. */
export function messageSchema(
  method: unknown,
  revision: Revision,
  paramsOf: ComposerCatalog['params'],
): JsonSchema {
  const params = typeof method === 'string' && Object.hasOwn(paramsOf, method) ? paramsOf[method] : undefined;
  const isNotification = typeof method === 'string' && methodFacts(method)?.kind === 'notification';
  return {
    type: 'object',
    required: ['jsonrpc', 'method', ...(isNotification ? [] : ['id'])],
    properties: {
      jsonrpc: { const: '2.0', description: 'The version of JSON-RPC, always "2.0".' },
      ...(!isNotification && {
        id: {
          type: ['string', 'integer'],
          description: 'The id of the request, which its response repeats. A notification has none.',
        },
      }),
      method: { enum: clientMethods(revision), description: 'What is asked or said.' },
      params: { ...withMeta(params ?? { type: 'object' }), description: paramsDescription(method) },
      ...(typeof method !== 'string' && {
        result: { type: 'object', description: 'The result, if this is a response.' },
        error: {
          type: 'object',
          description: 'The error, if this is a response.',
          required: ['code', 'message'],
          properties: {
            code: { type: 'integer', enum: [-32603, -32602, -32601, -1] },
            message: { type: 'string' },
            data: {},
          },
        },
      }),
    },
  };
}

const paramsDescription = (method: unknown): string =>
  typeof method === 'string' ? `The params of ${method}.` : 'The params of the method.';

/** The progress token, which the params of any request may hold (MCP progress). */
function withMeta(params: JsonSchema): JsonSchema {
  const { properties } = params;
  const meta = isObject(properties) && isObject(properties._meta) ? properties._meta : {};
  const own = isObject(meta.properties) ? meta.properties : {};
  const token = {
    type: ['string', 'integer'],
    description: 'Asks for progress notifications with this token.',
  };
  return {
    ...params,
    properties: {
      ...(isObject(properties) ? properties : {}),
      _meta: { ...meta, type: 'object', properties: { progressToken: token, ...own } },
    },
  };
}

/** A prompt's arguments as a schema: each is a string (MCP prompts). */
export function promptSchema({ arguments: args = [] }: Prompt): JsonSchema {
  return {
    type: 'object',
    required: args.filter(({ required }) => required === true).map(({ name }) => name),
    properties: Object.fromEntries(
      args.map(({ name, description }) => [
        name,
        { type: 'string', ...(description !== undefined && { description }) },
      ]),
    ),
  };
}

/** What a method is, in a sentence. */
export function methodDescription(method: string, revision: Revision): string {
  const facts = methodFacts(method);
  if (facts === null) return 'No revision of MCP has this method.';
  const available = methodIn(method, revision);
  if (available === null) return `Not part of revision ${revision}.`;
  const gate =
    available.gate === undefined ? '' : ` It needs the capability ${available.gate.path.join('.')}.`;
  const from = available.from === 'both' ? 'either side' : `the ${available.from}`;
  return `A ${facts.kind} of ${from}, since ${facts.availability[0]?.since ?? available.since}.${gate}`;
}
