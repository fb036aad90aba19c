import { type Document, isMap, isNode, isScalar, isSeq, LineCounter } from 'yaml';
import { z } from 'zod';
import {
  expectedStates,
  type Expectations,
  type FileError,
  jsonTypes,
  patternSchema,
  type SavedCall,
  type ValueCheck,
  valueCheckSchema,
} from '#shared/contract/saved-calls.ts';
import { jsonOfNode, memberNode, NotJson, parseYaml } from './exact-yaml.ts';
import { variableNames } from '#shared/json/variables.ts';

/** A place in the file, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A call of a file, with the places that its failures name. */
export interface ReadCall extends SavedCall, Place {
  readonly places: {
    readonly status: Place;
    readonly schema: Place;
    readonly duration: Place;
    /** The places of the expected values, in the order of `expect.values`. */
    readonly values: readonly Place[];
  };
  /** Where it refers to variables. */
  readonly variableUses: readonly (Place & { readonly name: string })[];
}

export type ReadTestFile =
  | {
      readonly ok: true;
      readonly variables: Readonly<Record<string, string>>;
      readonly calls: readonly ReadCall[];
    }
  | { readonly ok: false; readonly errors: readonly FileError[] };

/** The version of the format; a file of another one is refused. */
export const FORMAT_VERSION = 1;

const durationSchema = z.union([
  z.number().positive(),
  z.string().regex(/^\d+(\.\d+)?(ms|s|m)$/, 'wants milliseconds, or a time such as 500ms, 2s, 1m'),
]);

const checkSchema = z
  .strictObject({
    path: valueCheckSchema.shape.path,
    equals: z.unknown().optional(),
    type: z.enum(jsonTypes).optional(),
    matches: patternSchema.optional(),
    exists: z.boolean().optional(),
  })
  .refine(
    (check) => Object.keys(check).length === 2,
    'wants a path and one of equals, type, matches and exists',
  );

/** An empty member of YAML is null. */
const object = z.record(z.string(), z.unknown()).nullish();

const stepSchema = z
  .strictObject({
    name: z.string().min(1),
    /** The tool to call. */
    call: z.string().min(1).optional(),
    arguments: object,
    /** The method of any other request. */
    request: z.string().min(1).optional(),
    params: object,
    expect: z
      .strictObject({
        status: z.enum(expectedStates).optional(),
        code: z.number().int().optional(),
        values: z.array(checkSchema).nullish(),
        schema: z.union([z.literal('output'), z.record(z.string(), z.unknown())]).optional(),
        duration: durationSchema.optional(),
      })
      .nullish(),
  })
  .refine(
    ({ call, request }) => (call === undefined) !== (request === undefined),
    'wants either call or request',
  )
  .refine(
    ({ call, ...step }) => (call === undefined ? !('arguments' in step) : !('params' in step)),
    'arguments belong to call, params to request',
  );

/** A test file as written (docs/testing-servers.md). */
export const testFileShape = z.strictObject({
  version: z.literal(FORMAT_VERSION),
  variables: object,
  steps: z.array(stepSchema).nullish(),
});

/** Reads the text of a test file, YAML or JSON. Every error names its place. */
export function readTestFile(text: string): ReadTestFile {
  const lineCounter = new LineCounter();
  const document = parseYaml(text, { lineCounter });
  const placeAt = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const placeOf = (node: unknown): Place =>
    isNode(node) && node.range ? placeAt(node.range[0]) : { line: 1, column: 1 };
  const refuse = (place: Place, message: string): ReadTestFile => ({
    ok: false,
    errors: [{ ...place, message }],
  });

  if (document.errors.length > 0) {
    const errors = document.errors.map(({ pos, message }) => ({
      ...placeAt(pos[0]),
      message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message,
    }));
    return { ok: false, errors };
  }
  if (document.contents === null) return refuse({ line: 1, column: 1 }, 'the file is empty');
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 1000 });
  } catch (error) {
    return refuse({ line: 1, column: 1 }, error instanceof Error ? error.message : String(error));
  }
  const parsed = testFileShape.safeParse(value);
  if (!parsed.success) {
    return {
      ok: false,
      errors: errorsOf(parsed.error, document).map(({ node, message }) => ({ ...placeOf(node), message })),
    };
  }
  const names = (parsed.data.steps ?? []).map(({ name }) => name);
  const repeated = names.findIndex((name, index) => names.indexOf(name) < index);
  if (repeated !== -1) {
    const place = placeOf(document.getIn(['steps', repeated, 'name'], true));
    return refuse(place, `another step is named ${JSON.stringify(names[repeated])}, too`);
  }
  try {
    return {
      ok: true,
      variables: membersOf(document.get('variables', true), document),
      calls: (parsed.data.steps ?? []).map((step, index) =>
        readStep(step, document.getIn(['steps', index], true), document, placeOf),
      ),
    };
  } catch (error) {
    if (error instanceof NotJson) return refuse(placeOf(error.node), error.message);
    throw error;
  }
}

function readStep(
  step: z.infer<typeof stepSchema>,
  node: unknown,
  document: Document,
  placeOf: (node: unknown) => Place,
): ReadCall {
  const at = (...path: readonly (string | number)[]): unknown =>
    isMap(node) ? node.getIn(path, true) : undefined;
  const expectNode = memberNode(node, 'expect');
  const placeOfMember = (name: string): Place =>
    placeOf(memberNode(expectNode?.value, name)?.key ?? expectNode?.key ?? node);
  const argumentsNode = at(step.call === undefined ? 'params' : 'arguments');
  const { status, code, values, schema, duration } = step.expect ?? {};
  const expect: Expectations = {
    status: status ?? (code === undefined ? 'ok' : 'protocol-error'),
    code: code ?? null,
    values: (values ?? []).map((check, index) =>
      checkOf(check, at('expect', 'values', index, 'equals'), document),
    ),
    schema:
      schema === undefined
        ? null
        : schema === 'output'
          ? schema
          : jsonOfNode(at('expect', 'schema'), document),
    duration: duration === undefined ? null : millisecondsOf(duration),
  };
  return {
    name: step.name,
    method: step.request ?? 'tools/call',
    tool: step.call ?? null,
    arguments:
      argumentsNode === undefined || isEmpty(argumentsNode) ? '{}' : jsonOfNode(argumentsNode, document),
    expect,
    ...placeOf(node),
    places: {
      status: placeOfMember(code === undefined ? 'status' : 'code'),
      schema: placeOfMember('schema'),
      duration: placeOfMember('duration'),
      values: expect.values.map((_, index) => placeOf(at('expect', 'values', index))),
    },
    variableUses: [...stringsOf(argumentsNode), ...stringsOf(at('expect', 'values'))].flatMap((scalar) =>
      variableNames(scalar.text).map((name) => ({ name, ...placeOf(scalar.node) })),
    ),
  };
}

const isEmpty = (node: unknown): boolean => isScalar(node) && node.value === null;

function checkOf(check: z.infer<typeof checkSchema>, equals: unknown, document: Document): ValueCheck {
  const { path, type, matches, exists } = check;
  if (type !== undefined) return { path, check: { kind: 'type', type } };
  if (matches !== undefined) return { path, check: { kind: 'matches', pattern: matches } };
  if (exists !== undefined) return { path, check: { kind: 'exists', exists } };
  return { path, check: { kind: 'equals', value: jsonOfNode(equals, document) } };
}

const units = { ms: 1, s: 1000, m: 60_000 } as const;

function millisecondsOf(duration: number | string): number {
  if (typeof duration === 'number') return duration;
  const [, number, unit] = /^([\d.]+)(ms|s|m)$/.exec(duration) ?? [];
  return Number(number) * (unit === 'm' || unit === 's' ? units[unit] : units.ms);
}

function membersOf(node: unknown, document: Document): Record<string, string> {
  if (!isMap(node)) return {};
  return Object.fromEntries(
    node.items.map(({ key, value }) => [
      String(isScalar(key) ? key.value : key),
      jsonOfNode(value, document),
    ]),
  );
}

/** The strings in a value, but not the names of members. */
function* stringsOf(node: unknown): Generator<{ readonly node: unknown; readonly text: string }> {
  if (isScalar(node) && typeof node.value === 'string') yield { node, text: node.value };
  if (isSeq(node)) for (const item of node.items) yield* stringsOf(item);
  if (isMap(node)) for (const { value } of node.items) yield* stringsOf(value);
}

/** The errors of a file by the nodes they are about. */
function errorsOf(
  error: z.ZodError,
  document: Document,
): { readonly node: unknown; readonly message: string }[] {
  return error.issues.map((issue) => {
    const path = issue.path.filter((step) => typeof step !== 'symbol');
    // The key of an unknown member, or else the value; the nearest part that exists for one that is missing.
    const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      if (node === undefined) continue;
      const key = unknown === undefined ? undefined : memberNode(node, unknown)?.key;
      const name = path.join('.');
      return { node: key ?? node, message: name === '' ? issue.message : `${name}: ${issue.message}` };
    }
    return { node: null, message: issue.message };
  });
}
