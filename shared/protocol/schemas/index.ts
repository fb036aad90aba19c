import type { z } from 'zod';
import type { Message } from '../jsonrpc.ts';
import { existsIn, type Party } from '../methods.ts';
import { type Revision, revisions } from '../revisions.ts';
import { revision20241105 } from './2024-11-05/index.ts';
import { revision20250326 } from './2025-03-26.ts';
import { revision20250618 } from './2025-06-18.ts';
import { revision20251125 } from './2025-11-25/index.ts';
import { revision20260728 } from './2026-07-28/index.ts';
import { type BuiltSchema, buildSchema, type RevisionSchema } from './definitions.ts';
import { anyObject, errorsOf, type SchemaError } from './kit.ts';

export type { SchemaError } from './kit.ts';

export interface MessageContext {
  readonly revision: Revision;
  /** The method of the message; for a response that of its request, null when that is not known. */
  readonly method: string | null;
  /** Who sent the message. */
  readonly from: Party;
}

const ofRevision: Readonly<Record<Revision, RevisionSchema>> = {
  '2024-11-05': revision20241105,
  '2025-03-26': revision20250326,
  '2025-06-18': revision20250618,
  '2025-11-25': revision20251125,
  '2026-07-28': revision20260728,
};

/** What a method has in one revision, ready to be looked at. */
interface ReadyMethod {
  readonly isRequest: boolean;
  readonly mayBeSentBy: Readonly<Record<Party, boolean>>;
  readonly params: z.ZodType;
  readonly result: z.ZodType | null;
}

interface Ready extends BuiltSchema {
  readonly methods: ReadonlyMap<string, ReadyMethod>;
}

const ready = new Map<Revision, Ready>();

/** Builds a revision when it is first needed: most sessions need one of the five. */
function readyOf(revision: Revision): Ready {
  const known = ready.get(revision);
  if (known !== undefined) return known;
  const upTo = revisions.slice(0, revisions.findIndex(({ id }) => id === revision) + 1);
  const schema = buildSchema(upTo.map(({ id }) => ofRevision[id]));
  const built = { ...schema, methods: readyMethods(schema, revision) };
  ready.set(revision, built);
  return built;
}

function readyMethods(schema: BuiltSchema, revision: Revision): Map<string, ReadyMethod> {
  const ofMethod = new Map<string, ReadyMethod>();
  for (const [method, shape] of schema.shapes) {
    const mayBeSentBy = {
      client: existsIn(method, revision, 'client'),
      server: existsIn(method, revision, 'server'),
    };
    // A shape outlives its method: what the revision dropped is not taken out of the table of shapes.
    if (!mayBeSentBy.client && !mayBeSentBy.server) continue;
    ofMethod.set(method, {
      isRequest: shape.result !== undefined,
      mayBeSentBy,
      params: typeNamed(schema, shape.params),
      result: shape.result === undefined ? null : typeNamed(schema, shape.result),
    });
  }
  return ofMethod;
}

function typeNamed(schema: BuiltSchema, name: string): z.ZodType {
  const type = schema.types.get(name);
  if (type === undefined) throw new Error(`The schema has no type ${name}.`);
  return type;
}

/**
 * What is wrong with a message by the schema of a revision; empty when nothing is. Unknown keys are legal everywhere.
 * A method that is unknown, not in the revision or not this side's to send is not a question of schema: also empty.
 */
export function schemaErrors(message: Message, context: MessageContext): SchemaError[] {
  const schema = readyOf(context.revision);
  if (message.type === 'error') {
    const data = schema.errorData.get(message.error.code);
    return data === undefined ? [] : errorsOf(typeNamed(schema, data), message.error.data, '/error/data');
  }
  if (message.type === 'result') {
    // A result of any method is an object (MCP schema, Result).
    if (context.method === null) return errorsOf(anyObject, message.result, '/result');
    const type = resultType(context);
    return type === null ? [] : errorsOf(type, message.result, '/result');
  }
  const method = schema.methods.get(message.method);
  if (method === undefined || !method.mayBeSentBy[context.from]) return [];
  return [...kindErrors(message.type, method), ...paramsErrors(message.params, method.params)];
}

/** The type of the params of a method; null if that side may not send it. */
export function paramsType({ revision, method, from }: MessageContext): z.ZodType | null {
  const known = method === null ? undefined : readyOf(revision).methods.get(method);
  return known?.mayBeSentBy[from] === true ? known.params : null;
}

/** The type of the result that answers a method; null if the other side may not send that method. */
export function resultType({ revision, method, from }: MessageContext): z.ZodType | null {
  const asked = method === null ? undefined : readyOf(revision).methods.get(method);
  const isAnswer = asked?.mayBeSentBy[from === 'client' ? 'server' : 'client'] === true;
  return isAnswer ? (asked?.result ?? null) : null;
}

function kindErrors(kind: 'request' | 'notification', { isRequest }: ReadyMethod): SchemaError[] {
  if (isRequest === (kind === 'request')) return [];
  return [{ pointer: '/id', message: isRequest ? 'missing: this is a request' : 'a notification has none' }];
}

function paramsErrors(params: unknown, type: z.ZodType): SchemaError[] {
  if (params !== undefined) return errorsOf(type, params, '/params');
  // Params may be left out when nothing in them is required.
  return type.safeParse({}).success ? [] : [{ pointer: '/params', message: 'missing' }];
}

/** Every type of a revision by its name, for who wants to look at a part of a message. */
export function schemaTypes(revision: Revision): ReadonlyMap<string, z.ZodType> {
  return readyOf(revision).types;
}
